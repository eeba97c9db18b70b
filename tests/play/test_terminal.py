"""`hemlock play` and `hemlock replay` as a person uses them; the examples of the help run."""

import importlib
import json
import re
import shlex
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from hemlock_env import Game
from hemlock_env.cards import load_card_set
from hemlock_env.cli.output import OneLine
from hemlock_env.cli.play import play
from hemlock_env.cli.replay import replay
from hemlock_env.cli.serve import serve
from hemlock_env.game.options import check_options
from hemlock_env.network.checkpoint import describe, save_policy, weight_shapes
from hemlock_env.play.session import HUMAN
from hemlock_env.play.terminal import COMMANDS, HELP, Terminal
from hemlock_env.render.text import render
from hemlock_env.render.words import action_words

serve_module = importlib.import_module("hemlock_env.cli.serve")  # the package names the command

hemlock = OneLine("hemlock", commands=[play, replay, serve])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Everything happens in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def run(words, lines=()):
    return CliRunner().invoke(hemlock, shlex.split(words), input="".join(f"{x}\n" for x in lines))


def first_choices(number):
    """What to type to always choose the lowest legal action against a bot that does the same."""
    game = Game(seed=4)
    lines = []
    while not game.over and len(lines) < number:
        if game.seat == 0:
            lines.append(str(game.legal_actions()[0]))
        game.step(game.legal_actions()[0])
    return lines


def lowest(game):
    """A bot of which the tests know what it does."""
    return game.legal_actions()[0]


LOWEST = "tests.play.test_terminal:lowest"


def whole_game():
    return first_choices(10_000)


def test_a_whole_game_ends_with_the_result_and_keeps_the_record(folder):
    done = run(f"play {LOWEST} --seed 4", whole_game())
    assert done.exit_code == 0
    record = json.loads((folder / "hemlock-game.json").read_text())
    game = Game(seed=4)
    while not game.over:
        game.step(game.legal_actions()[0])
    assert record == {**game.record(), "agents": [HUMAN, LOWEST]}
    assert render(game) in done.output
    assert "The game is kept in hemlock-game.json." in done.output
    won = "You have won." if 0 in game.winners() else "You haven't won."
    assert done.output.endswith(f"{won}\n")
    assert run("replay hemlock-game.json").output.count("\n") == len(record["events"]) + 1


def test_the_table_shown_is_that_of_the_own_seat():
    output = run("play random --players 3 --seat 2 --seed 1 --agendas", ["quit"]).output
    assert "as seat 2 knows it" in output
    assert len(re.findall(r"influence \d+ and the agenda", output)) == 2
    assert "everything is shown" not in output


def test_commands_help():
    output = run("play random --seed 4", ["help", "quit"]).output
    assert HELP in output
    listed = {line.split()[0] for line in HELP.splitlines()[1:]}
    assert listed == set(COMMANDS)
    assert all(callable(getattr(Terminal, command)) for command in COMMANDS)


def test_a_name_is_taken_like_a_number():
    game = Game(seed=4)
    assert game.seat == 0
    action = game.legal_actions()[0]
    name = game.action_name(action)
    by_name = run("play random --seed 4", [name, "moves", "quit"]).output
    by_number = run("play random --seed 4", [str(action), "moves", "quit"]).output
    assert by_name.count(f"Seat 0: {action_words(name, 0, 2)}") == 2
    without = by_name.replace(f"> {name}", ">").replace("unfinished.json", "")
    assert without == by_number.replace(f"> {action}", ">").replace("unfinished-1.json", "")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("999", "action 999: must be a name or a whole number"),
        ("-1", "'-1' is not the name of an action"),
        ("attack", "'attack' is not the name of an action"),
        ("district:spires", "is illegal: seat 0 decides use_loot; legal: loot:"),
        ("undo", "no undo: nothing was chosen yet"),
        ("save", "write: save FILE"),
        ("undo it", "write: undo"),
        ("load nothing.json", "nothing.json: can't be read"),
        ("save no/such/folder", "can't be written"),
        ("it's", "is not the name of an action"),
    ],
)
def test_a_mistake_is_explained_and_the_game_goes_on(line, says):
    done = run("play random --seed 4", [line, "hint", "quit"])
    assert done.exit_code == 0
    assert f"! {says}" in done.output or says in done.output.split("! ")[1].split("\n")[0]
    assert "greedy would choose " in done.output


def test_undo_takes_the_choice_back():
    choice = first_choices(1)[0]
    output = run("play random --seed 4", [choice, "undo", choice, "moves", "quit"]).output
    assert output.count("Seat 0: use ") == 3  # chosen, chosen again, listed once


def test_save_and_load_go_on_where_it_was(folder):
    lines = whole_game()
    first = run(f"play {LOWEST} --seed 4", [*lines[:9], "save game.json", *lines[9:14], "quit"])
    assert "Kept in game.json" in first.output
    assert sorted(path.name for path in folder.iterdir()) == ["game.json"]  # the later ones too
    done = run(f"play {LOWEST} --load game.json", lines[14:])
    assert done.exit_code == 0
    game = Game(seed=4)
    while not game.over:
        game.step(game.legal_actions()[0])
    assert json.loads((folder / "game.json").read_text())["scores"] == game.scores()


def test_loading_keeps_the_game_at_hand(folder):
    run("play random --seed 5 --save other.json", ["quit"])
    run("play random --seed 4", [first_choices(1)[0], "load other.json", "quit"])
    kept = json.loads((folder / "hemlock-unfinished.json").read_text())
    assert kept["seed"] == 4


def test_no_game_is_lost_by_leaving(folder):
    done = run("play random --seed 4", [*first_choices(1), "quit"])
    assert done.exit_code == 0
    assert "The game is kept in hemlock-unfinished.json." in done.output
    assert run("play --load hemlock-unfinished.json", ["quit"]).exit_code == 0


def test_saving_never_writes_over_another_file(folder):
    (folder / "thesis.json").write_text("years of work")
    output = run("play random --seed 4", ["save thesis.json", "quit"]).output
    assert "! thesis.json: is there already" in output
    assert run("play random --save thesis.json").exit_code == 2
    assert (folder / "thesis.json").read_text() == "years of work"


# ---- replay ----


@pytest.fixture
def record(folder):
    """A finished game on the disk."""
    run(f"play {LOWEST} --seed 4 --save game.json", whole_game())
    return folder / "game.json"


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """A checkpoint for games of two with random weights."""
    cards = load_card_set("vault_of_darkness")
    about = describe(cards, check_options(cards), (8,))
    chance = np.random.default_rng(3)
    weights = {
        name: chance.normal(size=shape).astype(np.float32)
        for name, shape in weight_shapes(about["network"]).items()
    }
    weights["input_scale"] = np.full_like(weights["input_scale"], 100)
    path = tmp_path_factory.mktemp("run") / "checkpoint"
    save_policy(path, weights, {**about, "decisions": 0, "minutes": 0.0})
    return path


def test_a_record_is_told_in_words(record):
    told = json.loads(record.read_text())
    output = run("replay game.json").output
    assert output.startswith("The table is set. Seat ")
    scores = ", ".join(f"seat {seat}: {score}" for seat, score in enumerate(told["scores"]))
    assert f"Final: {scores}. Won by seat " in output


def test_a_page_is_written_and_may_be_written_again(record, folder):
    for _ in range(2):
        done = run("replay game.json --html game.html")
        assert done.exit_code == 0 and done.output.startswith("game.html: ")
    assert (folder / "game.html").read_text().startswith("<!doctype html>")


def test_values_are_those_of_the_policy(record, folder, checkpoint):
    assert run(f"replay game.json --html game.html --values ckpt:{checkpoint}").exit_code == 0
    page = (folder / "game.html").read_text()
    values = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])["values"]
    from hemlock_env.network.policy import load_policy

    game = Game(seed=4)
    expected = load_policy(checkpoint).logits_and_values(game.observe(0)[None])[1][0]
    assert values[0] == [0, 0, round(float(expected), 3)]
    assert len(values) == sum(
        "action" in event and "forced" not in event
        for event in json.loads(record.read_text())["events"]
    )


def test_opinions_are_probabilities_over_the_legal_actions(checkpoint):
    from hemlock_env.network.policy import load_policy
    from hemlock_env.play.opinion import opinion_of

    game = Game(seed=4)
    value, likely = opinion_of(load_policy(checkpoint), game)
    logits = load_policy(checkpoint).logits_and_values(game.observe(0)[None])[0][0]
    assert list(likely) == game.legal_actions() and -1 <= value <= 1
    assert sum(likely.values()) == pytest.approx(1)
    one, other = game.legal_actions()[:2]
    assert likely[one] / likely[other] == pytest.approx(np.exp(logits[one] - logits[other]), 1e-4)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("replay none.json", "none.json: can't be read: No such file"),
        ("replay text.txt", "isn't a record in JSON"),
        ("replay game.json --html game.json", "is the record itself"),
        ("replay game.json --html text.txt", "is there and isn't a page"),
        ("replay game.json --html .", "is a folder"),
        ("replay game.json --html no/such.html", "can't be written"),
        ("replay game.json --values ckpt:x", "--values goes with --html"),
        ("replay game.json --html a.html --values greedy", "must be a checkpoint"),
        ("replay game.json --html a.html --values ckpt:nowhere", "nowhere"),
        ("replay game.json --card-set nowhere.toml", "nowhere.toml"),
        ("replay departs.json", "event 3"),
        ("play gredy", "did you mean 'greedy'"),
        ("play random random", "2 opponents"),
        ("play --seat 2", "seat=2"),
        ("play --hints cheat-mcts", "sees no hidden cards"),
        ("play --load game.json --seed 1", "--seed is for a new game"),
        (f"play {LOWEST} random --load game.json", "random is for a new game"),
        ("play --load game.json", "nothing that a record names is imported"),
        ("play --load text.txt", "isn't a record in JSON"),
        ("play --load nobody.json", "agents"),
        ("serve --bot gredy", "did you mean 'greedy'"),
        ("serve --card-set nowhere", "nowhere"),
        ("serve --port 99999", "--port"),
        ("serve --keep text.txt", "--keep"),
    ],
)
def test_a_mistake_is_one_line_on_stderr(record, folder, words, says):
    (folder / "text.txt").write_text("text")
    told = json.loads(record.read_text())
    (folder / "nobody.json").write_text(json.dumps({**told, "agents": ["random", "random"]}))
    told["events"][3] = {"seat": 0, "action": "take:ghoul"}
    (folder / "departs.json").write_text(json.dumps(told))
    done = run(words)
    assert done.exit_code == 2 and done.stdout == ""
    assert says in done.stderr
    assert done.stderr.startswith("hemlock: ") and done.stderr.count("\n") == 1
    assert (folder / "text.txt").read_text() == "text"


# ---- help ----


@pytest.mark.parametrize("command", [play, replay, serve], ids=lambda command: command.name)
def test_the_example_of_the_help_runs(record, command, monkeypatch):
    shown = run(f"{command.name} --help").output
    example = re.search(r"Example: hemlock ([^\n]*(?:\n  [^\n]+)*)", shown)[1]
    monkeypatch.setattr(serve_module, "_serve", lambda app, listening: listening.close())
    record.rename(record.with_name("old.json"))
    if command is replay:
        record.with_name("old.json").rename(record)
    done = run(" ".join(example.split()), ["quit"])
    assert done.exit_code == 0, done.output


def test_two_servers_do_not_share_a_folder(tmp_path, monkeypatch):
    """Else each would write its own game over the other's."""
    words, said = ["serve", "--port", "0", "--keep", str(tmp_path / "games")], []

    def second(app, listening):
        listening.close()
        if not said:
            said.append("")
            said.append(CliRunner().invoke(hemlock, words).output)

    monkeypatch.setattr(serve_module, "_serve", second)
    for _ in "ab":  # the first, and one after it
        assert CliRunner().invoke(hemlock, words).exit_code == 0
    assert "games is in use: another server keeps its games there" in said[1]
    assert said[1].count("\n") == 1
