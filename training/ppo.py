"""PPO by self-play: the newest network plays all seats of many games and learns from all it does.

    python -m training.ppo configs/quickstart.toml [--resume] [--run DIR] [--set key=value ...]

From top to bottom: network, window (a rollout), advantages, learn, trainer, run. docs/training.md
says more.
"""

from __future__ import annotations

import argparse
import itertools
import math
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (everyone's name for it)

from hemlock_env import Batch, make_bot
from hemlock_env.agents.checkpoint import CheckpointBot
from hemlock_env.agents.policy import CheckpointError, Policy, describe
from hemlock_env.arrays import table_for
from hemlock_env.evaluation.match import MatchResult, play_match
from training import checkpoint
from training.report import MATCH_METRICS, Report
from training.settings import ConfigError, Settings, read_settings

IMPOSSIBLE = -1e9  # logit of an action that isn't there: probability and gradient are exactly 0
ADAM_EPSILON = 1e-5

Layers = list[tuple[Tensor, Tensor]]

# ---- Network ----


class Network(nn.Module):
    """Trunk of linear layers with ReLU, then a head with a logit for each action, and the value."""

    input_scale: Tensor

    def __init__(self, batch: Batch, settings: Settings) -> None:
        super().__init__()
        self.dtype = precision(settings.precision)
        layout = batch.table.layout
        sizes = [layout.features, *settings.hidden]
        self.register_buffer("input_scale", torch.tensor(layout.scale))
        self.trunk = nn.ModuleList(
            nn.Linear(size, wide) for size, wide in itertools.pairwise(sizes)
        )
        self.head = nn.Linear(sizes[-1], len(batch.table.actions) + 1)
        self._begin(torch.Generator().manual_seed(settings.seed))

    def _begin(self, chance: torch.Generator) -> None:
        """First weights: a trunk that keeps lengths, an undecided head that expects nothing."""
        for layer in self.linears():
            last = layer is self.head
            nn.init.orthogonal_(layer.weight, 0.01 if last else math.sqrt(2), generator=chance)
            nn.init.zeros_(layer.bias)

    def linears(self) -> Iterator[nn.Linear]:
        """All layers in order."""
        for layer in [*self.trunk, self.head]:
            assert isinstance(layer, nn.Linear)
            yield layer

    def layers(self) -> Layers:
        """Weights and biases in the run's precision; the first layer scales the observation."""
        first, *others = ((layer.weight, layer.bias) for layer in self.linears())
        pairs = [(first[0] / self.input_scale, first[1]), *others]
        return [(weight.to(self.dtype), bias.to(self.dtype)) for weight, bias in pairs]

    def forward(self, observation: Tensor, legal: Tensor, layers: Layers) -> tuple[Tensor, Tensor]:
        """Logits of the legal actions, float32 (n, LEGAL_MAX); values, float32 (n,)."""
        *trunk, head = layers
        x = observation.to(self.dtype)
        for layer in trunk:
            x = F.relu(F.linear(x, *layer))
        out = F.linear(x, *head).float()
        logits = out.gather(1, legal.clamp(min=0).long())
        return logits.masked_fill(legal < 0, IMPOSSIBLE), out[:, -1].tanh()


def choose(logits: Tensor, uniform: Tensor) -> Tensor:
    """A place in each row by its probability: where the sum passes `uniform`, a number in 0..1."""
    reached = logits.softmax(1).cumsum(1)
    target = uniform[:, None] * reached[:, -1:]
    last = (logits > IMPOSSIBLE).sum(1) - 1  # rounding must not lead beyond
    return torch.minimum((reached <= target).sum(1), last)


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

    def __init__(self, batch: Batch, steps: int) -> None:
        games, self.seats = len(batch), batch.num_players
        shape = (self.seats + steps, games)
        self.observation = np.zeros((*shape, batch.observation.shape[1]), np.int8)
        self.legal = np.full((*shape, batch.legal.shape[1]), -1, np.int16)
        self.choice = np.zeros(shape, np.int64)  # place in `legal`
        self.log_prob = np.zeros(shape, np.float32)
        self.value = np.zeros(shape, np.float32)
        self.seat = np.full(shape, -1, np.int8)  # who decided; -1: no decision in this row
        self.done = np.zeros(shape, np.bool_)  # the game ended with this decision
        self.reward = np.zeros((*shape, self.seats), np.float32)  # of all seats, where it ended

    @property
    def steps(self) -> range:
        """The rows that `collect` fills."""
        return range(self.seats, len(self.seat))

    def decisions(self) -> dict[str, NDArray[Any]]:
        """What is stored of each decision, by name."""
        names = ("observation", "legal", "choice", "log_prob", "value", "seat")
        return {name: getattr(self, name) for name in names}

    def carry(self, open_row: NDArray[np.int64]) -> None:
        """Each seat's open decision, `open_row[seat, game]` (-1: none), to its row at the head."""
        for seat, rows in enumerate(open_row):
            games = np.flatnonzero(rows >= 0)
            for stored in self.decisions().values():
                stored[seat, games] = stored[rows[games], games]
            self.seat[seat, rows < 0] = -1


@torch.inference_mode()
def collect(
    batch: Batch, network: Network, window: Window, settings: Settings, rng: np.random.Generator
) -> None:
    """Fill the window: the network plays all seats, sampling from its probabilities."""
    games = np.arange(len(batch))
    layers = network.layers()
    for row in window.steps:
        window.observation[row] = batch.observation
        window.legal[row] = batch.legal
        window.seat[row] = batch.seat
        legal = torch.from_numpy(window.legal[row])
        logits, value = network(torch.from_numpy(window.observation[row]), legal, layers)
        choice = choose(logits, torch.from_numpy(rng.random(len(batch), np.float32)))
        window.choice[row] = choice
        window.log_prob[row] = logits.log_softmax(1).gather(1, choice[:, None])[:, 0]
        window.value[row] = value
        batch.step(window.legal[row][games, window.choice[row]])
        window.done[row] = batch.done
        window.reward[row] = rewards(batch, settings)


def rewards(batch: Batch, settings: Settings) -> NDArray[np.float32]:
    """Outcome and margin of the games that just ended, mixed, else 0; by seat, sum 0.

    The margin of a seat is the mean over its rivals of tanh(difference / scale), so it is within
    -1..1, and what one seat gains another loses, with any number of players.
    """
    if not batch.done.any():
        return np.zeros_like(batch.rewards)
    scores = batch.scores.astype(np.float32)
    ahead = np.tanh((scores[:, :, None] - scores[:, None, :]) / settings.margin_scale)
    margin = ahead.sum(2) / (batch.num_players - 1) * batch.done[:, None]
    mixed: NDArray[np.float32] = (
        1.0 - settings.margin_share
    ) * batch.rewards + settings.margin_share * margin
    return mixed


# ---- Advantages ----


@dataclass
class Judged:
    """What became of the decisions of a window, [row, game]."""

    advantage: NDArray[np.float32]
    settled: NDArray[np.bool_]
    """the seat decided again, or the game ended: to be learned from now"""
    open_row: NDArray[np.int64]
    """[seat, game]: the row of the seat's decision that is carried over, -1 if there is none"""


def judge(window: Window, gae_lambda: float) -> Judged:
    """Generalised advantages by seat, gamma 1: from a seat's decision to its next, or to the end.

    Backwards over the rows. For each game and seat we keep what a decision leads to: the value at
    the seat's next decision and that one's advantage, or the reward of the end. A seat's last
    decision in a running game leads to nothing known yet: its value serves the decision before, and
    it is left open itself.
    """
    rows, games = window.seat.shape
    next_value = np.zeros((games, window.seats), np.float32)
    next_advantage = np.zeros_like(next_value)
    known = np.zeros((games, window.seats), np.bool_)
    judged = Judged(
        np.zeros((rows, games), np.float32),
        np.zeros((rows, games), np.bool_),
        np.full((window.seats, games), -1, np.int64),
    )
    for row in reversed(range(rows)):
        ended = window.done[row]
        next_value[ended] = window.reward[row, ended]
        next_advantage[ended] = 0.0
        known[ended] = True
        game = np.flatnonzero(window.seat[row] >= 0)
        seat, value = window.seat[row, game], window.value[row, game]
        settled = known[game, seat]
        advantage = next_value[game, seat] - value + gae_lambda * next_advantage[game, seat]
        judged.advantage[row, game] = np.where(settled, advantage, 0.0)
        judged.settled[row, game] = settled
        judged.open_row[seat[~settled], game[~settled]] = row
        next_value[game, seat] = value
        next_advantage[game, seat] = judged.advantage[row, game]
        known[game, seat] = True
    return judged


# ---- Learn ----


@dataclass
class Part:
    """A minibatch."""

    observation: Tensor
    legal: Tensor
    choice: Tensor
    log_prob: Tensor
    advantage: Tensor
    reward: Tensor
    """what the value should have been"""


def parts(
    window: Window, judged: Judged, settings: Settings, rng: np.random.Generator
) -> Iterator[Part]:
    """All settled decisions in random order, `epochs` times, in minibatches of about equal size."""
    settled = np.flatnonzero(judged.settled)
    advantage = judged.advantage.ravel()
    reward = advantage + window.value.ravel()
    mean, spread = advantage[settled].mean(), advantage[settled].std() + 1e-8
    normal = (advantage - mean) / spread
    count = max(1, round(len(settled) / settings.minibatch))

    def pick(array: NDArray[Any], chosen: Tensor) -> Tensor:
        return torch.from_numpy(array).index_select(0, chosen)

    stored = window.decisions()
    flat = {name: array.reshape(-1, *array.shape[2:]) for name, array in stored.items()}
    for _ in range(settings.epochs):
        for some in np.array_split(rng.permutation(settled), count):
            chosen = torch.from_numpy(some)
            yield Part(
                pick(flat["observation"], chosen),
                pick(flat["legal"], chosen),
                pick(flat["choice"], chosen),
                pick(flat["log_prob"], chosen),
                pick(normal, chosen),
                pick(reward, chosen),
            )


def loss_of(
    network: Network, part: Part, settings: Settings, entropy_weight: float
) -> tuple[Tensor, Tensor]:
    """PPO's loss of a minibatch; and what is logged of it, in the order of LOGGED."""
    logits, value = network(part.observation, part.legal, network.layers())
    log_probs = logits.log_softmax(1)
    change = log_probs.gather(1, part.choice[:, None])[:, 0] - part.log_prob
    ratio = change.exp()
    kept = ratio.clamp(1.0 - settings.clip, 1.0 + settings.clip)
    policy_loss = -torch.minimum(ratio * part.advantage, kept * part.advantage).mean()
    value_loss = 0.5 * (value - part.reward).square().mean()
    entropy = normal_entropy(logits, log_probs).mean()
    loss = policy_loss + settings.value_share * value_loss - entropy_weight * entropy
    with torch.no_grad():
        moved = (ratio - 1.0 - change).mean()
        clipped = ((ratio - 1.0).abs() > settings.clip).float().mean()
        logged = torch.stack([entropy, policy_loss, value_loss, moved, clipped])
    return loss, logged


LOGGED = ("entropy", "policy_loss", "value_loss", "kl", "clipped")


# ---- Trainer ----


class Trainer:
    """A run's games, network, optimiser and counters; the run is one `update` after the other."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.rng = np.random.default_rng(settings.seed)
        self.batch = Batch(
            settings.games, seed=settings.seed, autoreset=True, **settings.batch_options
        )
        self.batch.play_random(self.rng.integers(0, settings.scatter + 1, settings.games))
        self.network = Network(self.batch, settings)
        self.average = [weight.detach().clone() for weight in self.network.parameters()]
        self.optimiser = torch.optim.Adam(
            self.network.parameters(), settings.learning_rate, eps=ADAM_EPSILON, fused=True
        )
        self.window = Window(self.batch, settings.steps)
        self.decisions = 0
        self.games = 0
        self.seconds = 0.0  # of training, evaluation not counted

    @property
    def progress(self) -> float:
        """How much of the run is done, 0 to 1: by decisions, or by time where that is further."""
        done = self.decisions / self.settings.total_decisions
        if self.settings.max_minutes:
            done = max(done, self.seconds / 60.0 / self.settings.max_minutes)
        return min(done, 1.0)

    def update(self) -> dict[str, float]:
        """Play a window, learn from it; the metrics of both."""
        begun = time.perf_counter()
        settings, window, left = self.settings, self.window, 1.0 - self.progress
        rate = settings.learning_rate * left
        entropy_weight = settings.entropy_end + (settings.entropy - settings.entropy_end) * left
        collect(self.batch, self.network, window, settings, self.rng)
        played, ended = len(window.steps) * settings.games, int(window.done.sum())
        judged = judge(window, settings.gae_lambda)
        logged = self._learn(judged, rate, entropy_weight)
        explained = explained_share(window, judged)
        window.carry(judged.open_row)
        took = time.perf_counter() - begun
        self.decisions += played
        self.games += ended
        self.seconds += took
        return {
            "decisions": self.decisions,
            "minutes": self.seconds / 60.0,
            "speed": played / took,
            "games": self.games,
            "game_length": played / max(ended, 1),
            **dict(zip(LOGGED, logged, strict=True)),
            "explained": explained,
            "learning_rate": rate,
            "entropy_weight": entropy_weight,
        }

    def _learn(self, judged: Judged, rate: float, entropy_weight: float) -> list[float]:
        """The steps of Adam for one window; the means of what is logged."""
        weights = list(self.network.parameters())
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        logged = []
        for part in parts(self.window, judged, self.settings, self.rng):
            loss, facts = loss_of(self.network, part, self.settings, entropy_weight)
            self.optimiser.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(weights, self.settings.max_gradient)
            self.optimiser.step()
            with torch.no_grad():
                for average, weight in zip(self.average, weights, strict=True):
                    average.lerp_(weight, 1.0 - self.settings.average)
            logged.append(facts)
        return torch.stack(logged).mean(0).tolist()

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """The averaged weights, as a policy holds them."""
        names = [name for name, _ in self.network.named_parameters()]
        pairs = zip(names, self.average, strict=True)
        scale = self.network.input_scale.numpy()
        return {"input_scale": scale, **{name: weight.numpy() for name, weight in pairs}}

    def meta(self) -> dict[str, Any]:
        """What the checkpoint says about itself."""
        settings = self.settings
        about = describe(self.batch.card_set, settings.options, settings.hidden)
        return {**about, "decisions": self.decisions, "minutes": round(self.seconds / 60.0, 3)}

    def policy(self) -> Policy:
        """The policy as it would be saved now."""
        weights = {name: weight.copy() for name, weight in self.weights().items()}
        return Policy(weights, self.meta())


def explained_share(window: Window, judged: Judged) -> float:
    """The share of the variance of what came that the values foresaw."""
    error = judged.advantage[judged.settled]
    reward = error + window.value[judged.settled]
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
        checkpoint.resume(folder, trainer)
    else:
        earlier = checkpoint.begin(folder, settings)
        if earlier:
            console.print(f"the earlier run is now in {earlier}", markup=False, highlight=False)
    saved = time.monotonic()
    with Report(folder, trainer, console) as report, Stop() as stop:
        while trainer.progress < 1.0 and not stop.signal:
            matches = trainer.decisions // settings.evaluate_decisions
            metrics = trainer.update()
            due = trainer.decisions // settings.evaluate_decisions > matches
            due = due or trainer.progress >= 1.0
            if due or stop.signal or time.monotonic() - saved >= settings.save_seconds:
                checkpoint.save(folder, trainer)
                saved = time.monotonic()
            match = play_opponent(folder, settings, stop) if due else None
            report.update(trainer, metrics, match)
        if trainer.decisions:
            report.draw()
    for line in summary(folder, trainer, report.match):
        report.display.say(line)
    if trainer.progress < 1.0:
        report.display.say("stopped and saved; the same command with --resume goes on")
        return 128 + stop.signal
    return 0


def play_opponent(folder: Path, settings: Settings, stop: Stop) -> MatchResult | None:
    """The saved policy against the opponent, the same deals every time; None if stopped."""
    bot = CheckpointBot(str(folder / checkpoint.CHECKPOINT))
    try:
        return play_match(
            bot,
            settings.opponent,
            settings.evaluate_games,
            seed=0,
            options=settings.batch_options,
            progress=stop.check,
        )
    except KeyboardInterrupt:
        return None


def summary(folder: Path, trainer: Trainer, match: Mapping[str, float]) -> list[str]:
    """What has come of the run."""
    lines = [
        f"{trainer.decisions:,} decisions in {trainer.seconds / 60.0:.1f} minutes of training, "
        f"{trainer.decisions / max(trainer.seconds, 1e-9) / 1e3:.0f}k a second",
    ]
    if match:
        score, low, high = (100.0 * match[name] for name in MATCH_METRICS)
        opponent = trainer.settings.opponent
        lines.append(f"against {opponent}: {score:.1f} % (95 % interval {low:.1f} to {high:.1f})")
    return [*lines, f"run folder: {folder}"]


def check_opponent(settings: Settings) -> None:
    """Better refused now than after the first minutes."""
    try:
        table = table_for(settings.cards, settings.options.num_players)
        make_bot(settings.opponent).check(table, settings.options)
    except ValueError as error:
        raise ConfigError(f"opponent = {settings.opponent!r}: {error}") from None


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
        check_opponent(settings)
        return train(settings, folder, given.resume)
    except (ConfigError, CheckpointError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
