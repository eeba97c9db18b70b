"""Files of every kind that a stranger may send, changed at random, and what reads them.

A hash or checksum that would catch a change first is made right again, so that it reaches the
reader.
"""

import copy
import gzip
import hashlib
import json
import tempfile
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from hemlock_env import Game, replay
from hemlock_env._files import read_json
from hemlock_env.cards import load_card_set, load_tables
from hemlock_env.evaluation.endgames import load_endgames
from hemlock_env.evaluation.endgames.positions import SHIPPED
from hemlock_env.evaluation.ladder.run import Ladder
from hemlock_env.evaluation.ladder.schedule import make_schedule, read_schedule
from hemlock_env.learning.config import read_settings
from hemlock_env.network.policy import load_policy
from hemlock_env.play.session import Session
from tests.support.card_sets import default_dict, toml_key, toml_value
from tests.support.changes import ODD_LISTS, ODD_NUMBERS, ODD_TEXTS, paths, reached
from tests.support.checkpoints import untrained
from tests.support.play import played, sample

ROOT = Path(__file__).parents[2]

DEEP: Any = "deep"
for _ in range(2_000):
    DEEP = [DEEP]
WORDS = ("somebodys_bot:Bot", "os:system", "random", "greedy", "ckpt:nowhere", "vault_of_darkness")
TEXTS = (
    *ODD_TEXTS,
    *WORDS,
    "\0",
    "\ud800",
    "a\nb",
    "x" * 5_000,
    "../..",
    "/dev/null",
    "nan",
    "1e999",
)
NUMBERS = (*ODD_NUMBERS, 2**31, 2**63, 2**64, -(2**63), 1e300, 1e-300, 10**400)
ODD = (None, True, False, *NUMBERS, *TEXTS, *ODD_LISTS, {"a": {"b": {}}}, {"format": 1})
BYTES = (
    b"\0",
    b"\xff",
    b"\n",
    b"\r",
    b"\xef\xbb\xbf",
    b'"',
    b",",
    b"[",
    b"{",
    b"]",
    b"=",
    b"-",
    b"e",
)


def changed_value(value: Any, rng: Random) -> Any:
    """A JSON value with one to three places changed, taken away, exchanged or doubled."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        every = list(paths(value))
        if not every:
            break
        *way, last = rng.choice(every)
        at = reached(value, way)
        match rng.randrange(7):
            case 0 | 1 | 2:
                at[last] = copy.deepcopy(rng.choice(ODD))
            case 3:
                del at[last]
            case 4:
                other = rng.choice(list(at if isinstance(at, dict) else range(len(at))))
                at[last], at[other] = at[other], at[last]
            case 5 if isinstance(at, list):
                at.append(copy.deepcopy(at[last]))
            case 5 if isinstance(at, dict):
                at[rng.choice(TEXTS)] = copy.deepcopy(at[last])
            case 6:
                old = at[last]
                is_number = isinstance(old, int | float) and not isinstance(old, bool)
                at[last] = old + rng.choice((-1, 1, 0.5, 2**31)) if is_number else rng.choice(TEXTS)
    return value


def changed_bytes(data: bytes, rng: Random) -> bytes:
    """Bytes with one to three places turned, cut out, doubled, or with odd bytes put in."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + rng.choice((1, 1, 2, 8, 100)))
        match rng.randrange(7):
            case 0:
                data = data[:start] + rng.randbytes(end - start) + data[end:]
            case 1:
                data = data[:start] + data[end:]
            case 2:
                data = data[:end] + data[start:]
            case 3:
                data = data[:start] + rng.choice(BYTES) + data[start:]
            case 4:
                data = data[:start]
            case 5:
                data = data[:start] + json.dumps(rng.choice(NUMBERS)).encode() + data[end:]
            case 6:
                data += rng.choice((b"\0" * 64, rng.randbytes(40), b"[" * 5_000, b"\n", b","))
    return data


def changed_json(value: Any, rng: Random) -> bytes:
    """A JSON file whose value or whose bytes are changed."""
    if rng.random() < 0.7:
        return json.dumps(changed_value(value, rng)).encode()
    return changed_bytes(json.dumps(value, indent=2).encode(), rng)


def changed_toml(table: dict[str, Any], rng: Random) -> bytes:
    """A TOML file likewise; a value that TOML hasn't makes a file that is none."""
    if rng.random() < 0.7:
        table = changed_value(table, rng)
    lines = "".join(f"{toml_key(key)} = {toml_value(value)}\n" for key, value in table.items())
    data = lines.encode("utf-8", "surrogatepass")
    return changed_bytes(data, rng) if rng.random() < 0.4 else data


# ---- one change of each kind: what is written, and what is read of it ----


def position(folder: Path, rng: Random) -> None:
    """What is accepted is written as what is accepted."""
    game = rng.choice(sample(every=9))
    file = folder / "position.json"
    file.write_bytes(changed_json(game.to_position(), rng))
    value = read_json(file)
    read = Game.from_position(value, seed=1, card_set=game.card_set)
    again = Game.from_position(read.to_position(), card_set=game.card_set)
    assert again.arrays.states.tobytes() == read.arrays.states.tobytes()


def record(folder: Path, rng: Random) -> None:
    """A record, replayed; with `agents`, gone on with."""
    file = folder / "record.json"
    agents = ["human", "random", "random"]
    file.write_bytes(changed_json({**record_of(rng.randrange(4)), "agents": agents}, rng))
    list(replay(read_json(file)))
    Session.read(file)


@cache
def record_of(number: int) -> dict[str, Any]:
    """Short records are read in less time."""
    options: Any = {"loot": "hand", "agendas": True, "sides": "random"} if number % 2 else {}
    return played(Game(3, seed=5, **options), (0, 3, 20, 1_000)[number]).record()


def card_set(folder: Path, rng: Random) -> None:
    """A card set, and a game with it."""
    file = folder / "cards.toml"
    file.write_bytes(changed_toml(default_dict(), rng))
    cards = load_card_set(file)
    load_tables(cards)
    game = Game(card_set=cards, seed=1)
    game.step(game.legal_actions()[0])


@cache
def checkpoint_files() -> tuple[bytes, dict[str, Any]]:
    """A small checkpoint: weights and meta.json."""
    with tempfile.TemporaryDirectory() as name:
        home = untrained(Path(name) / "checkpoint", hidden=(4, 4), derived=True)
        weights = (home / "policy.safetensors").read_bytes()
        return weights, json.loads((home / "meta.json").read_text())


def checkpoint(folder: Path, rng: Random) -> None:
    """Weights under their right hash, and meta.json; asked once where they are accepted."""
    weights, meta = checkpoint_files()
    if rng.random() < 0.5:
        head = int.from_bytes(weights[:8], "little")
        if rng.random() < 0.5:  # the header is JSON of so many bytes
            text = json.dumps(changed_value(json.loads(weights[8 : 8 + head]), rng)).encode()
            weights = len(text).to_bytes(8, "little") + text + weights[8 + head :]
        else:
            weights = changed_bytes(weights, rng)
        digest = hashlib.sha256(weights).hexdigest()
        meta = {**meta, "sha256": {"policy.safetensors": digest}}
        about = json.dumps(meta).encode()
    else:
        about = changed_json(meta, rng)
    (folder / "policy.safetensors").write_bytes(weights)
    (folder / "meta.json").write_bytes(about)
    policy, game = load_policy(folder), Game(seed=1)
    policy.check_fits(game.card_set, game.checked_options)
    with np.errstate(all="ignore"):  # numbers too large for sense are numbers
        policy.logits_and_values(game.observe(0)[None])


@cache
def endgames_of() -> dict[str, Any]:
    """Three positions of the shipped set."""
    stored: dict[str, Any] = json.loads(gzip.decompress(SHIPPED.read_bytes()))
    return {**stored, "positions": stored["positions"][:3]}


def endgames(folder: Path, rng: Random) -> None:
    """A set of endgames under its right checksum, or with its packed bytes changed."""
    file = folder / "set.json.gz"
    if rng.random() < 0.9:
        file.write_bytes(gzip.compress(changed_json(endgames_of(), rng), 1))
    else:
        file.write_bytes(changed_bytes(gzip.compress(json.dumps(endgames_of()).encode(), 1), rng))
    load_endgames(file)


@cache
def ladder_files() -> tuple[Any, bytes, dict[str, Any]]:
    """A small ladder that was played: its schedule, its games, and what they have in common."""
    schedule = make_schedule(["random", "greedy"], pairs=4, seed=3)
    with tempfile.TemporaryDirectory() as name:
        Ladder(schedule, name).play()
        home = Path(name)
        return schedule, (home / "games.csv").read_bytes(), read_json(home / "ladder.json")


def changed_csv(data: bytes, rng: Random) -> bytes:
    """A CSV file with a cell or bytes changed."""
    if rng.random() < 0.5:
        return changed_bytes(data, rng)
    rows = [line.split(b",") for line in data.split(b"\n")]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        row = rng.choice(rows)
        odd = rng.choice(
            (*TEXTS, *map(str, NUMBERS), "-0.0", "inf", "-inf", "0x1", "1_0", "f" * 99)
        )
        row[rng.randrange(len(row))] = odd.encode("utf-8", "surrogatepass")
    return b"\n".join(b",".join(row) for row in rows)


def ladder(folder: Path, rng: Random) -> None:
    """A folder of games, counted as `--report-only` does."""
    schedule, games, common = ladder_files()
    head = json.dumps(common).encode() if rng.random() < 0.7 else changed_json(common, rng)
    (folder / "ladder.json").write_bytes(head)
    (folder / "games.csv").write_bytes(changed_csv(games, rng))
    found = Ladder(schedule, folder, read_only=True)
    assert found.missing is not None
    found.standings()


def config(folder: Path, rng: Random) -> None:
    """A config of a run."""
    file = folder / "config.toml"
    file.write_bytes(changed_toml(config_of("quickstart"), rng))
    settings = read_settings(file)
    assert settings.cards


def plan(folder: Path, rng: Random) -> None:
    """The plan of a ladder."""
    file = folder / "ladder.toml"
    bots = ["random", {"spec": "greedy", "pairs": 5, "name": "mine"}, {"spec": "planner"}]
    table = {"seed": 1, "pairs": 10, "bots": bots, "options": {"num_players": 3, "sides": "random"}}
    file.write_bytes(
        changed_toml({**table, "matches": [["random", "mine"], ["mine", "planner"]]}, rng)
    )
    read_schedule(file)


@cache
def config_of(name: str) -> dict[str, Any]:
    """A shipped config, with a table of options."""
    options = {"num_players": 2, "sides": ["basic"] * 4, "first_player": 1}
    return {**tomllib.loads((ROOT / "configs" / f"{name}.toml").read_text()), "options": options}


KINDS: dict[str, Callable[[Path, Random], None]] = {
    each.__name__: each
    for each in (position, record, card_set, checkpoint, endgames, ladder, config, plan)
}
