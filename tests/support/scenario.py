"""Positions in a few words: `scenario` builds a game, the rest reads it in its words."""

import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from hemlock_env import Game
from tests.support.card_sets import CardDict, default_dict

MARKERS = 12
WEEK = 4  # nights
LOOT_HAND = 3

# No empty space (basic sides): a marker that is due there becomes a support marker (R9.4).
FULL = {
    "spires": "010/101",
    "boneyard": "010/1 0/101",
    "alley_maze": "010/1 0/101",
    "courtyard": "010/101",
}

Cards = str | dict[str, int]  # "ghoul ghoul masque" or {"ghoul": 2, "masque": 1}


def scenario(
    players: int = 2,
    *,
    sides: str | list[str] = "basic",
    week: int = 1,
    night: int = 1,
    phase: str = "special",
    turn: int = 0,
    supremacy: int = 0,
    hands: Iterable[Cards] = (),
    known: Iterable[Cards] = (),
    board: dict[str, list[Cards]] | None = None,
    spaces: dict[str, str] | None = None,
    items: Iterable[Cards] = (),
    spent: Iterable[Cards] = (),
    support: Iterable[int] = (),
    supply: dict[str, int] | None = None,
    discard: Cards = "",
    nights: Iterable[str] = (),
    deck: Iterable[str] = (),
    row: Iterable[str] = (),
    used: Iterable[str] | None = None,
    loot_hands: Iterable[Iterable[str]] | None = None,
    items_as_loot: bool = False,
    agendas: Iterable[str] | None = None,
    card_set: Path | None = None,
    seed: int = 0,
) -> Game:
    """A game in which someone uses loot (`phase="loot"`), takes a special action, or that is over.

    What is not given is empty or follows from the rest: the supply has all other copies, the
    stock all other markers. Lists by seat may be short, the last seats then have nothing.

    Args:
        spaces: a district's rows with slashes between: `"0.1/.. "`; what is missing is no space.
        supply: how many of a kind the supply still has; the other copies lie discarded.
        nights: filled up as far as needed, first with cards of districts that it does not show.
        deck, row: filled up in the card set's order.
        loot_hands: makes it a game with hidden loot; filled up as well.
        agendas: makes it a game with agendas, by seat.
    """
    cards = default_dict() if card_set is None else tomllib.loads(card_set.read_text("utf-8"))
    side_words = [sides] * 4 if isinstance(sides, str) else sides
    revealed, to_come = _nights(cards, phase, week, night, [*nights], [*deck])
    loot_turns = turn if phase == "loot" else 2 * players
    position: dict[str, Any] = {
        "format": "hemlock-position/1",
        "card_set": cards["id"],
        "options": {
            "num_players": players,
            "sides": side_words,
            "loot": "row" if loot_hands is None else "hand",
            "items_as_loot": items_as_loot,
            "agendas": agendas is not None,
        },
        "week": week,
        "night": night,
        "phase": phase,
        "turn": turn,
        "supremacy": supremacy,
        "players": [
            {"hand": hand, "known": sure, "items": up, "spent": down, "support": markers}
            for hand, sure, up, down, markers in zip(
                _by_seat(hands, players),
                _by_seat(known, players),
                _by_seat(items, players),
                _by_seat(spent, players),
                _filled([*support], players, 0),
                strict=True,
            )
        ],
        "districts": _districts(cards, side_words, players, board or {}, spaces or {}),
        "nights": revealed,
        "night_deck": to_come,
        "loot_row": [],
    }
    if used is not None:
        position["loot_used"] = [*used]
    if loot_hands is not None:
        _deal_loot(position, cards, [[*hand] for hand in loot_hands], loot_turns)
    elif phase == "loot":
        position["loot_row"] = _row(cards, [*row], [*(used or [])], 2 * players + 1 - loot_turns)
    for player, agenda in zip(position["players"], agendas or [], strict=False):
        player["agenda"] = agenda
    _count_stocks(position)
    _count_supply(position, cards, supply or {}, _counts(discard))
    kind = {"loot": "use_loot", "special": "special_action"}.get(phase)
    position["decision"] = kind and {"seat": (supremacy + turn) % players, "kind": kind}
    return Game.from_position(position, seed=seed, card_set=card_set)


def week_end(
    *, players: int = 2, week: int = 1, first: int = 0, last: str = "take:servant", **rest: Any
) -> Game:
    """A game that has just come to the week's end: R9 begins with the seat `first`.

    The last special action of the week, `last`, is behind it.
    """
    supremacy = (first - 1) % players  # it passes on as R9 begins
    game = scenario(players, week=week, night=WEEK, turn=players - 1, supremacy=supremacy, **rest)
    return play(game, last)


def claimed(district: str, *sides: Cards, value: int = 1) -> list[int]:
    """What each side's minions get for a night card of that value, counted in support markers.

    The district is full, so that every marker that is due becomes a support marker (R9.4).
    """
    game = week_end(
        players=len(sides),
        board={district: [*sides]},
        spaces={district: FULL[district]},
        nights=[f"{district}_{value}"],
    )
    return supports(game)


def play(game: Game, *actions: str) -> Game:
    """The same game, some actions on."""
    for action in actions:
        game.step(action)
    return game


def finish(game: Game) -> Game:
    """The same game at its end; everyone took the first legal action at every decision."""
    while not game.over:
        game.step(game.legal_actions()[0])
    return game


def play_at_random(game: Game, decisions: int, seed: int = 0) -> Game:
    """The same game after so many random decisions, or at its end."""
    choose = Random(seed)
    while not game.over and decisions > 0:
        game.step(choose.choice(game.legal_actions()))
        decisions -= 1
    return game


# ---- reading a game ----


def legal(game: Game) -> list[str]:
    """What whoever decides may do, by name."""
    return [game.action_name(action) for action in game.legal_actions()]


def asked(game: Game) -> tuple[int, str]:
    """Who decides what."""
    decision = game.to_position()["decision"]
    return decision["seat"], decision["kind"]


def course(game: Game) -> tuple[int, int, str]:
    """Week, night and phase."""
    position = game.to_position()
    return position["week"], position["night"], position["phase"]


def hand(game: Game, seat: int) -> dict[str, int]:
    """The minions in a hand."""
    return game.to_position()["players"][seat]["hand"]


def known(game: Game, seat: int) -> dict[str, int]:
    """What everyone knows of a hand (R13.4)."""
    return game.to_position()["players"][seat]["known"]


def items(game: Game, seat: int) -> dict[str, int]:
    """The items of a seat that lie face up."""
    return game.to_position()["players"][seat]["items"]


def spent(game: Game, seat: int) -> dict[str, int]:
    """The items of a seat that lie face down."""
    return game.to_position()["players"][seat]["spent"]


def stock(game: Game, seat: int) -> int:
    """The markers that a seat has not placed."""
    return game.to_position()["players"][seat]["markers"]


def supports(game: Game) -> list[int]:
    """The support markers by seat."""
    return [player["support"] for player in game.to_position()["players"]]


def side(game: Game, district: str, seat: int) -> dict[str, int]:
    """The minions on a seat's side of a district."""
    return game.to_position()["districts"][district]["minions"][seat]


def spaces(game: Game, district: str) -> str:
    """The influence spaces of a district, as `scenario` takes them: `"0.1/..."`."""
    rows = [row.rstrip() for row in game.to_position()["districts"][district]["spaces"]]
    return "/".join(rows).rstrip("/")


def supply(game: Game) -> Counter[str]:
    """Minions and items in the supply; what is exhausted counts 0."""
    given = game.to_position()["supply"]
    return Counter({**given["minions"], **given["items"]})


def discarded(game: Game) -> dict[str, int]:
    """The discarded minions."""
    return game.to_position()["discard"]


def row(game: Game) -> list[str]:
    """The loot row."""
    return game.to_position()["loot_row"]


def loot_hand(game: Game, seat: int) -> list[str]:
    """The loot cards in a hand (R11.1)."""
    return game.to_position()["players"][seat]["loot_hand"]


# ---- filling in ----


def _counts(cards: Cards) -> dict[str, int]:
    return dict(Counter(cards.split())) if isinstance(cards, str) else cards


def _filled(given: list[Any], length: int, filler: Any) -> list[Any]:
    return given + [filler] * (length - len(given))


def _by_seat(given: Iterable[Cards], players: int) -> list[dict[str, int]]:
    return [_counts(cards) for cards in _filled([*given], players, "")]


def _completed(given: list[str], ids: list[str], length: int) -> list[str]:
    """The cards given and, as far as one is missing, the first others of `ids`."""
    return (given + [name for name in ids if name not in given])[: max(length, len(given))]


def _nights(
    cards: CardDict, phase: str, week: int, night: int, given: list[str], deck: list[str]
) -> tuple[list[str], list[str]]:
    """The nights revealed and those to come."""
    places = {card["id"]: card["district"] for card in cards["night"]}
    revealed = [*given]
    while len(revealed) < night and phase != "over":
        left = [name for name in places if name not in revealed and name not in deck]
        shown = {places[name] for name in revealed}
        revealed.append(next((name for name in left if places[name] not in shown), left[0]))
    others = [name for name in places if name not in revealed]
    return revealed, _completed(deck, others, len(places) - WEEK * (week - 1) - night)


def _row(cards: CardDict, given: list[str], used: list[str], length: int) -> list[str]:
    unused = [card["id"] for card in cards["loot"] if card["id"] not in used]
    return _completed(given, unused, length)


def _deal_loot(
    position: dict[str, Any], cards: CardDict, given: list[list[str]], turns: int
) -> None:
    """Three loot cards to each seat, less those that it has used."""
    players = position["players"]
    given = _filled(given, len(players), [])
    gone = {*position.get("loot_used", []), *(card for hand in given for card in hand)}
    others = [card["id"] for card in cards["loot"] if card["id"] not in gone]
    for seat, player in enumerate(players):
        uses = turns // len(players) + (
            (seat - position["supremacy"]) % len(players) < turns % len(players)
        )
        length = LOOT_HAND - uses if position["phase"] == "loot" else 0
        player["loot_hand"] = _completed(given[seat], others, length)
        others = [name for name in others if name not in player["loot_hand"]]


def _districts(
    cards: CardDict,
    sides: list[str],
    players: int,
    board: dict[str, list[Cards]],
    spaces: dict[str, str],
) -> dict[str, Any]:
    """Minions and markers in the four districts."""
    assert {*board, *spaces} <= {card["id"] for card in cards["district"]}, "no such district"
    districts = {}
    for card, side_word in zip(cards["district"], sides, strict=True):
        empty = [line.replace("#", "-").replace(".", " ") for line in card[side_word]["spaces"]]
        rows = spaces.get(card["id"], "/".join(empty).replace("-", ".")).split("/")
        districts[card["id"]] = {
            "minions": _by_seat(board.get(card["id"], []), players),
            "spaces": [line.ljust(3) for line in _filled(rows, 3, "")],
        }
    return districts


def _count_stocks(position: dict[str, Any]) -> None:
    """R1.6: what isn't placed is in the stock."""
    placed = "".join("".join(place["spaces"]) for place in position["districts"].values())
    for seat, player in enumerate(position["players"]):
        player["markers"] = MARKERS - placed.count(str(seat))


def _count_supply(
    position: dict[str, Any], cards: CardDict, left: dict[str, int], discard: dict[str, int]
) -> None:
    """R1.5: the copies that are nowhere else, less those that `left` sends to the discard pile."""
    players, copies = position["players"], cards["copies"]
    item_ids = [card["id"] for card in cards["item"]]
    out: Counter[str] = Counter(discard)
    for player in players:
        for place in ("hand", "items", "spent"):
            out.update(player[place])
    for district in position["districts"].values():
        for minions in district["minions"]:
            out.update(minions)
    inside = {name: count * len(players) - out[name] for name, count in copies.items()}
    assert {*out, *left} <= {*copies}, "no such kind"
    position["discard"] = {
        kind: discard.get(kind, 0) + inside[kind] - left.get(kind, inside[kind])
        for kind in copies
        if kind not in item_ids
    }
    inside.update(left)
    position["supply"] = {
        "minions": {kind: inside[kind] for kind in copies if kind not in item_ids},
        "items": {item: inside[item] for item in item_ids},
    }
