"""Card sets that no one would print: odd grids, empty effects, supplies that run dry at once."""

from random import Random

from hemlock_env.cards import CardSet
from hemlock_env.cards.load import parse_card_set
from tests.support.card_sets import CardDict, default_dict, toml_key, toml_value
from tests.support.oracle import OPS

PLACE_OPS = ("place_marker", "play_minion", "discard_rival")
TESTS = ("most_markers", "items", "hand", "group", "markers_everywhere")


def as_card_set(data: CardDict) -> CardSet:
    """A card set as the package reads it, from a plain dict."""
    lines = (f"{toml_key(key)} = {toml_value(value)}\n" for key, value in data.items())
    return parse_card_set("".join(lines), f"{data['id']}.toml")


def random_set(rng: Random, *, scarce: bool | None = None) -> CardDict:
    """Anything that a card-set file may say, within the limits of FORMATS for four players.

    `scarce`: one or two copies of each kind for each player at most; left out, drawn.
    """
    scarce = rng.random() < 0.5 if scarce is None else scarce
    data = default_dict()
    data["id"] = "odd"
    kinds, items = list(data["copies"])[:10], list(data["copies"])[10:]
    if rng.random() < 0.5:
        kinds, items = rename(data, kinds, items)
    data["copies"] = random_copies(rng, kinds, items, scarce)
    districts = [district["id"] for district in data["district"]]
    data["lairs"] = random_lairs(rng, kinds, districts)
    for district in data["district"]:
        for side in ("basic", "advanced"):
            district[side] = {
                "symbols": rng.sample(kinds, rng.randint(0, 5)),
                "scheme": random_effect(rng, "scheme", kinds, items),
                "spaces": random_spaces(rng),
            }
    data["loot"] = [
        {
            "id": f"loot_{number}",
            "minion": rng.choice(kinds[:6]),
            "ability": random_effect(rng, "loot", kinds, items),
        }
        for number in range(rng.randint(9, 16))
    ]
    data["item"] = [
        {"id": item, "effect": random_effect(rng, "item", kinds, items)} for item in items
    ]
    for night in data["night"]:
        night["district"], night["value"] = rng.choice(districts), rng.randint(0, 4)
    data["agenda"] = [
        {"id": f"agenda_{number}", "conditions": [random_test(rng, districts) for _ in range(2)]}
        for number in range(rng.randint(4, 8))
    ]
    return data


def rename(data: CardDict, kinds: list[str], items: list[str]) -> tuple[list[str], list[str]]:
    """Other names: then the order of the file counts, and nothing is known by name."""
    for item in data["item"]:
        item["id"] = f"odd_{item['id']}"
    return [f"odd_{kind}" for kind in kinds], [f"odd_{item}" for item in items]


def random_copies(rng: Random, kinds: list[str], items: list[str], scarce: bool) -> dict[str, int]:
    """R1.5; the generic kinds are dealt, so there is one of each at least."""
    copies = {}
    for number, kind in enumerate(kinds):
        fewest = 1 if number < 4 else 0
        copies[kind] = rng.randint(fewest, fewest + 1 if scarce else 3)
    return copies | {item: rng.randint(0, 1 if scarce else 3) for item in items}


def random_lairs(rng: Random, kinds: list[str], districts: list[str]) -> dict[str, str]:
    """R6.1: any district for a generic kind; R6.4: four different ones for the leaders."""
    homes = {kind: rng.choice(districts) for kind in kinds[:4]}
    return homes | dict(zip(kinds[6:], rng.sample(districts, 4), strict=True))


def random_spaces(rng: Random) -> list[str]:
    """R1.2: rows of up to three, some of them short, some without a space."""
    rows = rng.randint(1, 3)
    return ["".join(rng.choice("##.") for _ in range(rng.randint(1, 3))) for _ in range(rows)]


def random_effect(rng: Random, source: str, kinds: list[str], items: list[str]) -> list[CardDict]:
    """R7: none to six words."""
    return [random_word(rng, source, kinds, items) for _ in range(rng.randint(0, 6))]


def random_word(rng: Random, source: str, kinds: list[str], items: list[str]) -> CardDict:
    """R7: one word with its argument; an item has no "here", a scheme no play_minion."""
    op = rng.choice([op for op in OPS if (op, source) != ("play_minion", "scheme")])
    word: CardDict = {"op": op}
    if op in PLACE_OPS:
        word["where"] = "any" if source == "item" else rng.choice(("here", "any"))
    if op == "gain_item":
        word["item"] = rng.choice(items)
    if op == "gain_minion":
        word["minion"] = rng.choice(kinds)
    return word


def random_test(rng: Random, districts: list[str]) -> CardDict:
    """R12.5: one condition of an agenda card."""
    test = rng.choice(TESTS)
    condition: CardDict = {"test": test, "points": rng.randint(0, 3)}
    if test == "most_markers":
        return condition | {"district": rng.choice(districts)}
    return condition | {"at_least": rng.randint(1, 5)}


# ---- sets for what hardly ever happens ----


def rush_set() -> CardDict:
    """Loot and schemes place markers, and there are many spaces: stocks run out (R7.1, R9.4)."""
    data = default_dict()
    data["id"] = "rush"
    here, anywhere = ({"op": "place_marker", "where": where} for where in ("here", "any"))
    for number, loot in enumerate(data["loot"]):
        loot["ability"] = [anywhere, here] * (number % 3)
    for district in data["district"]:
        district["basic"]["spaces"] = ["###", "###", "###"]
        district["basic"]["scheme"] = [anywhere]
        district["advanced"]["spaces"] = ["##."]
    for agenda in data["agenda"]:
        agenda["conditions"][1] = {"test": "markers_everywhere", "at_least": 1, "points": 1}
    return data


def bare_set() -> CardDict:
    """Cards that do nothing, a space in each district, nothing to take: ties (R10.6)."""
    data = default_dict()
    data["id"] = "bare"
    data["copies"] = {name: int(number < 4) for number, name in enumerate(data["copies"])}
    for number, night in enumerate(data["night"]):
        night["value"] = number % 2
    for card in data["loot"]:
        card["ability"] = []
    for item in data["item"]:
        item["effect"] = []
    for district in data["district"]:
        for side in ("basic", "advanced"):
            district[side]["scheme"] = []
            district[side]["spaces"] = ["#"]
    for agenda in data["agenda"]:
        for condition in agenda["conditions"]:
            condition["points"] = 0
    return data


def crowd_set() -> CardDict:
    """One kind comes with every loot card: sides hold too many of that kind alone (R9.6)."""
    data = default_dict()
    data["id"] = "crowd"
    data["copies"] |= {"courtesan": 1, "ghoul": 1, "alchemist": 8, "shadow": 1}
    data["copies"] |= {"masque": 0, "servant": 0}
    for card in data["loot"]:
        card["minion"] = "alchemist"
    return data


def props_set() -> CardDict:
    """Loot brings items, and every item plays a minion, in the loot phase too (R11.2, R6.7)."""
    data = default_dict()
    data["id"] = "props"
    for number, card in enumerate(data["loot"]):
        card["ability"] = [{"op": "gain_item", "item": data["item"][number % 3]["id"]}]
    for item in data["item"]:
        item["effect"] = [{"op": "play_minion", "where": "any"}, {"op": "gain_support"}]
    return data
