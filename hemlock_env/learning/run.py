"""A run of any trainer: the loop, saves, matches, stopping and going on.

train(PPOTrainer, settings, Path("runs/mine"))
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.console import Console

from hemlock_env._files import claimed, write_json
from hemlock_env._signals import ENDINGS, heard
from hemlock_env.agents import make_bot
from hemlock_env.agents.network_bot import CheckpointBot
from hemlock_env.evaluation.match import MatchResult, play_match
from hemlock_env.game.spec import spec_for
from hemlock_env.learning import checkpoint
from hemlock_env.learning.config import ConfigError, Settings
from hemlock_env.learning.process import prepare_process
from hemlock_env.learning.report import CSV, PICTURE, Report
from hemlock_env.learning.trainer import Trainer
from hemlock_env.network.checkpoint import check_finite

DIVERGED = "lower learning_rate or max_grad_norm; what was saved before is whole"


class Stop:
    """Ctrl-C or a request to end: noted, so that the run can save; Ctrl-C then ends it at once."""

    signal = 0

    def note(self, number: int) -> None:
        """A request."""
        if self.signal and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.signal = self.signal or number

    def check(self, *_: object) -> None:
        """Leave a match when asked to stop."""
        if self.signal:
            raise KeyboardInterrupt


def train(
    make: Callable[[Settings], Trainer],
    settings: Settings,
    folder: Path,
    resume: bool = False,
    console: Console | None = None,
    notes: Mapping[str, Mapping[str, str]] | None = None,
) -> int:
    """A run, new or resumed, to its end.

    Args:
        make: makes the trainer.
        settings: of the run.
        folder: of the run; an earlier run there is moved aside.
        resume: go on where the run in the folder was saved last.
        console: what is told goes there; standard output if not given.
        notes: more that a new run's folder says, JSON files by name.

    Returns:
        The exit code: 0 at the end of the run, 128 and the signal's number when stopped.

    Raises:
        ConfigError: the folder isn't one of a run, or an opponent can't play this game.
        ValueError: another run trains in the folder.
        CheckpointError: there is nothing to resume, it is of another config, or training made a
            weight NaN or infinite.
    """
    prepare_process()
    console = console or Console()
    check_opponents(settings)
    if resume:
        checkpoint.check(folder, settings)
    else:
        checkpoint.check_free(folder)
    trainer = make(settings)
    with claimed(folder, "another run trains there: choose another --run"):
        if not resume:
            earlier = checkpoint.begin(folder, settings)
            if earlier:
                console.print(f"the earlier run is now in {earlier}", markup=False, highlight=False)
            for name, note in (notes or {}).items():
                write_json(folder / name, note)
        try:
            trainer.start()
            if resume:
                trainer.load_state_dict(checkpoint.load(folder, settings, trainer.encoder))
            return loop(trainer, folder, console)
        finally:
            trainer.close()


def loop(trainer: Trainer, folder: Path, console: Console) -> int:
    """Update after update to the end of the run, with saves and matches; the exit code.

    A kill may come at any time, and matches take long: so an update is told and saved before its
    match, and a resumed run first plays the match that its save has not had.
    """
    settings, saved = trainer.settings, time.monotonic()
    report = Report(folder, settings.eval_opponents, trainer.num_timesteps, console)

    def play_matches() -> None:
        matches = play_opponents(folder, settings, stop)
        report.matches(trainer.progress, trainer.facts(), matches)

    stop = Stop()
    with report, heard((signal.SIGINT, *ENDINGS), stop.note):
        if match_due(trainer, report.matched):
            play_matches()
        while trainer.progress < 1.0 and not stop.signal:
            try:
                metrics = trainer.update()
            finally:  # torch's own error for it says nothing of weights
                at = f"{folder}: training failed at {trainer.num_timesteps:,} decisions"
                check_finite(trainer.weights(), at, DIVERGED)
            report.update(trainer.progress, metrics)
            due = match_due(trainer, report.matched)
            if due or stop.signal or time.monotonic() - saved >= settings.save_seconds:
                checkpoint.save(folder, trainer.policy(), trainer.state_dict())
                saved = time.monotonic()
            if due:
                play_matches()
        if trainer.num_timesteps:
            report.draw()
    for line in summary(folder, trainer, report.scores):
        report.display.say(line)
    if trainer.progress < 1.0:
        report.display.say("stopped and saved; the same command with --resume goes on")
        return 128 + stop.signal
    return 0


def match_due(trainer: Trainer, matched: int) -> bool:
    """Has the run passed a multiple of `eval_freq`, or its end, since its last match?"""
    every = trainer.settings.eval_freq
    if trainer.progress >= 1.0:
        return matched < trainer.num_timesteps
    return trainer.num_timesteps // every > matched // every


def play_opponents(folder: Path, settings: Settings, stop: Stop) -> dict[str, MatchResult]:
    """The saved policy against each opponent, the same deals every time; fewer if stopped."""
    bot = CheckpointBot(str(folder / checkpoint.CHECKPOINT))
    results = {}
    try:
        for opponent in settings.eval_opponents:
            results[opponent] = play_match(
                bot,
                opponent,
                settings.eval_games,
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
        f"{trainer.num_timesteps:,} decisions in {trainer.seconds / 60.0:.1f} minutes of training, "
        f"{trainer.num_timesteps / max(trainer.seconds, 1e-9) / 1e3:.0f}k a second",
    ]
    for opponent, found in scores.items():
        score, low, high = (100.0 * share for share in found)
        lines.append(f"against {opponent}: {score:.1f} % (95 % interval {low:.1f} to {high:.1f})")
    return [*lines, f"run folder: {folder} ({PICTURE}, {CSV}, {checkpoint.CHECKPOINT}/)"]


def check_opponents(settings: Settings) -> None:
    """Better refused now than after the first minutes."""
    spec = spec_for(settings.cards, settings.options.num_players)
    for opponent in settings.eval_opponents:
        try:
            make_bot(opponent).check(spec, settings.options)
        except ValueError as error:
            raise ConfigError(f"eval_opponents = {opponent!r}: {error}") from None
