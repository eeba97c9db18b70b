"""Random games over every variant, and what can be said of a game from outside.

`python -m tests.support.play` prints a digest for each step of some games: the same lines must
come from another process, compiled or not.
"""

import hashlib
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any

import numpy as np

from hemlock_env import CardSet, Game
from tests.support.card_sets import CardDict
from tests.support.oracle import Oracle
from tests.support.random_sets import as_card_set, random_set

Options = dict[str, Any]
Position = dict[str, Any]
Policy = Callable[[list[str], Random], str]

NOT_IN_THE_RULES = ("card_set_hash", "pending", "rng")  # what else a position holds


def variants(sides: Any = "random") -> list[Options]:
    """R11: every combination of players and variants; hidden loot is for 2 or 3 (R11.1)."""
    flags = (False, True)
    return [
        {
            "num_players": players,
            "sides": sides,
            "loot": loot,
            "items_as_loot": items,
            "agendas": agendas,
        }
        for players in (2, 3, 4)
        for loot, items, agendas in itertools.product(("row", "hand"), flags, flags)
        if (players, loot) != (4, "hand")
    ]


VARIANTS = variants()


def name_of(options: Options) -> str:
    """A variant in short, to name a test."""
    words = [f"{options['num_players']}p", options["loot"]]
    return "-".join(words + [flag for flag in ("items_as_loot", "agendas") if options[flag]])


# ---- playing ----


def uniform(legal: list[str], rng: Random) -> str:
    """Any legal action."""
    return rng.choice(legal)


def fond_of(*beginnings: str) -> Policy:
    """Mostly an action that begins with one of these words, the first of them that can be had."""

    def policy(legal: list[str], rng: Random) -> str:
        for beginning in beginnings:
            chosen = [name for name in legal if name.startswith(beginning)]
            if chosen and rng.random() < 0.9:
                return rng.choice(chosen)
        return rng.choice(legal)

    return policy


def names_of(game: Game) -> list[str]:
    """The legal actions by name."""
    return [game.action_name(action) for action in game.legal_actions()]


def stops(game: Game, rng: Random, policy: Policy | None = None) -> Iterator[Game]:
    """The game itself at each of its decisions, played on at random, and when it is over."""
    while not game.over:
        yield game
        if policy is None:
            game.step(rng.choice(game.legal_actions()))
        else:
            game.step(policy(names_of(game), rng))
    yield game


def played(game: Game, decisions: int, seed: int = 0) -> Game:
    """The game after so many random decisions, or at its end."""
    rng = Random(seed)
    for _ in range(decisions):
        if not game.over:
            game.step(rng.choice(game.legal_actions()))
    return game


@cache
def odd_sets(count: int) -> tuple[tuple[CardDict, CardSet], ...]:
    """Card sets of other shape, every second one with tiny supplies."""
    rng = Random("odd sets")
    made = [random_set(rng, scarce=number % 2 == 0) for number in range(count)]
    return tuple((data, as_card_set(data)) for data in made)


@cache
def _sampled(each: int) -> tuple[Game, ...]:
    """See `sample`; kept, because many tests look at the same ones."""
    rng = Random("sample")
    found: dict[tuple[str, str], list[Game]] = {}
    seen: Counter[tuple[str, str]] = Counter()
    sets = [None, None, *(cards for _, cards in odd_sets(4))]
    for number, (options, cards) in enumerate(itertools.product(VARIANTS, sets)):
        chosen = {} if cards is None else {"card_set": cards}
        for game in stops(Game(**options, **chosen, seed=number), rng):
            key = phase_and_kind(game.to_position())
            seen[key] += 1
            kept = found.setdefault(key, [])
            if len(kept) < each:
                kept.append(game.copy())
            elif (place := rng.randrange(seen[key])) < each:
                kept[place] = game.copy()
    return tuple(game for key in sorted(found) for game in found[key])


def phase_and_kind(position: Position) -> tuple[str, str]:
    """Where in a game a position stands: `("loot", "place_marker")`, `("over", "over")`."""
    decision = position["decision"]
    return position["phase"], "over" if decision is None else decision["kind"]


def sample(*, every: int = 1) -> list[Game]:
    """Games in the middle of play, over all variants and some odd card sets; fresh copies.

    Nearly a thousand, as many of each kind of decision in each phase as there are, up to 45.
    """
    return [game.copy() for game in _sampled(45)[::every]]


# ---- the oracle beside it ----


def loot_of(game: Game) -> Callable[[int, int], Any]:
    """The loot of the night that the engine has just revealed, as the oracle asks for it."""

    def loot(week: int, night: int) -> Any:
        position = game.to_position()
        assert (position["week"], position["night"]) == (week, night)
        if position["options"]["loot"] == "hand":
            return [player["loot_hand"] for player in position["players"]]
        return position["loot_row"]

    return loot


def oracle_beside(game: Game, data: CardDict) -> Oracle:
    """The slow rules at the beginning of the same game."""
    setup = game.record()["events"][0]["setup"]
    return Oracle(data, game.options, setup, loot_of(game))


def rules_facts(position: Position) -> Position:
    """A position without what the rules don't speak of."""
    return {key: value for key, value in position.items() if key not in NOT_IN_THE_RULES}


# ---- other positions near by ----


def tweaked(position: Position, rng: Random) -> Position:
    """A position that differs in one place, cards and markers conserved; it may break the rules."""
    changed = json.loads(json.dumps(position))
    rng.choice(TWEAKS)(changed, rng)
    decision = changed["decision"]
    if decision is not None:
        decision.pop("legal", None)
        if changed["phase"] in ("loot", "special") and decision["kind"] != "discard_hand":
            decision["seat"] = (changed["supremacy"] + changed["turn"]) % len(changed["players"])
    return changed


def _shift(zones: list[dict[str, int]], rng: Random) -> None:
    """One card from a zone that has any to another zone."""
    giver, taker = rng.sample(zones, 2)
    if giver:
        card = rng.choice(sorted(giver))
        giver[card] -= 1
        taker[card] = taker.get(card, 0) + 1


def tweak_minions(position: Position, rng: Random) -> None:
    """A minion lies somewhere else."""
    sides = [side for district in position["districts"].values() for side in district["minions"]]
    hands = [player["hand"] for player in position["players"]]
    _shift([position["supply"]["minions"], position["discard"], *hands, *hands, *sides], rng)


def tweak_items(position: Position, rng: Random) -> None:
    """An item lies somewhere else."""
    held = [player[where] for player in position["players"] for where in ("items", "spent")]
    _shift([position["supply"]["items"], *held], rng)


def tweak_marker(position: Position, rng: Random) -> None:
    """A space has another content; the stocks follow."""
    district = rng.choice(list(position["districts"].values()))
    row, column = rng.randrange(3), rng.randrange(3)
    line, seats = district["spaces"][row], range(len(position["players"]))
    old, new = line[column], rng.choice([".", *map(str, seats)])
    if old != " ":
        district["spaces"][row] = line[:column] + new + line[column + 1 :]
        for sign, change in ((old, 1), (new, -1)):
            if sign != ".":
                position["players"][int(sign)]["markers"] += change


def tweak_player(position: Position, rng: Random) -> None:
    """What is known of a hand, or a number of support markers."""
    player = rng.choice(position["players"])
    if rng.random() < 0.5:
        player["support"] += rng.choice((1, 2, 100, -1))
    elif player["hand"]:
        kind = rng.choice(sorted(player["hand"]))
        player["known"][kind] = rng.randint(0, player["hand"][kind])


def tweak_agendas(position: Position, rng: Random) -> None:
    """Two players have each other's agenda cards."""
    one, other = rng.sample(position["players"], 2)
    one["agenda"], other["agenda"] = other["agenda"], one["agenda"]


def tweak_nights(position: Position, rng: Random) -> None:
    """Two night cards change places."""
    nights, deck = position["nights"], position["night_deck"]
    cards = [*nights, *deck]
    if len(cards) > 1:
        one, other = rng.sample(range(len(cards)), 2)
        cards[one], cards[other] = cards[other], cards[one]
        nights[:], deck[:] = cards[: len(nights)], cards[len(nights) :]


def tweak_loot(position: Position, rng: Random) -> None:
    """A loot card lies somewhere else."""
    hands = [player["loot_hand"] for player in position["players"]]
    giver, taker = rng.sample([position["loot_row"], position["loot_used"], *hands, *hands], 2)
    if giver is not taker and giver:
        taker.append(giver.pop(rng.randrange(len(giver))))
        if taker and giver and rng.random() < 0.5:
            giver.append(taker.pop(0))


def tweak_course(position: Position, rng: Random) -> None:
    """Supremacy, turn, week or an option."""
    n = len(position["players"])
    what = rng.choice(("supremacy", "turn", "week", "items_as_loot"))
    if what == "items_as_loot":
        position["options"][what] = not position["options"][what]
    else:
        position[what] = rng.randrange({"supremacy": n, "turn": 2 * n, "week": 3}[what])


def tweak_effect(position: Position, rng: Random) -> None:
    """What is half done."""
    pending, n = position["pending"], len(position["players"])
    if not pending["effects"]:
        claim = pending["claim"]
        claim[rng.choice(("at", "left"))] += rng.choice((-1, 1))
        return
    effect = rng.choice(pending["effects"])
    districts = [None, *position["districts"]]
    effect |= rng.choice(
        [
            {"row": effect["row"] + rng.choice((-1, 1))},
            {"here": rng.choice(districts)},
            {"triggers": not effect["triggers"]},
            {"rival": rng.choice([None, *range(n)])},
            {"from": rng.choice(districts)},
            {"minion": rng.choice(sorted(position["supply"]["minions"]) or [None])},
            {"progress": rng.randrange(n)},
        ]
    )


TWEAKS = (
    tweak_minions,
    tweak_items,
    tweak_marker,
    tweak_player,
    tweak_agendas,
    tweak_nights,
    tweak_loot,
    tweak_course,
    tweak_effect,
    tweak_effect,
)


# ---- what can be said of a game ----


def visible(position: Position, seat: int) -> Position:
    """R13: what a seat knows of a position, and nothing else; seats count from this one."""
    players = position["players"]
    n = len(players)
    order = [(seat + offset) % n for offset in range(n)]
    own, others = players[seat], [players[other] for other in order[1:]]
    hands: Counter[str] = sum((Counter(player["hand"]) for player in others), Counter())
    decision = position["decision"]
    pending = {**position["pending"], "decisions": 0}
    pending["effects"] = [
        {**effect, "rival": None if effect["rival"] is None else (effect["rival"] - seat) % n}
        for effect in pending["effects"]
    ]
    return {
        **{key: position[key] for key in ("options", "week", "night", "phase", "turn")},
        **{key: position[key] for key in ("supply", "discard", "nights", "loot_row", "loot_used")},
        "supremacy": (position["supremacy"] - seat) % n,
        "night_deck": sorted(position["night_deck"]),
        "own": own,
        "hands_of_others": dict(sorted(hands.items())),
        "others": [
            {
                **{key: player[key] for key in ("known", "items", "spent", "markers", "support")},
                "hand": sum(player["hand"].values()),
                "loot_hand": len(player["loot_hand"]),
            }
            for player in others
        ],
        "minions": {
            name: [district["minions"][other] for other in order]
            for name, district in position["districts"].items()
        },
        "spaces": {
            name: [seen_from(seat, n, row) for row in district["spaces"]]
            for name, district in position["districts"].items()
        },
        "decision": decision and ((decision["seat"] - seat) % n, decision["kind"]),
        "legal": decision and decision["seat"] == seat and decision["legal"],
        "pending": pending,
    }


def seen_from(seat: int, n: int, row: str) -> str:
    """A row of spaces with its markers' seats counted from `seat`."""
    return "".join(str((int(sign) - seat) % n) if sign.isdigit() else sign for sign in row)


def problems(position: Position, cards: CardSet) -> list[str]:
    """R1.5, R1.6, R6.4, R13.4, R14.1: what is wrong with a position; nothing, if all is well."""
    return [
        *_minion_problems(position, cards),
        *_item_problems(position, cards),
        *_seat_problems(position),
        *_card_problems(position, cards),
        *_decision_problems(position),
    ]


def _minion_problems(position: Position, cards: CardSet) -> Iterator[str]:
    n, districts = len(position["players"]), position["districts"].values()
    sides = [side for district in districts for side in district["minions"]]
    hands = [player["hand"] for player in position["players"]]
    zones = [position["supply"]["minions"], position["discard"], *hands, *sides]
    for kind, copies in zip(cards.minions, cards.minion_copies, strict=True):
        count = sum(zone.get(kind, 0) for zone in zones)
        if count != copies * n:
            yield f"{count} {kind}, not {copies * n}"
    if any(count < 0 for zone in zones for count in zone.values()):
        yield "fewer minions than none"
    homes = {cards.minions[kind]: cards.lairs[kind] for kind in range(6, 10)}
    for number, (name, district) in enumerate(position["districts"].items()):
        for side in district["minions"]:
            leaders = [kind for kind in homes if side.get(kind)]
            if any(homes[kind] != number or side[kind] > 1 for kind in leaders) or len(leaders) > 1:
                yield f"{leaders} in {name}"


def _item_problems(position: Position, cards: CardSet) -> Iterator[str]:
    n = len(position["players"])
    held = [player[where] for player in position["players"] for where in ("items", "spent")]
    zones = [position["supply"]["items"], *held]
    for item, copies in zip(cards.items, cards.item_copies, strict=True):
        count = sum(zone.get(item.id, 0) for zone in zones)
        if count != copies * n:
            yield f"{count} {item.id}, not {copies * n}"
    if any(count < 0 for zone in zones for count in zone.values()):
        yield "fewer items than none"


def _seat_problems(position: Position) -> Iterator[str]:
    rows = [row for district in position["districts"].values() for row in district["spaces"]]
    for seat, player in enumerate(position["players"]):
        placed = sum(row.count(str(seat)) for row in rows)
        if placed + player["markers"] != 12 or player["markers"] < 0:
            yield f"seat {seat}: {placed} markers placed, {player['markers']} in stock"
        if any(count > player["hand"].get(kind, 0) for kind, count in player["known"].items()):
            yield f"seat {seat}: known to hold more than it does"


def _card_problems(position: Position, cards: CardSet) -> Iterator[str]:
    nights = [*position["nights"], *position["night_deck"]]
    if len(set(nights)) < len(nights):
        yield "a night card twice"
    hands = [card for player in position["players"] for card in player["loot_hand"]]
    loot = [*position["loot_row"], *position["loot_used"], *hands]
    if len(set(loot)) < len(loot):
        yield "a loot card twice"
    agendas = [player["agenda"] for player in position["players"]]
    if position["options"]["agendas"] != (None not in agendas):
        yield "agendas without the option, or none with it"
    if None not in agendas and len(set(agendas)) < len(agendas):
        yield "an agenda twice"


def _decision_problems(position: Position) -> Iterator[str]:
    decision = position["decision"]
    if (decision is None) != (position["phase"] == "over"):
        yield "a decision when over, or none before"
    if decision is not None and len(set(decision["legal"])) < 2:
        yield f"no choice: {decision['legal']}"


def state_bytes(game: Game) -> bytes:
    """Every field of the engine's record, hidden parts included, without the gaps between them."""
    state = game.state
    return b"".join(np.asarray(state[name]).tobytes() for name in state.dtype.names)


def canonical(position: Position) -> str:
    """A position as one line."""
    return json.dumps(position, sort_keys=True)


# ---- digests, for other processes ----


def step_digest(game: Game, *, whole: bool) -> str:
    """State, legal actions, mask, observation of whoever decides; `whole`: of every seat."""
    digest = hashlib.sha256(state_bytes(game))
    digest.update(np.array(game.legal_actions(), np.int64).tobytes())
    digest.update(game.action_mask().tobytes())
    digest.update(game.arrays.observations.tobytes())
    if whole:
        for seat in range(game.num_players):
            digest.update(game.action_mask(seat).tobytes() + game.observe(seat).tobytes())
        digest.update(repr((game.seat, game.scores(), game.winners())).encode())
    return digest.hexdigest()[:16]


def trace(options: Options, seed: int, cards: CardSet | None = None) -> Iterator[str]:
    """A line for each step of one game, and for a redeal of each seat at some of them."""
    chosen = {} if cards is None else {"card_set": cards}
    rng = Random(seed)
    for number, game in enumerate(stops(Game(**options, **chosen, seed=seed), rng)):
        whole = number % 20 == 0 or game.over
        yield f"{name_of(options)} {seed} {number} {step_digest(game, whole=whole)}"
        for seat in range(game.num_players if whole else 0):
            yield f"  redeal {seat} {step_digest(game.redeal(seat, seed + number), whole=False)}"


def traces() -> Iterator[str]:
    """A game of each variant, and of some odd card sets."""
    for number, options in enumerate(VARIANTS):
        yield from trace(options, number)
    for number, (_, cards) in enumerate(odd_sets(4)):
        yield from trace(VARIANTS[5 * number], number, cards)


if __name__ == "__main__":
    for line in traces():
        print(line)
