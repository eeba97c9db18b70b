"""Session: one person at the table, bots on the other seats.

What is kept of a session is its game's record with the `agents` by seat, `human` for the person, so
a saved game is a record like any other.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hemlock_env._files import read_json, write_json
from hemlock_env.agents import make_bot
from hemlock_env.agents.base import Bot, Decisions, legal_or_lowest
from hemlock_env.agents.registry import is_own_bot
from hemlock_env.cards import CardSet
from hemlock_env.engine.events import EVENT_PLAY
from hemlock_env.game.game import Game
from hemlock_env.game.keys import mix_keys
from hemlock_env.game.options import check_seat
from hemlock_env.game.replay import RecordError, replay
from hemlock_env.render.words import action_words, event_words, is_choice

HUMAN = "human"


class Session:
    """A game with a person at `seat`; it always stands where the person decides, or is over.

    The choice of a bot depends on the seed and the decision alone, so a game that is saved and
    loaded goes on as it would have.
    """

    def __init__(self, game: Game, agents: Sequence[str], hints: str = "greedy") -> None:
        """A session from a game at any decision; call `advance` next.

        Args:
            game: one that has a record.
            agents: a bot spec for each seat, `human` for one of them.
            hints: the bot that advises.

        Raises:
            ValueError: there is no such bot, or it can't play such games.
        """
        if len(agents) != game.num_players or list(agents).count(HUMAN) != 1:
            raise ValueError(
                f"agents {list(agents)}: must be one for each of {game.num_players} seats, "
                f"one of them {HUMAN!r}"
            )
        self.game = game
        self.agents = list(agents)
        self.seat = self.agents.index(HUMAN)
        record = game.record()
        self.events: list[dict[str, Any]] = record["events"]
        self.history: list[tuple[Game, int]] = []  # before each own choice; where its event stands
        self._seed = np.uint64(record["seed"])
        if hints.startswith("cheat-"):
            raise ValueError(f"hints {hints!r}: must come from a bot that sees no hidden cards")
        self._bots: dict[str, Bot] = {}
        for spec in ({*self.agents} - {HUMAN}) | {hints}:  # nobody is at hand to give hints
            self._bots[spec] = make_bot(spec)
            self._bots[spec].check(game.spec, game.checked_options)
            self._bots[spec].prepare()
        self.hints = hints

    @classmethod
    def new(
        cls,
        opponents: Sequence[str],
        seat: int = 0,
        hints: str = "greedy",
        **options: Any,
    ) -> Session:
        """A new game, at the person's first decision.

        Args:
            opponents: one bot for all other seats, or one for each, in the order of the seats.
            seat: the person's.
            hints: the bot that advises.
            options: those of `Game`.

        Raises:
            ValueError: the options or the bots can't be.
        """
        game = Game(**options)
        check_seat(seat, game.num_players)
        others = game.num_players - 1
        if len(opponents) not in (1, others):
            raise ValueError(f"{len(opponents)} opponents: must be one for all, or {others}")
        agents = list(opponents) if len(opponents) == others else [*opponents] * others
        agents.insert(seat, HUMAN)
        session = cls(game, agents, hints)
        session.advance()
        return session

    @classmethod
    def load(
        cls,
        record: dict[str, Any],
        *,
        hints: str = "greedy",
        card_set: CardSet | str | os.PathLike[str] | None = None,
        own: Collection[str] = (),
    ) -> Session:
        """A game that was saved, with its choices so far.

        Args:
            record: from anyone: nothing that it names is imported or called.
            hints: the bot that advises.
            card_set: where the record's card set is, if its id alone doesn't find it.
            own: bots of the person's own, MODULE:OBJECT, that the record may name all the same.

        Raises:
            ValueError: it isn't the record of such a game.
        """
        games = list(replay(record, card_set=card_set))
        agents = record.get("agents")
        if not isinstance(agents, list) or not all(isinstance(agent, str) for agent in agents):
            raise RecordError(
                f"agents: a game to go on with names them by seat, one of them {HUMAN!r}"
            )
        for agent in agents:
            if is_own_bot(agent) and agent not in own:
                raise RecordError(
                    f"agents: {agent!r} is somebody's own bot, and nothing that a record names is "
                    "imported: name it yourself beside the record if you trust it"
                )
        session = cls(games[-1], agents, hints)
        chosen = [index for index, event in enumerate(session.events) if is_choice(event)]
        session.history = [
            (game, index)
            for game, index in zip(games[:-1], chosen, strict=True)
            if game.seat == session.seat
        ]
        session.advance()
        return session

    @classmethod
    def read(cls, path: Path, **options: Any) -> Session:
        """A game that was saved in a file, with the options of `load`.

        Raises:
            ValueError: the file can't be read, or isn't the record of such a game.
        """
        return cls.load(read_json(path, "a record in JSON"), **options)

    def save(self, path: Path, *, replace: bool = False) -> None:
        """Write the record into a file, whole or not at all.

        Raises:
            ValueError: the file is there already and may not be replaced, or can't be written.
        """
        if path.exists() and not replace:
            raise ValueError(f"{path}: is there already; name another file")
        try:
            write_json(path, self.record(), indent=None)
        except OSError as error:
            raise ValueError(f"{path}: can't be written: {error.strerror}") from None

    @property
    def over(self) -> bool:
        """Has the game ended?"""
        return self.game.over

    def record(self) -> dict[str, Any]:
        """The record so far, with the agents. It tells what is hidden, the seed above all."""
        return {**self.game.record(), "agents": self.agents}

    @property
    def step(self) -> int:
        """How much has happened: counts what all see, so forced choices like any others."""
        return len(self.events)

    def log(self) -> list[str]:
        """What has happened, in words: only what the person may know."""
        seen = map(self._seen, self.events)
        return list(event_words(self.game.card_set, seen, self.game.num_players))

    def _seen(self, event: dict[str, Any]) -> dict[str, Any]:
        """An event as the person sees it: that a rival had no choice would tell of its hand."""
        if self.over or event.get("seat") == self.seat:
            return event
        return {key: value for key, value in event.items() if key != "forced"}

    def act(self, action: int | str) -> None:
        """The person's choice, then the bots' until the person decides again.

        Raises:
            ValueError: the action is illegal; nothing has changed.
        """
        before = self.game.copy()
        self.game.step(action)
        self.history.append((before, len(self.events)))
        self.advance()

    def advance(self) -> None:
        """The bots play until the person decides or the game is over."""
        try:
            while self.game.seat not in (None, self.seat):
                self.game.step(self._bots_choice(self.agents[self.game.seat or 0]))
        finally:
            self.events = self.game.record()["events"]

    def _bots_choice(self, spec: str) -> int:
        """What a bot does here; the lowest legal action in place of an illegal one."""
        keys = mix_keys(mix_keys(self._seed, EVENT_PLAY), [self.game.decisions])
        actions, _ = legal_or_lowest(self._bots[spec], Decisions.of(self.game, keys))
        return int(actions[0])

    @property
    def may_undo(self) -> bool:
        """Has nothing been revealed, and no rival acted, since the last own choice?"""
        if not self.history or self.over:
            return False
        _, index = self.history[-1]
        return all(event.get("seat") == self.seat for event in self.events[index:])

    def undo(self) -> None:
        """Take the last own choice back.

        Raises:
            ValueError: something was revealed since, or there is none; nothing has changed.
        """
        if not self.may_undo:
            why = "the game is over" if self.over else "something was revealed, or a rival acted"
            raise ValueError(f"no undo: {why if self.history else 'nothing was chosen yet'}")
        self.game, index = self.history.pop()
        self.events = self.events[:index]

    def hint(self) -> tuple[int, str]:
        """What the bot for hints would do: index and words.

        Raises:
            ValueError: the game is over.
        """
        if self.over:
            raise ValueError("no hint: the game is over")
        action = self._bots_choice(self.hints)
        name = self.game.action_name(action)
        return action, action_words(name, self.seat, self.game.num_players)
