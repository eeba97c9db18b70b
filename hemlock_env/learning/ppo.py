"""PPO by self-play: the newest network plays all seats of many games and learns from all it does.

From top to bottom: rollout buffer, minibatches, loss, trainer with its rollout (`collect`).
`learning.run` makes a run of it; docs/training.md says more.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from hemlock_env.game import Batch
from hemlock_env.game.keys import spread_seeds
from hemlock_env.learning import checkpoint
from hemlock_env.learning.checkpoint import State
from hemlock_env.learning.config import Settings
from hemlock_env.learning.gae import Advantages, compute_gae
from hemlock_env.learning.network import (
    IMPOSSIBLE,
    Layers,
    Network,
    normalized_entropy,
    run_network,
    sample_actions,
)
from hemlock_env.learning.opponent_pool import OpponentPool
from hemlock_env.learning.privileged import privileged_state
from hemlock_env.learning.team import Link, Make, Team
from hemlock_env.learning.trainer import Trainer
from hemlock_env.network.encoder import FeatureEncoder, select_features

ADAM_EPSILON = 1e-5
OUTCOME, MARGIN = 0, 1  # what values and rewards are of, in this order


# ---- Rollout buffer ----


class RolloutBuffer:
    """The transitions of a rollout, [row, game]: a row a seat for pending ones, then the steps.

    The last decision of a seat in an unfinished game has no bootstrap value yet; its transition is
    carried into the next rollout.
    """

    def __init__(self, batch: Batch, steps: int, inputs_size: int, privileged_size: int) -> None:
        games, self.seats = len(batch), batch.num_players
        shape = (self.seats + steps, games)
        self.inputs = np.zeros((*shape, inputs_size), np.int8)
        self.privileged = np.zeros((*shape, privileged_size), np.int8)  # for the critic
        self.legal = np.full((*shape, batch.legal.shape[1]), -1, np.int16)
        self.choice = np.zeros(shape, np.int64)  # index into `legal`
        self.log_prob = np.zeros(shape, np.float32)
        self.value = np.zeros((*shape, 2), np.float32)  # outcome and margin
        self.seat = np.full(shape, -1, np.int8)  # who decided; -1: nothing to learn in this row
        self.done = np.zeros(shape, np.bool_)  # the game ended with this decision
        self.reward = np.zeros((*shape, self.seats, 2), np.float32)  # of all seats, where it ended

    @property
    def steps(self) -> range:
        """The rows that `collect` fills."""
        return range(self.seats, len(self.seat))

    def transitions(self) -> dict[str, NDArray[Any]]:
        """What is stored of each decision, by name."""
        names = ("inputs", "privileged", "legal", "choice", "log_prob", "value", "seat")
        return {name: getattr(self, name) for name in names}

    def compute_gae(self, gae_lambda: float) -> Advantages:
        """Advantages by seat."""
        return compute_gae(self.seat, self.value, self.done, self.reward, gae_lambda)

    def carry_pending(self, pending_row: NDArray[np.int64]) -> None:
        """Each seat's pending decision, `pending_row[seat, game]` (-1: none), to its row at the
        head of the next rollout.
        """
        for seat, rows in enumerate(pending_row):
            games = np.flatnonzero(rows >= 0)
            for stored in self.transitions().values():
                stored[seat, games] = stored[rows[games], games]
            self.seat[seat, rows < 0] = -1


# ---- What a rollout needs beside the trainer ----


class Opponent(NamedTuple):
    """A frozen policy that plays some seats; nothing is learned from its decisions."""

    layers: Layers
    seat_mask: NDArray[np.bool_]
    """[seat, game]"""
    inverse_temperature: float = 1.0


def rewards(batch: Batch, settings: Settings) -> NDArray[np.float32]:
    """Outcome and margin of the games that just ended, else 0: (games, seats, 2), zero-sum.

    The margin of a seat is the mean over its rivals of tanh(difference / scale), so it is within
    -1..1, and what one seat gains another loses, with any number of players.
    """
    both = np.zeros((*batch.rewards.shape, 2), np.float32)
    ended = np.flatnonzero(batch.done)
    scores = batch.scores[ended].astype(np.float32)
    ahead = np.tanh((scores[:, :, None] - scores[:, None, :]) / settings.margin_scale)
    both[ended, :, OUTCOME] = batch.rewards[ended]
    both[ended, :, MARGIN] = ahead.sum(2) / (batch.num_players - 1)
    return both


# ---- Minibatches and loss ----


@dataclass
class Minibatch:
    """The transitions of one gradient step."""

    inputs: Tensor
    privileged: Tensor
    legal: Tensor
    choice: Tensor
    log_prob: Tensor
    advantage: Tensor
    """outcome and margin mixed, normalized over the rollout"""
    returns: Tensor
    """the values' targets: advantage + value, of outcome and margin"""


LOGGED = ("normalized_entropy", "policy_loss", "value_loss", "approx_kl", "clip_fraction")


def ppo_loss(
    network: Network, batch: Minibatch, settings: Settings, ent_coef: float
) -> tuple[Tensor, Tensor]:
    """PPO's clipped loss of a minibatch; and what is logged of it, in the order of LOGGED."""
    output = network(batch.inputs, batch.legal, network.layers(), batch.privileged)
    log_probs = output.logits.log_softmax(1)
    log_ratio = log_probs.gather(1, batch.choice[:, None])[:, 0] - batch.log_prob
    ratio = log_ratio.exp()
    clipped_ratio = ratio.clamp(1.0 - settings.clip_coef, 1.0 + settings.clip_coef)
    policy_loss = -torch.minimum(ratio * batch.advantage, clipped_ratio * batch.advantage).mean()
    value_loss = (output.value - batch.returns).square().sum(1).mean()
    if output.critic_value is not output.value:
        critic_error = output.critic_value - batch.returns
        value_loss = value_loss + critic_error.square().sum(1).mean()
    entropy = normalized_entropy(output.logits, log_probs).mean()
    approx_kl = (ratio - 1.0 - log_ratio).mean()  # Schulman's k3 estimator
    loss = policy_loss + settings.vf_coef * value_loss - ent_coef * entropy
    if settings.kl_coef:
        loss = loss + settings.kl_coef * approx_kl
    with torch.no_grad():
        clip_fraction = ((ratio - 1.0).abs() > settings.clip_coef).float().mean()
        logged = torch.stack([entropy, policy_loss, value_loss, approx_kl, clip_fraction])
    return loss, logged


def explained_variance(buffer: RolloutBuffer, advantages: Advantages) -> float:
    """1 - Var(returns - values) / Var(returns), of the outcome."""
    if not advantages.valid.any():
        return 0.0
    error = advantages.advantage[advantages.valid][:, OUTCOME]
    returns = error + buffer.value[advantages.valid][:, OUTCOME]
    return float(1.0 - error.var() / max(float(returns.var()), 1e-8))


# ---- Trainer ----


class PPOTrainer(Trainer):
    """A run's games, network, optimizer and counters; the run is one `update` after the other.

    With several processes each has a trainer: the same weights, games of its own, and gradients
    that are averaged at every step. The first one, of rank 0, leads.

    Args:
        settings: of the run.
        link: to the others; it says which of the run's processes this is.
        live: the inputs, where they are not those that `select_features` finds.
    """

    def __init__(
        self,
        settings: Settings,
        link: Link | None = None,
        live: NDArray[np.int64] | None = None,
    ) -> None:
        self.link = link or Link()
        self.rank = self.link.rank
        self.team = Team()
        self.rng = np.random.default_rng([settings.seed, self.rank])
        games = settings.num_envs // settings.processes
        seed = spread_seeds(settings.seed, settings.processes)[self.rank]
        self.batch = Batch(games, seed=seed, autoreset=True, **settings.batch_options)
        self.batch.play_random(self.rng.integers(0, settings.random_start_steps + 1, games))
        if live is None:
            live = select_features(self.batch.card_set, settings.options)
        super().__init__(settings, FeatureEncoder(self.batch.spec.layout, live))
        size = privileged_state(self.batch).shape[1] if settings.privileged_critic else 0
        self.network = Network(self.encoder, len(self.batch.spec.actions), size, settings)
        self.names = [name for name, _ in self.network.named_parameters()]
        self.ema_weights = [weight.detach().clone() for weight in self.network.parameters()]
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), settings.learning_rate, eps=ADAM_EPSILON, fused=True
        )
        self.buffer = RolloutBuffer(self.batch, settings.num_steps, len(self.encoder), size)
        self.pool = OpponentPool(settings, games, self.batch.num_players)
        self.frozen = copy.deepcopy(self.network)  # snapshots are run in it
        self.opponent: Opponent | None = None  # one for the whole run, in place of the pool
        # Makes the trainers of the other processes; inputs are selected once.
        self.make: Make = partial(PPOTrainer, live=self.encoder.feature_index)

    def start(self) -> None:
        """Start the other processes, where the config wants some."""
        if self.settings.processes > 1:
            count = sum(weight.numel() for weight in self.network.parameters())
            self.link = self.team.start(self.make, self.settings, count)

    def close(self) -> None:
        """End the other processes."""
        self.team.close()

    def update(self) -> dict[str, float]:
        """A rollout and the learning from it, in all processes; the metrics of both."""
        begun = time.perf_counter()
        progress = self.progress
        self.team.send("train_step", progress)
        steps = [self.train_step(progress), *self.team.receive()]
        means = {name: sum(step[name] for step in steps) / len(steps) for name in steps[0]}
        took = time.perf_counter() - begun
        games, learned = (means.pop(name) * len(steps) for name in ("games", "learned"))
        played = self.settings.num_envs * self.settings.num_steps
        return {**self.count(played, learned, round(games), took), **means}

    def train_step(self, progress: float) -> dict[str, float]:
        """This process's share of an update."""
        settings, buffer = self.settings, self.buffer
        schedules = self.annealed(progress)
        late = max(0.0, progress - settings.margin_until) / (1.0 - settings.margin_until + 1e-9)
        self.collect()
        advantages = buffer.compute_gae(settings.gae_lambda)
        logged = self._optimize(advantages, settings.margin_share * (1.0 - late), **schedules)
        explained = explained_variance(buffer, advantages)
        buffer.carry_pending(advantages.pending_row)
        before, alone = self.num_timesteps, not self.pool.snapshots
        self.num_timesteps += settings.num_envs * settings.num_steps
        self.pool.maybe_add(before, self.num_timesteps, self.ema_weights)
        if alone and self.pool.snapshots:
            # What comes of these seats' pending decisions is the pool's doing: not learned from.
            buffer.seat[: buffer.seats][self.pool.seat_mask] = -1
        return {
            "games": float(buffer.done.sum()),
            "learned": float(advantages.valid.sum()),
            **dict(zip(LOGGED, logged, strict=True)),
            "explained_variance": explained,
            **schedules,
        }

    @torch.inference_mode()
    def collect(self) -> None:
        """A rollout: the network plays all seats but the opponent's, sampling its actions."""
        batch, network, buffer = self.batch, self.network, self.buffer
        opponent = self.opponent or self._draw_opponent()
        games = np.arange(len(batch))
        layers = network.layers()
        for row in buffer.steps:
            self.encoder.fill(batch.observation, buffer.inputs[row])
            if buffer.privileged.shape[2]:
                buffer.privileged[row] = privileged_state(batch)
            buffer.legal[row] = batch.legal
            buffer.seat[row] = batch.seat
            inputs = torch.from_numpy(buffer.inputs[row])
            legal = torch.from_numpy(buffer.legal[row])
            output = network(inputs, legal, layers, torch.from_numpy(buffer.privileged[row]))
            logits = output.logits
            if opponent is not None:
                theirs = np.flatnonzero(opponent.seat_mask[batch.seat, games])
                at = torch.from_numpy(theirs)
                played = run_network(inputs[at].to(network.dtype), legal[at], opponent.layers)
                scaled = played.logits * opponent.inverse_temperature
                logits[at] = scaled.masked_fill(legal[at] < 0, IMPOSSIBLE)  # below 1 raises it
                buffer.seat[row, theirs] = -1
            uniform = torch.from_numpy(self.rng.random(len(batch), np.float32))
            buffer.choice[row], buffer.log_prob[row] = sample_actions(logits, legal, uniform)
            buffer.value[row] = output.critic_value
            batch.step(buffer.legal[row][games, buffer.choice[row]])
            buffer.done[row] = batch.done
            buffer.reward[row] = rewards(batch, self.settings)

    def _draw_opponent(self) -> Opponent | None:
        """The snapshot of the pool that plays in this rollout."""
        snapshot = self.pool.sample(self.rng)
        return None if snapshot is None else Opponent(self._layers(snapshot), self.pool.seat_mask)

    def _layers(self, weights: Sequence[Tensor]) -> Layers:
        """Weights in the order of the network's, ready for a forward pass."""
        with torch.no_grad():
            for place, weight in zip(self.frozen.parameters(), weights, strict=True):
                place.copy_(weight)
            return self.frozen.layers()

    def minibatches(self, advantages: Advantages, margin_share: float) -> Iterator[Minibatch]:
        """All valid transitions in random order, `update_epochs` times, in minibatches of about
        equal size. Where there are few, some minibatches are empty.
        """
        settings, valid = self.settings, np.flatnonzero(advantages.valid)
        advantage = advantages.advantage.reshape(-1, 2)
        returns = advantage + self.buffer.value.reshape(-1, 2)
        mixed = advantage @ np.array([1.0 - margin_share, margin_share], np.float32)
        known = mixed[valid] if valid.size else np.zeros(1, np.float32)
        normalized = (mixed - known.mean()) / (known.std() + 1e-8)
        # By the config alone: all processes must take the same number of steps.
        count = max(1, round(settings.num_envs * settings.num_steps / settings.minibatch_size))

        stored, size = self.buffer.transitions(), advantages.valid.size
        names = ("inputs", "privileged", "legal", "choice", "log_prob")
        flat = {name: stored[name].reshape(size, *stored[name].shape[2:]) for name in names}
        flat |= {"advantage": normalized, "returns": returns}
        for _ in range(settings.update_epochs):
            for indices in np.array_split(self.rng.permutation(valid), count):
                chosen = torch.from_numpy(indices)
                parts = {
                    name: torch.from_numpy(array).index_select(0, chosen)
                    for name, array in flat.items()
                }
                legal = parts.pop("legal")
                width = max(int((legal >= 0).sum(1).max()), 1) if len(indices) else 1
                yield Minibatch(**parts, legal=legal[:, :width])

    def _optimize(
        self, advantages: Advantages, margin_share: float, learning_rate: float, ent_coef: float
    ) -> list[float]:
        """Adam's steps for one rollout; the means of what is logged."""
        settings = self.settings
        weights: list[Tensor] = list(self.network.parameters())
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        logged = []
        for batch in self.minibatches(advantages, margin_share):
            self.optimizer.zero_grad(set_to_none=True)
            if len(batch.choice):
                loss, facts = ppo_loss(self.network, batch, settings, ent_coef)
                loss.backward()  # type: ignore[no-untyped-call]
                logged.append(facts)
            elif self.link.size == 1:
                continue
            else:  # the other processes wait at this step
                for weight in weights:
                    weight.grad = torch.zeros_like(weight)
            self.link.average(weights)
            nn.utils.clip_grad_norm_(weights, settings.max_grad_norm)
            self.optimizer.step()
            with torch.no_grad():
                torch._foreach_lerp_(self.ema_weights, weights, 1.0 - settings.ema_decay)
        means: list[float] = torch.stack(logged or [torch.zeros(len(LOGGED))]).mean(0).tolist()
        return means

    def weights(self) -> State:
        """The EMA weights, by the names of a checkpoint."""
        pairs = zip(self.names, self.ema_weights, strict=True)
        played = {name: weight.numpy() for name, weight in pairs if not name.startswith("critic")}
        scale = self.network.input_scale.numpy()
        return {"live": self.encoder.feature_index, "input_scale": scale, **played}

    # ---- state ----

    def state_dict(self) -> State:
        """All that training goes on from, of the other processes too."""
        self.team.send("rank_state")
        state = {**self.counters(), "pool.taken": np.array(self.pool.taken, np.int64)}
        for part in [self.rank_state(), *self.team.receive()]:
            state |= part
        state |= checkpoint.weights_state(self.network, self.optimizer)
        state |= self._named("ema", self.ema_weights)
        for number, snapshot in enumerate(self.pool.snapshots):
            state |= self._named(f"pool.{number}", snapshot)
        return {name: np.asarray(array, order="C") for name, array in state.items()}

    def _named(self, prefix: str, weights: Sequence[Tensor]) -> State:
        """Weights in the order of the network's, by name."""
        pairs = zip(self.names, weights, strict=True)
        return {f"{prefix}.{name}": weight.numpy() for name, weight in pairs}

    def rank_state(self) -> State:
        """What this process has to itself: games, pending decisions, random stream."""
        head = slice(0, self.buffer.seats)
        stored = self.buffer.transitions()
        state = {f"pending.{name}": array[head].copy() for name, array in stored.items()}
        state["rng"] = checkpoint.rng_state(self.rng)
        state["games"] = np.frombuffer(self.batch.games.tobytes(), np.uint8)
        return {f"{self.rank}.{name}": array for name, array in state.items()}

    def load_state_dict(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Bring a fresh trainer, and those of the other processes, to where `state` was taken."""
        checkpoint.check_arrays(self.rank_state() if self.rank else self.state_dict(), state)
        self.load_counters(state)
        self.pool.taken = int(state["pool.taken"])
        self.pool.snapshots = [
            [checkpoint.tensor(state[f"pool.{number}.{name}"]) for name in self.names]
            for number in range(min(self.pool.taken, self.settings.pool_size))
        ]
        checkpoint.load_weights(self.network, self.optimizer, state)
        for name, weight in zip(self.names, self.ema_weights, strict=True):
            weight.copy_(checkpoint.tensor(state[f"ema.{name}"]))
        checkpoint.load_rng(self.rng, state[f"{self.rank}.rng"])
        games = state[f"{self.rank}.games"].tobytes()
        self.batch.restore(np.frombuffer(games, self.batch.games.dtype))
        head = slice(0, self.buffer.seats)
        for name, array in self.buffer.transitions().items():
            array[head] = state[f"{self.rank}.pending.{name}"]
        self.team.send("load_state_dict", state)
        self.team.receive()
