"""`hemlock` on the command line."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

import hemlock_env
from hemlock_env import Game
from hemlock_env.agents import describe_bots
from hemlock_env.cli import COMMANDS, main
from hemlock_env.evaluation import play_match
from hemlock_env.evaluation.protocols import PROTOCOLS, Opponent, Protocol

KEYS = "games pairs score interval seats margin distinct_games illegal seconds cards rules".split()


def hemlock(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def test_help_lists_the_commands() -> None:
    for words in ((), ("--help",), ("-h",)):
        result = hemlock(*words)
        assert result.exit_code == 0
        assert all(command.name in result.stdout for command in COMMANDS)


def test_version() -> None:
    assert hemlock("--version").stdout.split()[-1] == hemlock_env.__version__


HELP = """
import sys
from hemlock_env.cli import COMMANDS, main
try:
    main(["--help"])
finally:
    assert not {"numba", "rich", "torch", "flask"} & set(sys.modules)
"""


def test_help_needs_nothing_heavy() -> None:
    folder = Path(__file__).parents[1]
    subprocess.run([sys.executable, "-c", HELP], cwd=folder, capture_output=True, check=True)


def test_bots_are_listed() -> None:
    lines = hemlock("bots").stdout.splitlines()
    assert [line.split("  ")[0] for line in lines] == list(describe_bots())


def test_warmup_compiles_and_says_so() -> None:
    assert hemlock("warmup").stdout == "ready\n"


def test_match_as_json_has_the_promised_keys_and_numbers() -> None:
    result = hemlock("match", "random", "random", "--games", "21", "--seed", "3", "--json")
    found = json.loads(result.output)  # nothing else is printed, not even that it was rounded up
    expected = play_match("random", "random", 21, 3).as_dict()
    assert list(found) == KEYS
    assert {**found, "seconds": 0} == {**expected, "seconds": 0}
    assert found["games"] == 22


def test_match_in_words() -> None:
    text = hemlock("match", "random", "random", "--games", "40").stdout
    for word in ("win, draw, loss", "95 % interval", "by seat", "margin", "distinct", "a second"):
        assert word in text
    assert "\x1b" not in text


def test_match_against_several_is_one_table() -> None:
    words = ("match", "greedy", "random", "planner", "--games", "4")
    text = hemlock(*words).stdout
    assert text.splitlines()[0] == "greedy against random, planner, seed 0"
    assert [line.split()[0] for line in text.splitlines()[1:]] == ["against", "random", "planner"]
    found = json.loads(hemlock(*words, "--json").stdout)
    assert list(found) == ["random", "planner"] and found["planner"]["games"] == 4


def test_match_says_that_it_rounds_up() -> None:
    text = hemlock("match", "random", "random", "--games", "10", "--players", "4").stdout
    assert "10 games rounded up to 12: whole groups of 4" in text


def test_match_takes_the_variants() -> None:
    words = "match random random --games 6 --players 3 --loot hand --items-as-loot --agendas"
    sides = ["basic", "advanced", "random", "basic"]
    result = hemlock(*words.split(), "--sides", ",".join(sides), "--json")
    options = {
        "num_players": 3, "loot": "hand", "items_as_loot": True, "agendas": True, "sides": sides
    }  # fmt: skip
    expected = play_match("random", "random", 6, 0, options).as_dict()
    assert {**json.loads(result.output), "seconds": 0} == {**expected, "seconds": 0}


def test_a_bot_of_ones_own_is_found_beside_the_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bots_beside_me.py").write_text(
        "def last(game):\n    return game.legal_actions()[-1]\n"
        "def outlaw(game):\n    return 'no such action'\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert hemlock("match", "bots_beside_me:last", "random", "--games", "4").exit_code == 0
    text = hemlock("match", "random", "bots_beside_me:outlaw", "--games", "4").stdout
    assert "illegal actions" in text


@pytest.mark.parametrize(("words", "says"), [
    ("match random random --games 0", "games=0: must be from 1"),
    ("match random random --games ten", "--games"),
    ("match random random --games 1.5", "--games"),
    ("match random random --seed -1", "--seed"),
    ("match random random --players 5", "--players"),
    ("match random random --players 4 --loot hand", "loot='hand'"),
    ("match random random --loot shop", "--loot"),
    ("match random random --sides basic,odd", "sides="),
    ("match random random --sides sideways", "'sideways'"),
    ("match random random --card-set no_such_set", "no_such_set"),
    ("match random random --gmes 4", "--gmes"),
    ("match random", "'B'"),
    ("match random gredy", "did you mean 'greedy'"),
    ("match random ckpt:nowhere", "nowhere"),
    ("match random no_such_module:bot", "can't import 'no_such_module'"),
    ("mach random random", "mach"),
])  # fmt: skip
def test_a_mistake_is_one_line_on_stderr(words: str, says: str) -> None:
    result = hemlock(*words.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    assert says in result.stderr
    assert result.stderr.startswith("hemlock: ") and result.stderr.count("\n") == 1


def test_the_installed_command_is_this_one() -> None:
    command = Path(sys.executable).parent / "hemlock"
    shown = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert shown.stdout == hemlock("--version").stdout


# ---- the examples in the help ----


def example_of(command: click.Command) -> list[str]:
    """The words behind `hemlock` in the example that its help gives."""
    found = re.search(r"Example: hemlock (.+)", command.help or "")
    assert found, f"hemlock {command.name} has no example"
    return found[1].split()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_explains_itself_with_an_example(command: click.Command) -> None:
    assert example_of(command)[0] == command.name
    result = hemlock(str(command.name), "--help")
    assert result.exit_code == 0
    assert "Example:" in result.stdout
    for parameter in command.params:
        assert not isinstance(parameter, click.Option) or parameter.help, parameter.name


# Smaller than in life: a ladder and a benchmark take minutes.
LADDER = "pairs = 2\nbots = [{spec = 'random'}, {spec = 'greedy'}]\n"


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    small = Protocol("2", "a small one", (Opponent("random", 2),), seed=1)
    monkeypatch.setitem(PROTOCOLS, "2", small)
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "ladder.toml").write_text(LADDER, encoding="utf-8")
    shutil.copytree(Path(__file__).parents[1] / "checkpoints/two_player", "runs/quickstart")
    game = Game(seed=1)
    while not game.over:
        game.step(game.legal_actions()[0])
    (tmp_path / "game.json").write_text(json.dumps(game.record()), encoding="utf-8")
    for command in COMMANDS:
        words = example_of(command)
        if command.name in ("serve", "train", "exploit", "ship"):
            # tests/play/test_web.py and tests/training/ run them.
            command.make_context(command.name, words[1:]).close()
            continue
        if command.name == "play":
            words = ["new.json" if word == "game.json" else word for word in words]
        result = CliRunner().invoke(main, words, input="quit\n")
        assert result.exit_code == 0, (words, result.output)


NETWORK = "ckpt:two_player"


def test_every_command_warns_where_games_repeat() -> None:
    """A checkpoint that draws nothing plays the same game against itself in both seats."""
    says = re.compile(r"warning.* only 10 of 20 games differ")
    for words in (("match", NETWORK, NETWORK), ("luck", NETWORK)):
        assert says.search(hemlock(*words, "--games", "20").output), words
    several = hemlock("match", NETWORK, NETWORK, "random", "--games", "20").output
    assert len(says.findall(several)) == 1 and f"against {NETWORK}" in several
