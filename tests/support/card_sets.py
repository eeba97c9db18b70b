"""Card sets for tests: the shipped one as a plain dict, quite another one, and a TOML writer."""

import json
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

CardDict = dict[str, Any]


def default_dict() -> CardDict:
    """The shipped card set as tomllib reads it; a new dict at each call, free to change."""
    folder = resources.files("hemlock_env.cards") / "sets"
    return tomllib.loads((folder / "vault_of_darkness.toml").read_text(encoding="utf-8"))


def write_set(path: Path, data: CardDict) -> Path:
    """Writes a card set as TOML and gives the path back."""
    lines = [f"{toml_key(key)} = {toml_value(value)}\n" for key, value in data.items()]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def toml_value(value: object) -> str:
    """A value in one line; tables become inline tables."""
    if isinstance(value, dict):
        entries = [f"{toml_key(key)} = {toml_value(entry)}" for key, entry in value.items()]
        return "{ " + ", ".join(entries) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(toml_value(entry) for entry in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def toml_key(key: str) -> str:
    """A key in quotes; TOML takes any key so."""
    return json.dumps(key, ensure_ascii=False)


def harbour_dict() -> CardDict:
    """A card set with nothing of the default one: other names, numbers, grids, words in use."""
    return {
        "id": "harbour",
        "name": "A harbour at night",
        "copies": {
            **{"sailor": 3, "smith": 4, "oracle": 5, "baker": 2, "mime": 1, "porter": 4},
            **{"queen": 1, "king": 1, "abbot": 2, "judge": 0, "rope": 2, "bell": 4, "map": 3},
        },
        "lairs": {
            **{"sailor": "quay", "smith": "quay", "oracle": "tower", "baker": "mill"},
            **{"queen": "garden", "king": "quay", "abbot": "tower", "judge": "mill"},
        },
        "district": [
            district("quay", ["sailor", "porter"], [], ["#"]),
            district("mill", [], [{"op": "move_minion"}, {"op": "place_leader"}], [".#.", "##"]),
            district("tower", ["oracle", "smith", "baker"], [{"op": "rivals_discard"}], ["..."]),
            district("garden", ["baker"], [{"op": "gain_minion", "minion": "queen"}], ["###"] * 3),
        ],
        "night": [
            {"id": f"night_{number}", "district": name, "value": number}
            for number, name in enumerate(["quay", "mill", "tower"] * 2 + ["quay"] * 2)
        ],
        "loot": harbour_loot(),
        "item": [
            {"id": "rope", "effect": [{"op": "play_minion", "where": "any"}]},
            {"id": "bell", "effect": []},
            {"id": "map", "effect": [{"op": "return_minion"}, {"op": "gain_generic"}]},
        ],
        "agenda": [
            agenda("owner", {"test": "most_markers", "district": "garden"}, "markers_everywhere"),
            agenda("crowd", {"test": "group", "at_least": 3}, "hand"),
            agenda("guest", {"test": "items", "at_least": 1}, "items"),
        ],
    }


def harbour_loot() -> list[CardDict]:
    """Twelve loot cards: enough for any table."""
    here = {"where": "here"}
    abilities = [
        [{"op": "place_marker", **here}] * 6,
        [{"op": "play_minion", **here}, {"op": "discard_rival", **here}],
        [{"op": "gain_item", "item": "bell"}, {"op": "gain_support"}],
        [],
        [{"op": "gain_leader"}, {"op": "discard_rival", "where": "any"}],
        [{"op": "gain_generic"}, {"op": "place_marker", "where": "any"}],
    ]
    minions = ["sailor", "smith", "oracle", "baker", "mime", "porter"]
    return [
        {"id": f"chest_{number}", "minion": minions[number % 6], "ability": abilities[number // 2]}
        for number in range(12)
    ]


def district(name: str, symbols: list[str], scheme: list[CardDict], spaces: list[str]) -> CardDict:
    """A district card; its advanced side has the same scheme on a full grid, for porters."""
    basic = {"symbols": symbols, "scheme": scheme, "spaces": spaces}
    advanced = {"symbols": ["porter"], "scheme": scheme, "spaces": ["###", "###", "###"]}
    return {"id": name, "basic": basic, "advanced": advanced}


def agenda(name: str, first: CardDict, second: str) -> CardDict:
    """An agenda card: one condition as given, one that asks for two of something."""
    conditions = [{**first, "points": 1}, {"test": second, "at_least": 2, "points": 3}]
    return {"id": name, "conditions": conditions}
