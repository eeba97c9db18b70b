"""`hemlock-record/1` (docs/formats.md): a game from the deal on; `replay` plays it again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hemlock_env._moved import moved
from hemlock_env._version import __version__
from hemlock_env.engine import kernel
from hemlock_env.game.arrays import GameArrays, prepare
from hemlock_env.game.ids import counted, flagged
from hemlock_env.game.options import SIDES, Options
from hemlock_env.game.position import OPTION_KEYS
from hemlock_env.game.spec import GameSpec

FORMAT = "hemlock-record/1"

_READER = "hemlock_env.game.replay"
__getattr__ = moved(__name__, {name: f"{_READER}.{name}" for name in ("replay", "RecordError")})


class Recorder:
    """Plays one game question by question and gives every event, forced choices and reveals
    included.
    """

    def __init__(self, spec: GameSpec, options: Options, seed: int) -> None:
        self.arrays = GameArrays(spec, 1)
        self.ids = spec.ids
        self.night = (0, 0)
        prepare()
        options.write(self.arrays.states)
        kernel.set_up_game(self.arrays.states, spec.tables, 0, np.uint64(seed))

    @property
    def state(self) -> Any:
        """The game's record."""
        return self.arrays.states[0]

    def setup(self) -> dict[str, Any]:
        """R2: what the seed fixed before the first night."""
        state, ids, seats = self.state, self.ids, range(self.arrays.spec.num_players)
        agendas = [ids.agendas[int(state["agenda"][seat])] for seat in seats if state["agendas"]]
        return {
            "setup": {
                "sides": [SIDES[side] for side in state["side"]],
                "first_player": int(state["supremacy"]),
                "hands": [counted(ids.minions, state["hand"][seat]) for seat in seats],
                "agendas": agendas or None,
                "night_deck": [ids.nights[card] for card in state["night_deck"]],
            }
        }

    def ask(self) -> Iterator[dict[str, Any]]:
        """On to a question of two or more answers, or the end; the nights and forced choices on the
        way.
        """
        arrays = self.arrays
        while True:
            kernel.ask_next(arrays.states, arrays.spec.tables, 0, arrays.legals, arrays.counts)
            night = (int(self.state["week"]), int(self.state["night"]))
            if night != self.night:
                self.night = night
                yield self.reveal()
            if arrays.counts[0] != 1:
                return
            action = int(arrays.legals[0, 0])
            yield {**self.choice(action), "forced": True}
            kernel.answer_once(arrays.states, arrays.spec.tables, 0, action)

    def reveal(self) -> dict[str, Any]:
        """R4: the night card and the loot."""
        state, ids = self.state, self.ids
        card = ids.nights[int(state["nights"][state["n_nights"] - 1])]
        if not state["hidden_loot"]:
            return {"night": card, "loot": flagged(ids.loot, state["row"])}
        seats = range(self.arrays.spec.num_players)
        return {
            "night": card,
            "loot_hands": [flagged(ids.loot, state["loot_hand"][seat]) for seat in seats],
        }

    def choice(self, action: int) -> dict[str, Any]:
        """An action of whoever decides."""
        return {
            "seat": int(self.state["decider"]),
            "action": self.arrays.spec.actions.name(action),
        }

    def answer(self, action: int) -> dict[str, Any]:
        """A player's action."""
        event = self.choice(action)
        self.state["decisions"] += 1
        kernel.answer_once(self.arrays.states, self.arrays.spec.tables, 0, action)
        return event


def write_record(spec: GameSpec, options: Options, seed: int, actions: list[int]) -> dict[str, Any]:
    """The record of a game that was played from `seed` by `actions`."""
    recorder = Recorder(spec, options, seed)
    events = [recorder.setup(), *recorder.ask()]
    for action in actions:
        events += [recorder.answer(action), *recorder.ask()]
    games, asked = recorder.arrays, options.as_dict()
    over = not games.counts[0]
    return {
        "format": FORMAT,
        "package": __version__,
        "card_set": spec.card_set.id,
        "card_set_hash": spec.card_set.hash,
        "options": {key: asked[key] for key in OPTION_KEYS},
        "seed": seed,
        "first_player": asked["first_player"],
        "events": events,
        "scores": games.scores_of(0) if over else None,
        "winners": games.winners_of(0) if over else None,
    }
