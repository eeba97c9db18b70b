"""`hemlock-position/1`: a whole game between two decisions as plain JSON (docs/formats.md,
Positions); `position_reader` reads it back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hemlock_env._moved import moved
from hemlock_env.cards.vocabulary import CELLS, GRID
from hemlock_env.engine.checks import loot_faults, phase_of
from hemlock_env.engine.constants import EMPTY, NO_SPACE, NOBODY, NOTHING, OWNED, Decision, Phase
from hemlock_env.engine.state import STATE
from hemlock_env.game.arrays import GameArrays
from hemlock_env.game.ids import Ids, counted, flagged
from hemlock_env.game.options import PLAYED, SIDES, played_options

FORMAT = "hemlock-position/1"

_READER = "hemlock_env.game.position_reader"
__getattr__ = moved(__name__, {"PositionError": f"{_READER}.PositionError"})
PHASES = tuple(phase.name.lower() for phase in Phase)
DECISIONS = tuple(decision.name.lower() for decision in Decision)
SIDE_WORDS = SIDES[:2]
OPTION_KEYS = PLAYED


def write_position(games: GameArrays, game: int = 0) -> dict[str, Any]:
    """The position of one of some games, hidden parts included."""
    record, ids = games.states[game], games.spec.ids
    state = games.states.view(STATE, np.ndarray)[game]  # its fields are read quicker
    phase, seats = phase_of(record), range(games.spec.num_players)
    over, pending = phase == Phase.OVER, _write_pending(state, ids)
    position = {
        "format": FORMAT,
        "card_set": games.spec.card_set.id,
        "card_set_hash": games.spec.card_set.hash,
        "options": played_options(state),
        "week": int(state["week"]),
        "night": int(state["night"]),
        "phase": PHASES[phase],
        "turn": int(state["turn"]),
        "supremacy": int(state["supremacy"]),
        "supply": {
            "minions": counted(ids.minions, state["supply"]),
            "items": counted(ids.items, state["item_supply"]),
        },
        "discard": counted(ids.minions, state["discard"]),
        "players": [_write_player(state, ids, seat) for seat in seats],
        "districts": {
            name: _write_district(state, ids, district, seats)
            for district, name in enumerate(ids.districts)
        },
        "nights": [ids.nights[card] for card in state["nights"][: state["n_nights"]]],
        "night_deck": [ids.nights[card] for card in state["night_deck"][: state["n_deck"]]],
        "loot_row": flagged(ids.loot, state["row"]),
        "loot_used": flagged(ids.loot, state["used"]),
        "decision": None if over else _write_decision(games, game),
        "scores": games.scores_of(game) if over else None,
        "winners": games.winners_of(game) if over else None,
        "pending": pending,
        "rng": {"seed": int(state["seed"])},
    }
    if any(
        fault.at == ("used",) for fault in loot_faults(record, used_is_known=True)
    ):  # read from a position that left some out
        pending["loot_used"] = position.pop("loot_used")
    return position


def _write_player(state: Any, ids: Ids, seat: int) -> dict[str, Any]:
    agenda = int(state["agenda"][seat])
    return {
        "hand": counted(ids.minions, state["hand"][seat]),
        "known": counted(ids.minions, state["known"][seat]),
        "items": counted(ids.items, state["items"][seat]),
        "spent": counted(ids.items, state["spent"][seat]),
        "markers": int(state["stock"][seat]),
        "support": int(state["support"][seat]),
        "agenda": None if agenda == NOTHING else ids.agendas[agenda],
        "loot_hand": flagged(ids.loot, state["loot_hand"][seat]),
    }


def _write_district(state: Any, ids: Ids, district: int, seats: range) -> dict[str, Any]:
    return {
        "minions": [counted(ids.minions, state["minions"][district, seat]) for seat in seats],
        "spaces": _write_spaces(state["spaces"][district]),
    }


def _write_spaces(cells: Any) -> list[str]:
    """Three rows of three: `.` empty, a digit for the owner's seat, a blank for no space."""
    signs = {NO_SPACE: " ", EMPTY: "."}
    line = "".join(signs.get(cell) or str(cell - OWNED) for cell in cells.tolist())
    return [line[start : start + GRID] for start in range(0, CELLS, GRID)]


def _write_decision(games: GameArrays, game: int) -> dict[str, Any]:
    return {
        "seat": int(games.seats[game]),
        "kind": DECISIONS[games.states[game]["decision"]],
        "legal": games.legal_names(game),
    }


def _write_pending(state: Any, ids: Ids) -> dict[str, Any]:
    """Effects in progress, the claim in progress, and how many decisions there were."""
    return {
        "effects": [
            {
                "source": ids.source(int(frame["source"])),
                "row": int(frame["row"]),
                "here": _name_or_null(ids.districts, frame["here"]),
                "triggers": bool(frame["triggers"]),
                "rival": None if frame["rival"] == NOBODY else int(frame["rival"]),
                "from": _name_or_null(ids.districts, frame["district"]),
                "minion": _name_or_null(ids.minions, frame["minion"]),
                "progress": int(frame["progress"]),
            }
            for frame in state["frames"][: state["depth"]]
        ],
        "claim": {"at": int(state["claim_at"]), "left": int(state["markers_left"])},
        "decisions": int(state["decisions"]),
    }


def _name_or_null(ids: tuple[str, ...], number: Any) -> str | None:
    return None if number < 0 else ids[int(number)]
