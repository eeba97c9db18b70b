"""PPO by self-play: the newest network plays all seats of many games and learns from all it does.

    python -m training.ppo configs/quickstart.toml [--resume] [--run DIR] [--set key=value ...]

From top to bottom: network, window (a rollout), advantages, learn, trainer, run. docs/training.md
says more.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (everyone's name for it)

from hemlock_env.agents import make_bot
from hemlock_env.agents.network_bot import CheckpointBot
from hemlock_env.evaluation.match import MatchResult, play_match
from hemlock_env.game import Batch
from hemlock_env.game.spec import spec_for
from hemlock_env.learning import checkpoint
from hemlock_env.learning import privileged as secrets
from hemlock_env.learning.config import ConfigError, Settings, read_settings
from hemlock_env.learning.network import IMPOSSIBLE, LegalHead, NormRelu, choose
from hemlock_env.learning.opponent_pool import Pool
from hemlock_env.learning.report import Report
from hemlock_env.learning.team import Alone, Link, Make, Team, TeamError
from hemlock_env.network.checkpoint import CheckpointError, describe
from hemlock_env.network.encoder import FeatureEncoder, select_features
from hemlock_env.network.policy import Policy

ADAM_EPSILON = 1e-5
OUTCOME, MARGIN = 0, 1  # what values and rewards are of, in this order
SEED_STRIDE = 2**40  # between the seeds of two processes' games

Pair = tuple[Tensor, Tensor]

# ---- Network ----


class Layers(NamedTuple):
    """A network's weights as it is run with them."""

    trunk: list[Pair]
    norm: Pair
    head: Pair
    critic: list[Pair]
    """empty without a full-state critic"""


class Output(NamedTuple):
    """What a network says of some decisions."""

    logits: Tensor
    """of the legal actions, float32 (n, most)"""
    value: Tensor
    """expected outcome and margin, float32 (n, 2)"""
    judge: Tensor
    """the same as the full-state critic sees it; without one it is `value`"""


class Network(nn.Module):
    """Linear layers with ReLU, the first one normed; a head with all logits, outcome and margin."""

    input_scale: Tensor

    def __init__(
        self, inputs: FeatureEncoder, actions: int, secrets_size: int, settings: Settings
    ) -> None:
        super().__init__()
        self.dtype = precision(settings.precision)
        sizes = [len(inputs), *settings.hidden]
        self.register_buffer("input_scale", torch.from_numpy(inputs.scale))
        self.trunk = nn.ModuleList(
            nn.Linear(size, wide) for size, wide in itertools.pairwise(sizes)
        )
        self.norm = nn.LayerNorm(sizes[1])
        self.head = nn.Linear(sizes[-1], actions + 2)
        if settings.full_critic:
            wide = sizes[-1]
            self.critic = nn.ModuleList([nn.Linear(wide + secrets_size, wide), nn.Linear(wide, 2)])
        self._begin(torch.Generator().manual_seed(settings.seed))

    def _begin(self, chance: torch.Generator) -> None:
        """First weights: a trunk that keeps lengths, an undecided head that expects nothing."""
        for name, layer in self.named_modules():
            if isinstance(layer, nn.Linear):
                last = name in ("head", "critic.1")
                nn.init.orthogonal_(layer.weight, 0.01 if last else math.sqrt(2), generator=chance)
                nn.init.zeros_(layer.bias)

    def layers(self) -> Layers:
        """Weights and biases, those of norm and head in float32 and others in the run's precision;
        the first layer scales its inputs.
        """

        def pair(layer: Any, scale: Tensor | float = 1.0) -> Pair:
            return (layer.weight / scale).to(self.dtype), layer.bias.to(self.dtype)

        first, *others = self.trunk
        trunk = [pair(first, self.input_scale), *map(pair, others)]
        critic = [pair(layer) for layer in getattr(self, "critic", ())]
        norm, head = (self.norm.weight, self.norm.bias), (self.head.weight, self.head.bias)
        return Layers(trunk, norm, head, critic)

    def forward(
        self, inputs: Tensor, legal: Tensor, layers: Layers, hidden: Tensor | None = None
    ) -> Output:
        """What it says, from inputs int8 (n, inputs), legal int16 (n, most) filled up with -1 and,
        for the full-state critic, what is hidden, int8 (n, secrets).
        """
        return run_network(inputs.to(self.dtype), legal, layers, hidden)


def run_network(x: Tensor, legal: Tensor, layers: Layers, hidden: Tensor | None = None) -> Output:
    """The network as a function of its weights."""
    first, *others = layers.trunk
    x = NormRelu.apply(F.linear(x, *first), *layers.norm)  # type: ignore[no-untyped-call]
    for number, layer in enumerate(others):
        x = F.linear(F.relu(x) if number else x, *layer)
    logits, value = LegalHead.apply(x, *layers.head, legal)  # type: ignore[no-untyped-call]
    value = value.tanh()
    if not layers.critic or hidden is None:
        return Output(logits, value, value)
    inner, outer = layers.critic
    seen = F.relu(F.linear(torch.cat([F.relu(x), hidden.to(x.dtype)], 1), *inner))
    return Output(logits, value, F.linear(seen, *outer).float().tanh())


def normal_entropy(logits: Tensor, log_probs: Tensor) -> Tensor:
    """Entropy of each row over its greatest, from 0 to 1; 0 where there is but one action."""
    actions = (logits > IMPOSSIBLE).sum(1)
    entropy = -(logits.softmax(1) * log_probs).sum(1)
    return entropy / actions.clamp(min=2).log()


# ---- Window ----


class Window:
    """The decisions of a rollout, [row, game]: a row a seat for those carried over, then the steps.

    A seat's last decision in a game that goes on can't be judged before the seat decides again or
    the game ends. It is carried over, with all that was stored when it was made.
    """

    def __init__(self, batch: Batch, steps: int, inputs_size: int, secrets_size: int) -> None:
        games, self.seats = len(batch), batch.num_players
        shape = (self.seats + steps, games)
        self.inputs = np.zeros((*shape, inputs_size), np.int8)
        self.hidden = np.zeros((*shape, secrets_size), np.int8)  # for the full-state critic
        self.legal = np.full((*shape, batch.legal.shape[1]), -1, np.int16)
        self.choice = np.zeros(shape, np.int64)  # place in `legal`
        self.log_prob = np.zeros(shape, np.float32)
        self.value = np.zeros((*shape, 2), np.float32)  # outcome and margin
        self.seat = np.full(shape, -1, np.int8)  # who decided; -1: nothing to learn in this row
        self.done = np.zeros(shape, np.bool_)  # the game ended with this decision
        self.reward = np.zeros((*shape, self.seats, 2), np.float32)  # of all seats, where it ended

    @property
    def steps(self) -> range:
        """The rows that `collect` fills."""
        return range(self.seats, len(self.seat))

    def decisions(self) -> dict[str, NDArray[Any]]:
        """What is stored of each decision, by name."""
        names = ("inputs", "hidden", "legal", "choice", "log_prob", "value", "seat")
        return {name: getattr(self, name) for name in names}

    def carry(self, open_row: NDArray[np.int64]) -> None:
        """Each seat's open decision, `open_row[seat, game]` (-1: none), to its row at the head."""
        for seat, rows in enumerate(open_row):
            games = np.flatnonzero(rows >= 0)
            for stored in self.decisions().values():
                stored[seat, games] = stored[rows[games], games]
            self.seat[seat, rows < 0] = -1


class Rival(NamedTuple):
    """Someone who plays some seats, and of whose decisions nothing is learned."""

    layers: Layers
    plays: NDArray[np.bool_]
    """[seat, game]"""
    sharpness: float = 1.0
    """1 over the temperature"""


@torch.inference_mode()
def collect(
    batch: Batch,
    network: Network,
    inputs: FeatureEncoder,
    window: Window,
    settings: Settings,
    rng: np.random.Generator,
    rival: Rival | None = None,
) -> None:
    """Fill the window: the network plays all seats but the rival's, sampling from its
    probabilities.
    """
    games = np.arange(len(batch))
    layers = network.layers()
    for row in window.steps:
        inputs.fill(batch.observation, window.inputs[row])
        if window.hidden.shape[2]:
            window.hidden[row] = secrets.of(batch)
        window.legal[row] = batch.legal
        window.seat[row] = batch.seat
        seen, legal = torch.from_numpy(window.inputs[row]), torch.from_numpy(window.legal[row])
        said = network(seen, legal, layers, torch.from_numpy(window.hidden[row]))
        logits = said.logits
        if rival is not None:
            moves = np.flatnonzero(rival.plays[batch.seat, games])
            at = torch.from_numpy(moves)
            theirs = run_network(seen[at].to(network.dtype), legal[at], rival.layers)
            sharper = theirs.logits * rival.sharpness
            logits[at] = sharper.masked_fill(legal[at] < 0, IMPOSSIBLE)  # below 1 raises it
            window.seat[row, moves] = -1
        uniform = torch.from_numpy(rng.random(len(batch), np.float32))
        window.choice[row], window.log_prob[row] = choose(logits, legal, uniform)
        window.value[row] = said.judge
        batch.step(window.legal[row][games, window.choice[row]])
        window.done[row] = batch.done
        window.reward[row] = rewards(batch, settings)


def rewards(batch: Batch, settings: Settings) -> NDArray[np.float32]:
    """Outcome and margin of the games that just ended, else 0: (games, seats, 2), sum 0 by seats.

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


# ---- Advantages ----


@dataclass
class Judged:
    """What became of the decisions of a window, [row, game]."""

    advantage: NDArray[np.float32]
    """in outcome and margin, [row, game, 2]"""
    settled: NDArray[np.bool_]
    """the seat decided again, or the game ended: to be learned from now"""
    open_row: NDArray[np.int64]
    """[seat, game]: the row of the seat's decision that is carried over, -1 if there is none"""


def judge(window: Window, gae_lambda: float) -> Judged:
    """Generalised advantages by seat, gamma 1: from a seat's decision to its next, or to the end.

    A seat's last decision in a running game leads to nothing known yet: its value serves the
    decision before, and it is left open itself.
    """
    rows, games = window.seat.shape
    judged = Judged(
        np.zeros((rows, games, 2), np.float32),
        np.zeros((rows, games), np.bool_),
        np.full((window.seats, games), -1, np.int64),
    )
    stored = window.seat, window.value, window.done, window.reward
    found = judged.advantage, judged.settled, judged.open_row
    judge_games(*stored, np.float32(gae_lambda), *found)
    return judged


@numba.njit(cache=True)
def judge_games(
    seat: Any,
    value: Any,
    done: Any,
    reward: Any,
    gae_lambda: Any,
    advantage: Any,
    settled: Any,
    open_row: Any,
) -> None:
    """Game by game, backwards over the rows, with what each seat's decision leads to: the value at
    its next decision and that one's advantage, or the reward of the end.
    """
    rows, games = seat.shape
    seats = open_row.shape[0]
    next_value = np.zeros((seats, 2), np.float32)
    next_advantage = np.zeros((seats, 2), np.float32)
    known = np.zeros(seats, np.bool_)
    for game in range(games):
        known[:] = False
        for row in range(rows - 1, -1, -1):
            if done[row, game]:
                next_value[:] = reward[row, game]
                next_advantage[:] = 0.0
                known[:] = True
            who = seat[row, game]
            if who < 0:
                continue
            settled[row, game] = known[who]
            if not known[who]:
                open_row[who, game] = row
            for what in range(2):
                gained = np.float32(0.0)
                if known[who]:
                    gained = next_value[who, what] - value[row, game, what]
                    gained += gae_lambda * next_advantage[who, what]
                advantage[row, game, what] = gained
                next_value[who, what] = value[row, game, what]
                next_advantage[who, what] = gained
            known[who] = True


# ---- Learn ----


@dataclass
class Part:
    """A minibatch."""

    inputs: Tensor
    hidden: Tensor
    legal: Tensor
    choice: Tensor
    log_prob: Tensor
    advantage: Tensor
    """outcome and margin mixed, normalised over the window"""
    reward: Tensor
    """what the values should have been"""


def parts(
    window: Window,
    judged: Judged,
    settings: Settings,
    margin_share: float,
    rng: np.random.Generator,
) -> Iterator[Part]:
    """All settled decisions in random order, `epochs` times, in minibatches of about equal size.

    Where there are few, some minibatches are empty.
    """
    settled = np.flatnonzero(judged.settled)
    advantage = judged.advantage.reshape(-1, 2)
    reward = advantage + window.value.reshape(-1, 2)
    mixed = advantage @ np.array([1.0 - margin_share, margin_share], np.float32)
    known = mixed[settled] if settled.size else np.zeros(1, np.float32)
    normal = (mixed - known.mean()) / (known.std() + 1e-8)
    # By the config alone: all processes must take the same number of steps.
    count = max(1, round(settings.games * settings.steps / settings.minibatch))

    def pick(array: NDArray[Any], chosen: Tensor) -> Tensor:
        return torch.from_numpy(array).index_select(0, chosen)

    stored = window.decisions()
    places = judged.settled.size
    flat = {name: array.reshape(places, *array.shape[2:]) for name, array in stored.items()}
    for _ in range(settings.epochs):
        for some in np.array_split(rng.permutation(settled), count):
            chosen = torch.from_numpy(some)
            legal = pick(flat["legal"], chosen)
            most = max(int((legal >= 0).sum(1).max()), 1) if len(some) else 1
            yield Part(
                pick(flat["inputs"], chosen),
                pick(flat["hidden"], chosen),
                legal[:, :most],
                pick(flat["choice"], chosen),
                pick(flat["log_prob"], chosen),
                pick(normal, chosen),
                pick(reward, chosen),
            )


def loss_of(
    network: Network, part: Part, settings: Settings, entropy_weight: float
) -> tuple[Tensor, Tensor]:
    """PPO's loss of a minibatch; and what is logged of it, in the order of LOGGED."""
    said = network(part.inputs, part.legal, network.layers(), part.hidden)
    log_probs = said.logits.log_softmax(1)
    change = log_probs.gather(1, part.choice[:, None])[:, 0] - part.log_prob
    ratio = change.exp()
    kept = ratio.clamp(1.0 - settings.clip, 1.0 + settings.clip)
    policy_loss = -torch.minimum(ratio * part.advantage, kept * part.advantage).mean()
    value_loss = (said.value - part.reward).square().sum(1).mean()
    if said.judge is not said.value:
        value_loss = value_loss + (said.judge - part.reward).square().sum(1).mean()
    entropy = normal_entropy(said.logits, log_probs).mean()
    moved = (ratio - 1.0 - change).mean()
    loss = policy_loss + settings.value_share * value_loss - entropy_weight * entropy
    if settings.kl_share:
        loss = loss + settings.kl_share * moved
    with torch.no_grad():
        clipped = ((ratio - 1.0).abs() > settings.clip).float().mean()
        logged = torch.stack([entropy, policy_loss, value_loss, moved, clipped])
    return loss, logged


LOGGED = ("entropy", "policy_loss", "value_loss", "kl", "clipped")


# ---- Trainer ----


class Trainer:
    """A run's games, network, optimiser and counters; the run is one `update` after the other.

    With several processes each has a trainer: the same weights, games of its own, and gradients
    that are averaged at every step. The first one, of rank 0, leads.

    Args:
        settings: of the run.
        rank: which of the run's processes this is.
        link: to the others.
        live: the inputs, where they are not those that `select_features` finds.
    """

    def __init__(
        self,
        settings: Settings,
        rank: int = 0,
        link: Link | None = None,
        live: NDArray[np.int64] | None = None,
    ) -> None:
        self.settings = settings
        self.link = link or Link()
        self.team: Alone | Team = Alone()
        self.rng = np.random.default_rng([settings.seed, rank])
        games = settings.games // settings.processes
        seed = (settings.seed + rank * SEED_STRIDE) % 2**63
        self.batch = Batch(games, seed=seed, autoreset=True, **settings.batch_options)
        self.batch.play_random(self.rng.integers(0, settings.scatter + 1, games))
        layout = self.batch.spec.layout
        if live is None:
            live = select_features(self.batch.card_set, settings.options)
        self.inputs = FeatureEncoder(layout, live)
        secrets_size = secrets.size(self.batch) if settings.full_critic else 0
        self.network = Network(self.inputs, len(self.batch.spec.actions), secrets_size, settings)
        self.average = [weight.detach().clone() for weight in self.network.parameters()]
        self.optimiser = torch.optim.Adam(
            self.network.parameters(), settings.learning_rate, eps=ADAM_EPSILON, fused=True
        )
        self.window = Window(self.batch, settings.steps, len(self.inputs), secrets_size)
        self.pool = Pool(settings, games, self.batch.num_players)
        self.spare = copy.deepcopy(self.network)  # the shape in which snapshots are run
        self.victim: Rival | None = None
        self.decisions = 0
        self.games = 0
        self.seconds = 0.0  # of training, evaluation not counted

    def gather_team(self, make: Make | None = None) -> None:
        """Start the other processes, where the config wants some; `make` is for their trainers."""
        if self.settings.processes > 1:
            count = sum(weight.numel() for weight in self.network.parameters())
            make = make or partial(Trainer, live=self.inputs.feature_index)  # found once
            self.team = team = Team(make, self.settings, count)
            self.link = team.link

    @property
    def progress(self) -> float:
        """How much of the run is done, 0 to 1: by decisions, or by time where that is further."""
        done = self.decisions / self.settings.total_decisions
        if self.settings.max_minutes:
            done = max(done, self.seconds / 60.0 / self.settings.max_minutes)
        return min(done, 1.0)

    def update(self) -> dict[str, float]:
        """Play a window, learn from it, in all processes; the metrics of both."""
        begun = time.perf_counter()
        progress = self.progress
        self.team.send("turn", progress)
        turns = [self.turn(progress), *self.team.receive()]
        means = {name: sum(turn[name] for turn in turns) / len(turns) for name in turns[0]}
        took = time.perf_counter() - begun
        played, ended = self.settings.games * self.settings.steps, means.pop("ended") * len(turns)
        learned = means.pop("learned") * len(turns)
        self.games += round(ended)
        self.seconds += took
        return {
            "decisions": self.decisions,
            "minutes": self.seconds / 60.0,
            "speed": played / took,
            "learned": learned / took,
            "games": self.games,
            "game_length": played / max(ended, 1),
            **means,
        }

    def turn(self, progress: float) -> dict[str, float]:
        """This process's share of an update."""
        settings, window, left = self.settings, self.window, 1.0 - progress
        rate = settings.learning_rate * left
        entropy_weight = settings.entropy_end + (settings.entropy - settings.entropy_end) * left
        late = max(0.0, progress - settings.margin_until) / (1.0 - settings.margin_until + 1e-9)
        margin_share = settings.margin_share * (1.0 - late)
        self.collect()
        judged = judge(window, settings.gae_lambda)
        logged = self._learn(judged, rate, entropy_weight, margin_share)
        explained = explained_share(window, judged)
        window.carry(judged.open_row)
        before, alone = self.decisions, not self.pool.snapshots
        self.decisions += settings.games * settings.steps
        self.pool.grow(before, self.decisions, self.average)
        if alone and self.pool.snapshots:
            # What comes of these seats' open decisions is now the pool's doing: never judged.
            window.seat[: window.seats][self.pool.plays] = -1
        return {
            "ended": float(window.done.sum()),
            "learned": float(judged.settled.sum()),
            **dict(zip(LOGGED, logged, strict=True)),
            "explained": explained,
            "learning_rate": rate,
            "entropy_weight": entropy_weight,
        }

    def collect(self) -> None:
        """Play a window."""
        rival = self._rival()
        collect(self.batch, self.network, self.inputs, self.window, self.settings, self.rng, rival)

    def _rival(self) -> Rival | None:
        """Who plays one seat of some games in this window: the victim, or one of the pool."""
        if self.victim is not None:
            return self.victim
        snapshot = self.pool.draw(self.rng)
        return None if snapshot is None else Rival(self._layers(snapshot), self.pool.plays)

    def _layers(self, weights: Sequence[Tensor]) -> Layers:
        """Weights in the order of the network's, ready to be run."""
        with torch.no_grad():
            for place, weight in zip(self.spare.parameters(), weights, strict=True):
                place.copy_(weight)
            return self.spare.layers()

    def _learn(
        self, judged: Judged, rate: float, entropy_weight: float, margin_share: float
    ) -> list[float]:
        """The steps of Adam for one window; the means of what is logged."""
        weights: list[Tensor] = list(self.network.parameters())
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        logged = []
        for part in parts(self.window, judged, self.settings, margin_share, self.rng):
            self.optimiser.zero_grad(set_to_none=True)
            if len(part.choice):
                loss, facts = loss_of(self.network, part, self.settings, entropy_weight)
                loss.backward()  # type: ignore[no-untyped-call]
                logged.append(facts)
            elif self.link.size == 1:
                continue
            else:  # the other processes wait at this step
                for weight in weights:
                    weight.grad = torch.zeros_like(weight)
            self.link.average(weights)
            nn.utils.clip_grad_norm_(weights, self.settings.max_gradient)
            self.optimiser.step()
            with torch.no_grad():
                torch._foreach_lerp_(self.average, weights, 1.0 - self.settings.average)
        means: list[float] = torch.stack(logged or [torch.zeros(len(LOGGED))]).mean(0).tolist()
        return means

    def weights(self) -> dict[str, NDArray[Any]]:
        """The averaged weights, as a policy holds them."""
        names = [name for name, _ in self.network.named_parameters()]
        pairs = zip(names, self.average, strict=True)
        played = {name: weight.numpy() for name, weight in pairs if not name.startswith("critic")}
        live = self.inputs.feature_index
        return {"live": live, "input_scale": self.network.input_scale.numpy(), **played}

    def meta(self) -> dict[str, Any]:
        """What the checkpoint says about itself."""
        settings = self.settings
        about = describe(self.batch.card_set, settings.options, settings.hidden, len(self.inputs))
        return {**about, "decisions": self.decisions, "minutes": round(self.seconds / 60.0, 3)}

    def policy(self) -> Policy:
        """The policy as it would be saved now."""
        weights = {name: weight.copy() for name, weight in self.weights().items()}
        return Policy(weights, self.meta())


def explained_share(window: Window, judged: Judged) -> float:
    """The share of the variance of the outcome that the values foresaw."""
    if not judged.settled.any():
        return 0.0
    error = judged.advantage[judged.settled][:, OUTCOME]
    reward = error + window.value[judged.settled][:, OUTCOME]
    return float(1.0 - error.var() / max(float(reward.var()), 1e-8))


def precision(name: str) -> torch.dtype:
    """The numbers that networks are run with; bfloat16 without hardware for it would be slow."""
    if name == "auto":
        can: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
        name = "bfloat16" if can.get("avx512_bf16") or can.get("amx_bf16") else "float32"
    return torch.bfloat16 if name == "bfloat16" else torch.float32


# ---- Run ----


class Stop:
    """Ctrl-C or a request to end: noted, so that the run can save; the second ends it at once."""

    def __init__(self) -> None:
        self.signal = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Stop:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: object) -> None:
        if self.signal:
            raise KeyboardInterrupt
        self.signal = number

    def check(self, *_: object) -> None:
        """Leave a match when asked to stop."""
        if self.signal:
            raise KeyboardInterrupt


def train(
    settings: Settings, folder: Path, go_on: bool = False, console: Console | None = None
) -> int:
    """A run, new or resumed, to its end; the exit code."""
    torch.set_num_threads(1)
    console = console or Console()
    trainer = Trainer(settings)
    if go_on:
        checkpoint.check(folder, settings)
    else:
        earlier = checkpoint.begin(folder, settings)
        if earlier:
            console.print(f"the earlier run is now in {earlier}", markup=False, highlight=False)
    trainer.gather_team()
    try:
        if go_on:
            checkpoint.resume(folder, trainer)
        return run(trainer, folder, console)
    finally:
        trainer.team.close()


def run(
    trainer: Trainer,
    folder: Path,
    console: Console,
    save: Callable[[Path, Trainer], None] = checkpoint.save,
) -> int:
    """Update after update to the end of the run, with saves and matches; the exit code.

    A kill may come at any time, and matches take long: so an update is told and saved before its
    match, and a resumed run first plays the match that its save has not had.
    """
    settings, saved = trainer.settings, time.monotonic()
    with Report(folder, trainer, console) as report, Stop() as stop:
        if match_due(trainer, report):
            report.matches(trainer, play_opponents(folder, settings, stop))
        while trainer.progress < 1.0 and not stop.signal:
            report.update(trainer, trainer.update())
            due = match_due(trainer, report)
            if due or stop.signal or time.monotonic() - saved >= settings.save_seconds:
                save(folder, trainer)
                saved = time.monotonic()
            if due:
                report.matches(trainer, play_opponents(folder, settings, stop))
        if trainer.decisions:
            report.draw()
    for line in summary(folder, trainer, report.scores):
        report.display.say(line)
    if trainer.progress < 1.0:
        report.display.say("stopped and saved; the same command with --resume goes on")
        return 128 + stop.signal
    return 0


def match_due(trainer: Trainer, report: Report) -> bool:
    """Has the run passed a multiple of `evaluate_decisions`, or its end, since its last match?"""
    every = trainer.settings.evaluate_decisions
    if trainer.progress >= 1.0:
        return report.matched < trainer.decisions
    return trainer.decisions // every > report.matched // every


def play_opponents(folder: Path, settings: Settings, stop: Stop) -> dict[str, MatchResult]:
    """The saved policy against each opponent, the same deals every time; fewer if stopped."""
    bot = CheckpointBot(str(folder / checkpoint.CHECKPOINT))
    results = {}
    try:
        for opponent in settings.opponents:
            results[opponent] = play_match(
                bot,
                opponent,
                settings.evaluate_games,
                seed=0,
                options=settings.batch_options,
                progress=stop.check,
            )
    except KeyboardInterrupt:
        pass
    return results


def summary(folder: Path, trainer: Trainer, scores: Mapping[str, Sequence[float]]) -> list[str]:
    """What has come of the run."""
    lines = [
        f"{trainer.decisions:,} decisions in {trainer.seconds / 60.0:.1f} minutes of training, "
        f"{trainer.decisions / max(trainer.seconds, 1e-9) / 1e3:.0f}k a second",
    ]
    for opponent, found in scores.items():
        score, low, high = (100.0 * share for share in found)
        lines.append(f"against {opponent}: {score:.1f} % (95 % interval {low:.1f} to {high:.1f})")
    return [*lines, f"run folder: {folder}"]


def check_opponents(settings: Settings) -> None:
    """Better refused now than after the first minutes."""
    table = spec_for(settings.cards, settings.options.num_players)
    for opponent in settings.opponents:
        try:
            make_bot(opponent).check(table, settings.options)
        except ValueError as error:
            raise ConfigError(f"opponents = {opponent!r}: {error}") from None


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m training.ppo")
    parser.add_argument("config", type=Path, help="a TOML file such as configs/quickstart.toml")
    parser.add_argument("--resume", action="store_true", help="go on from the last save")
    parser.add_argument("--run", type=Path, help="run folder; runs/NAME for a config NAME.toml")
    parser.add_argument("--set", nargs="+", action="extend", default=[], metavar="KEY=VALUE")
    given = parser.parse_args(arguments)
    folder = given.run or Path("runs") / given.config.stem
    try:
        settings = read_settings(given.config, given.set)
        check_opponents(settings)
        return train(settings, folder, given.resume)
    except (ConfigError, CheckpointError, TeamError) as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(explain(error, folder), file=sys.stderr)
        return 2


def explain(error: OSError, folder: Path) -> str:
    """A file that couldn't be written, in one line with a cure."""
    return (
        f"{error.filename or folder}: {error.strerror or error}: make room or choose another "
        "--run; what was saved before is whole, and --resume goes on from there"
    )


if __name__ == "__main__":
    sys.exit(main())
