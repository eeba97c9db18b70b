"""The pages of `docs/` that are made from the code of a clone.

`python -m tests.support.reference docs` writes them.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from hemlock_env.cards import CardSet, load_card_set
from hemlock_env.cards.card_set import Agenda, District, Printed, Side
from hemlock_env.cards.vocabulary import FIRST_LEADER, GENERICS, LEADER_VALUE
from hemlock_env.cards.wording import condition_words, effect_words, name_words
from hemlock_env.engine.fields import FIELDS, GROUP_DTYPES, GROUPS, Field, offset_of
from hemlock_env.game.actions import ActionTable
from hemlock_env.game.options import DEFAULT_CARD_SET
from hemlock_env.game.tensor import TensorLayout
from tests.support.environment_page import environment_page, table

CLAUSES = "tests/rules/clauses.toml"
GROUP_WORDS = {
    "game": "Once",
    "seat": "For each seat, clockwise from the seat that looks: itself first",
    "loot": "For each loot card of the set",
    "agenda": "For each agenda card of the set",
}
SOURCE_WORDS = {"text": "the rule text", "reconstructed": "ours", None: "not said"}
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
    layouts = {players: TensorLayout(card_set, players) for players in (2, 3, 4)}
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
        "`layout` is `game.spec.layout` or `batch.spec.layout`.",
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
        "Made by `make docs` from `hemlock_env/game/actions.py`; don't edit.",
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


def card_set_page(card_set: CardSet) -> str:
    """`docs/cardset.md`."""
    nights = [
        [_code(night.id), name_words(card_set.districts[night.district].id), night.value]
        for night in card_set.nights
    ]
    loot = [
        [
            _code(card.id),
            name_words(card_set.minions[card.minion]),
            effect_words(card_set, card.ability),
        ]
        for card in card_set.loot
    ]
    items = [[_code(item.id), effect_words(card_set, item.effect)] for item in card_set.items]
    sections = [
        "# The cards",
        f"Made by `make docs` from the card set `{card_set.id}`; don't edit.",
        f"*{card_set.name}*, revision {card_set.revision}, hash `{card_set.hash}`. What the file\n"
        "means, and how to put in other cards: [cards.md](cards.md). *From* says where a card\n"
        "comes from: the rule text; *ours* is [reconstructed](rulings.md#what-is-reconstructed)\n"
        "to agree with that text.",
        "## Minions",
        table(["kind", "role", "counts", "at home in", "2 players", "3", "4"], _minions(card_set)),
        "## Districts\n\nOf each district one side lies on the table. `#` is an influence space.",
        *(_district(card_set, district) for district in card_set.districts),
        "## Night cards",
        _cards(["night", "district", "markers"], nights, card_set.nights),
        "## Loot",
        _cards(["loot", "its minion", "its ability"], loot, card_set.loot),
        "## Items",
        _cards(["item", "used"], items, card_set.items),
        table(["item", "2 players", "3", "4"], _copies(card_set)),
        "## Agendas\n\nOnly in games with the option `agendas`; each player is dealt one card.",
        _cards(
            ["agenda", "first half", "second half"],
            [_agenda(card_set, agenda) for agenda in card_set.agendas],
            card_set.agendas,
        ),
    ]
    return "\n\n".join(sections) + "\n"


def clause_page(root: Path) -> str:
    """`docs/clauses.md`, from the clauses and the sources of the clone at `root`."""
    clauses = tomllib.loads((root / CLAUSES).read_text(encoding="utf-8"))["clause"]
    cited = _citations(root)
    rows = [
        [
            f'<span id="{_anchor(clause["id"])}">{clause["id"]}</span>',
            clause["text"],
            clause["status"],
            ", ".join(cited.get(clause["id"], ())) or "-",
        ]
        for clause in clauses
    ]
    sections = [
        "# The clauses",
        f"Made by `make docs` from `{CLAUSES}`; don't edit.",
        "What the code and the tests call R7.6, in our own words; [rules.md](rules.md) tells\n"
        "the game from the beginning.\n\n"
        "*done*: the rule text says it; *ruling*: it leaves room, and [rulings.md](rulings.md)\n"
        "says how we read it; *reconstructed*: the cards or numbers are ours.\n"
        "Every clause has a test; `pytest --rule R7.6` runs those of one.",
        table(["clause", "what it says", "status", "in the code"], rows),
    ]
    return "\n\n".join(sections) + "\n"


def _anchor(clause: str) -> str:
    return clause.lower().replace(".", "-")


def _citations(root: Path) -> dict[str, list[str]]:
    """Where cards and engine name each clause: `file: function` by clause."""
    cited: dict[str, list[str]] = {}
    rooms = ("cards", "engine")
    files = [file for room in rooms for file in sorted(root.glob(f"hemlock_env/{room}/*.py"))]
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                for clause in _clauses_in(ast.get_docstring(node) or ""):
                    cited.setdefault(clause, []).append(f"`{file.stem}.{node.name}`")
    return cited


def _clauses_in(text: str) -> list[str]:
    """The clauses that a text names; "R9.1 to R9.3" names three."""
    found = []
    for chapter, first, last in re.findall(r"R(\d+)\.(\d+)(?: to R\d+\.(\d+))?", text):
        found += [f"R{chapter}.{n}" for n in range(int(first), int(last or first) + 1)]
    return list(dict.fromkeys(found))


def _cards(head: Sequence[str], rows: Iterable[Sequence[object]], cards: Iterable[Printed]) -> str:
    """A table of cards, where they come from as last column."""
    sources = (SOURCE_WORDS[card.source] for card in cards)
    return table(
        [*head, "from"], [[*row, source] for row, source in zip(rows, sources, strict=True)]
    )


def _code(name: str) -> str:
    return f"`{name}`"


def _minions(card_set: CardSet) -> Iterator[list[object]]:
    """R1.1, R6: a row for each kind."""
    for kind, name in enumerate(card_set.minions):
        home = card_set.lairs[kind]
        if kind < GENERICS:
            role, counts = "generic", "1, at home 2"
        elif kind >= FIRST_LEADER:
            role, counts = "leader", str(LEADER_VALUE)
        elif kind == GENERICS:
            role, counts = "at home everywhere", "2"
        else:
            role, counts = "triggers every scheme", "1"
        where = name_words(card_set.districts[home].id) if home >= 0 else "-"
        copies = [players * card_set.minion_copies[kind] for players in (2, 3, 4)]
        yield [_code(name), role, counts, where, *copies]


def _copies(card_set: CardSet) -> Iterator[list[object]]:
    """R1.5: how many of each item."""
    for item, copies in zip(card_set.items, card_set.item_copies, strict=True):
        yield [_code(item.id), *(players * copies for players in (2, 3, 4))]


def _district(card_set: CardSet, district: District) -> str:
    """R1.2: both sides of a district."""
    sides = {"basic": district.basic, "advanced": district.advanced}
    number = card_set.districts.index(district)
    home = [
        name_words(name)
        for name, lair in zip(card_set.minions, card_set.lairs, strict=True)
        if lair == number
    ]
    rows = [[name, *_side(card_set, side)] for name, side in sides.items()]
    table = _cards(["side", "spaces", "scheme", "triggered by"], rows, sides.values())
    return f"### {name_words(district.id).capitalize()}\n\nLair of: {', '.join(home)}.\n\n{table}"


def _side(card_set: CardSet, side: Side) -> list[str]:
    """Spaces, scheme and symbols."""
    rows = "<br>".join(_code(row) for row in side.spaces)
    spaces = "".join(side.spaces).count("#")
    symbols = ", ".join(name_words(card_set.minions[kind]) for kind in side.symbols)
    return [f"{rows}<br>{spaces} spaces", effect_words(card_set, side.scheme), symbols or "-"]


def _agenda(card_set: CardSet, agenda: Agenda) -> list[str]:
    """R12.5: its halves."""
    return [_code(agenda.id), *(condition_words(card_set, each) for each in agenda.conditions)]


def pages(root: Path) -> dict[str, str]:
    """Every generated page of a clone by its file name."""
    card_set = load_card_set(DEFAULT_CARD_SET)
    return {
        "environment.md": environment_page(card_set, KINDS),
        "observation.md": observation_page(card_set),
        "actions.md": action_page(card_set),
        "cardset.md": card_set_page(card_set),
        "clauses.md": clause_page(root),
    }


def main(folder: str) -> None:
    """Write the pages into the docs folder of a clone."""
    for name, text in pages(Path(folder).resolve().parent).items():
        Path(folder, name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
