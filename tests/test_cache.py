"""The store of machine code trusts no file, needs no writable folder, and serves any thread."""

import importlib.util
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hemlock_env import _jit
from hemlock_env._cache import ENDING, Store
from hemlock_env._jit import ensure

STAMP = "ab" * 32
KEY = ("signature", "processor")
ROOT = Path(__file__).parent.parent


@pytest.fixture
def store(tmp_path):
    """A store of two folders that holds a value under KEY."""
    made = Store("rule", STAMP, [tmp_path / "first", tmp_path / "second"])
    made.save(KEY, {"code": b"\x00" * 100})
    return made


def stored(store):
    """The one file of a store."""
    (file,) = (file for folder in store.folders for file in folder.glob(f"*{ENDING}"))
    return file


def test_what_was_saved_is_loaded(store):
    assert store.load(KEY) == {"code": b"\x00" * 100}
    assert store.load(("another", "processor")) is None


DAMAGES = {
    "empty": lambda data: b"",
    "cut off": lambda data: data[: len(data) // 2],
    "garbage": lambda data: b"garbage" * 50,
    "a pickle of someone else": lambda data: b"cos\nsystem\n(S'false'\ntR.",
    "longer": lambda data: data + b"\0",
    **{
        f"bit {bit} flipped": lambda data, bit=bit: (
            data[: bit // 8] + bytes([data[bit // 8] ^ (1 << bit % 8)]) + data[bit // 8 + 1 :]
        )
        for bit in (0, 77, 256, 500, 900)
    },
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_counts_as_none_and_is_replaced(store, damage):
    file = stored(store)
    file.write_bytes(damage(file.read_bytes()))
    assert store.load(KEY) is None
    store.save(KEY, "new")
    assert store.load(KEY) == "new"


def test_files_of_other_sources_are_neither_used_nor_kept(store):
    other = Store("rule", "cd" * 32, store.folders)
    assert other.load(KEY) is None
    other.save(("another", "processor"), 1)
    assert store.load(KEY) is None
    assert stored(other)


def test_machine_code_of_another_numba_is_not_used(store, monkeypatch):
    """Two releases may come with the same LLVM."""
    monkeypatch.setattr("numba.__version__", "0.0.1")
    assert store.load(KEY) is None


def test_a_folder_that_cannot_be_written_is_read(store):
    """As one that was baked into an image by someone else."""
    blocked = Store("rule", STAMP, [store.folders[0] / "file" / "none", *store.folders])
    (store.folders[0] / "file").write_text("in the way")
    assert blocked.load(KEY) is not None
    blocked.save(KEY, "new")
    assert store.load(KEY) == "new"


RULES = """
from hemlock_env._jit import part

@part
def low(n):
    return n * 3

@part
def high(n):
    return low(n) + 1
"""


@pytest.fixture
def rules(tmp_path):
    """A module of two rules that nobody has compiled yet."""
    (tmp_path / "rules.py").write_text(RULES)
    spec = importlib.util.spec_from_file_location("rules", tmp_path / "rules.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_where_nothing_can_be_written_a_line_says_so(rules, tmp_path):
    (tmp_path / "file").write_text("in the way")
    said = []
    for rule in (rules.low, rules.high):
        rule._cache._say = said.append
        rule._cache._store.folders = [tmp_path / "file" / "none"]
    assert rules.high(2) == 7
    assert len(said) == 2
    assert all("can't be written" in line and "NUMBA_CACHE_DIR" in line for line in said)


def test_a_line_of_one_kind_is_said_once_a_process(capsys):
    for _ in range(3):
        _jit._say("something", "a kind of this test")
    assert capsys.readouterr().err == "hemlock_env: something\n"


def test_threads_that_come_at_once_find_a_rule_compiled_once(rules):
    """Rules that call one another, asked for in either order."""
    start, results = threading.Barrier(8), []

    def ask(function, right):
        start.wait()
        ensure(function)
        results.append(function(2) == right)

    asked = [(rules.low, 6), (rules.high, 7)] * 4
    threads = [threading.Thread(target=ask, args=each) for each in asked]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 8
    assert [len(function.signatures) for function in (rules.low, rules.high)] == [1, 1]


THREADS = """
import threading
from hemlock_env import Batch, Game, hemlock_v0, make_bot

def play(seed):
    game, bot = Game(seed=seed), make_bot(("greedy", "planner", "random")[seed % 3])
    game.step(bot.act(game))
    Batch(2, seed=seed).play_random(3)
    env = hemlock_v0.env()
    env.reset(seed=seed)
    done.append(seed)

done = []
threads = [threading.Thread(target=play, args=(seed,)) for seed in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sorted(done))
"""


def test_a_fresh_process_may_begin_in_eight_threads():
    ran = subprocess.run(
        [sys.executable, "-c", THREADS], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == str(list(range(8)))
    assert "Traceback" not in ran.stderr
