"""The pages of `docs/` that are made from the code: `python -m hemlock_env.reference docs` writes
them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from hemlock_env.actions import ActionTable
from hemlock_env.cards import CardSet, load_card_set
from hemlock_env.encoding import Layout
from hemlock_env.engine.fields import FIELDS, GROUP_DTYPES, GROUPS, Field, offset_of
from hemlock_env.options import DEFAULT_CARD_SET

GROUP_WORDS = {
    "game": "Once",
    "seat": "For each seat, clockwise from the seat that looks: itself first",
    "loot": "For each loot card of the set",
    "agenda": "For each agenda card of the set",
}
KINDS = {
    "loot": "use a loot card",
    "item": "use an item",
    "district": "where the gained, or the moved, minion goes",
    "space": "where a marker goes",
    "take": "gain a minion from the supply to hand",
    "play": "place a minion from hand, or a leader from the supply",
    "own": "pick one of the own minions on the board",
    "seat": "pick a rival, so many seats clockwise",
    "rival": "pick a minion of that rival",
    "discard": "discard a minion of the own hand",
}


def observation_page(card_set: CardSet) -> str:
    """`docs/observation.md`."""
    layouts = {players: Layout(card_set, players) for players in (2, 3, 4)}
    sizes = ", ".join(f"{layout.features} for {n} players" for n, layout in layouts.items())
    lines = [
        "# The observation tensor",
        "",
        "Made by `make docs` from `hemlock_env/engine/fields.py`; don't edit.",
        "",
        f"int8, {sizes} (with the default card set).",
        "Every entry runs from 0 to its bound; a network sees entry / scale (`layout.scaled`).",
        "`layout.part(observation, name)` gives a field in its own shape,",
        "`layout.words(observation)` a tensor in words, `layout.names()` a name for every entry;",
        "`layout` is `game.table.layout` or `batch.table.layout`.",
        "",
        "It is computed from what the seat may see and nothing else (R13). With two players and no",
        "variant nothing but the coming shuffles is hidden.",
    ]
    for group, blocks in GROUPS.items():
        size = GROUP_DTYPES[group].itemsize
        lines += [
            "",
            f"## {GROUP_WORDS[group]}",
            "",
            f"{size} entries" + ("." if blocks == 1 else f" a block, at most {blocks} blocks."),
            "",
            "| at | field | shape | 0 to | scale | seen by | meaning |",
            "|--:|---|---|---|--:|---|---|",
            *(_field_row(field) for field in FIELDS if field.group == group),
        ]
    lines += ["", "## Axes", "", "| axis | names |", "|---|---|"]
    axes = dict.fromkeys(axis for field in FIELDS for axis in field.axes)
    lines += [f"| {axis} | {', '.join(layouts[2].axis_names(axis))} |" for axis in axes]
    return "\n".join(lines) + "\n"


def _field_row(field: Field) -> str:
    at = offset_of(field)
    shape = " by ".join(field.axes) or "-"
    return (
        f"| {at} | `{field.name}` | {shape} | {field.high} | {field.scale:g} | {field.who} "
        f"| {field.meaning} |"
    )


def action_page(card_set: CardSet) -> str:
    """`docs/actions.md`."""
    names = ActionTable(card_set).names
    lines = [
        "# The actions",
        "",
        "Made by `make docs` from `hemlock_env/actions.py`; don't edit.",
        "",
        f"{len(names)} actions with the default card set. An index means the same in every game,",
        "variant and number of players; `game.action_name(index)` and `game.action_index(name)`",
        "translate.",
    ]
    for kind, use in KINDS.items():
        lines += ["", f"## `{kind}:` {use}", "", "| index | name |", "|--:|---|"]
        lines += [
            f"| {index} | `{name}` |"
            for index, name in enumerate(names)
            if name.startswith(f"{kind}:")
        ]
    return "\n".join(lines) + "\n"


def pages() -> dict[str, str]:
    """Every generated page by its file name."""
    card_set = load_card_set(DEFAULT_CARD_SET)
    return {"observation.md": observation_page(card_set), "actions.md": action_page(card_set)}


def main(folder: str) -> None:
    """Write the pages."""
    for name, text in pages().items():
        Path(folder, name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
