"""A session in the terminal: the table, a prompt, commands."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

from hemlock_env.play.session import Session
from hemlock_env.render.text import render

HELP = """\
a number or a name   choose that action, such as 4 or loot:taxers_hold
board                show the table again
moves                what has happened so far
hint                 what the bot for hints would do
undo                 take your last choice back, while nothing was revealed since
save FILE            keep the game; it is a record, which `hemlock replay` reads once it is over
load FILE            go on with a game that was kept
help                 this list
quit                 leave"""
COMMANDS = ("board", "moves", "hint", "undo", "save", "load", "help", "quit")  # methods
UNSAVED = "hemlock-unfinished"


class Terminal:
    """Reads lines, writes text; `read` raises EOFError where there are no more."""

    def __init__(
        self,
        session: Session,
        read: Callable[[str], str],
        write: Callable[[str], None],
        keep: Path | None = None,
    ) -> None:
        """`keep` is a file that holds the game after every choice."""
        self.session = session
        self.read, self.write = read, write
        self.kept = keep
        self.saved = 0  # choices that are safe on the disk
        self.shown = 0  # events that were shown
        self.leaving = False

    @property
    def unsaved(self) -> bool:
        """Would leaving lose a choice?"""
        return bool(self.session.history) and self.saved != len(self.session.history)

    def run(self) -> None:
        """Until the game is over or the person leaves."""
        try:
            self.write("`help` lists the commands.")
            self.show()
            while not self.leaving and not self.session.over:
                self.line(self.read(f"seat {self.session.seat}> "))
        finally:
            self.rescue()

    def line(self, text: str) -> None:
        """One line of the person."""
        try:
            words = shlex.split(text)
        except ValueError:
            words = text.split()
        if not words:
            return
        try:
            if words[0] in COMMANDS:
                self._call(*words)
            else:
                self.choose(text.strip())
        except ValueError as error:
            self.write(f"! {error}")

    def _call(self, command: str, *arguments: str) -> None:
        takes_file = command in ("save", "load")
        if len(arguments) != takes_file:
            raise ValueError(f"write: {command}{' FILE' if takes_file else ''}")
        getattr(self, command)(*arguments)

    def choose(self, text: str) -> None:
        """An action by number or name."""
        self.session.act(int(text) if text.isdecimal() else text)
        self.keep()
        self.show()

    def show(self) -> None:
        """What is new, and the table."""
        log = self.session.log()
        for line in log[self.shown :]:
            self.write(f"- {line}")
        self.shown = len(log)
        self.board()

    def keep(self) -> None:
        """After a choice, where a file was named for it."""
        if self.kept is not None:
            self.session.save(self.kept, replace=True)
            self.saved = len(self.session.history)

    def rescue(self) -> None:
        """Whatever ends the session, no game is lost."""
        if self.leaving or not self.unsaved:
            return
        path = free_name(UNSAVED if not self.session.over else "hemlock-game")
        self.session.save(path)
        self.write(f"The game is kept in {path}.")

    # ---- commands ----

    def board(self) -> None:
        """The table as the person's seat knows it."""
        self.write(f"\n{render(self.session.game, self.session.seat)}\n")

    def moves(self) -> None:
        """Everything that has happened."""
        self.write("\n".join(self.session.log()))

    def hint(self) -> None:
        """What the bot for hints would do."""
        action, words = self.session.hint()
        self.write(f"{self.session.hints} would choose {action}: {words}")

    def undo(self) -> None:
        """Take the last choice back."""
        self.session.undo()
        self.shown = len(self.session.events)
        self.saved = -1
        self.keep()
        self.board()

    def save(self, file: str) -> None:
        """Keep the game in a file; the one it came from may be written over."""
        path = Path(file)
        replace = self.kept is not None and path.resolve() == self.kept.resolve()
        self.session.save(path, replace=replace)
        self.kept = path
        self.saved = len(self.session.history)
        self.write(f"Kept in {path}, from now on after every choice.")

    def load(self, file: str) -> None:
        """Go on with a game that was kept; the one at hand is kept first."""
        path = Path(file)
        card_set = self.session.game.card_set
        here = self.session
        session = Session.read(path, hints=here.hints, card_set=card_set, own=here.agents)
        self.rescue()
        self.session, self.kept = session, path
        self.saved, self.shown = len(session.history), 0
        self.show()

    def help(self) -> None:
        """The commands."""
        self.write(HELP)

    def quit(self) -> None:
        """Leave; the game at hand is kept."""
        self.rescue()
        self.leaving = True


def free_name(stem: str) -> Path:
    """A file in the current folder that isn't there yet."""
    numbered = (Path(f"{stem}{f'-{number}' if number else ''}.json") for number in range(10_000))
    return next(path for path in numbered if not path.exists())
