"""A ladder plays every game once, the same in any number of processes, and goes on after a stop."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from hemlock_env.cli import main
from hemlock_env.evaluation import play_match
from hemlock_env.evaluation.ladder.report import write_report
from hemlock_env.evaluation.ladder.run import Ladder
from hemlock_env.evaluation.ladder.schedule import Schedule, make_schedule, read_schedule
from hemlock_env.evaluation.ladder.store import GAMES
from hemlock_env.evaluation.match import summary
from tests.support.processes import printed

ROOT = Path(__file__).parents[2]
BOTS = ["random", "greedy", "planner"]


def schedule_of(**changes: Any) -> Schedule:
    """Three cheap bots, six pairs, with changes."""
    return make_schedule(**{"bots": BOTS, "pairs": 6, "seed": 3, **changes})


def games_of(folder: Path) -> list[tuple[str, ...]]:
    """What was played, without how long it took, in a fixed order."""
    with open(folder / GAMES, newline="", encoding="utf-8") as lines:
        return sorted(tuple(row)[:11] for row in csv.reader(lines))


# ---- what is played ----


def test_everybody_meets_everybody_in_the_games_of_a_match(tmp_path: Path) -> None:
    found = Ladder(schedule_of(), tmp_path).play()
    assert [(met.a, met.b) for met in found.meetings] == [
        ("random", "greedy"), ("random", "planner"), ("greedy", "planner")
    ]  # fmt: skip
    for met in found.meetings:
        match = play_match(met.a, met.b, games=12, seed=3)
        assert (met.games, met.pairs, met.score, met.seats, met.margin, met.illegal) == (
            match.games, match.pairs, match.score, match.seats, match.margin, 0
        )  # fmt: skip
        assert met.interval[0] <= met.score <= met.interval[1]
    assert found.complete and found.warnings == []
    assert [bot.name for bot in found.bots] == ["planner", "greedy", "random"]
    assert found.anchor == "greedy" and found.bots[1].rating == 0


def test_a_bot_may_ask_for_fewer_pairs_and_matches_may_be_listed(tmp_path: Path) -> None:
    bots = ["random", "greedy", {"spec": "planner", "pairs": 2, "name": "deep"}]
    matches = [["deep", "greedy"], ["random", "greedy"]]
    found = Ladder(schedule_of(bots=bots, matches=matches), tmp_path).play()
    assert [(met.a, met.b, met.pairs) for met in found.meetings] == [
        ("random", "greedy", 6), ("greedy", "deep", 2)
    ]  # fmt: skip
    assert {bot.name: bot.spec for bot in found.bots}["deep"] == "planner"
    names, scores = found.matrix()
    assert np.isnan(scores[names.index("random"), names.index("deep")])


def test_with_more_seats_each_bot_also_meets_a_table_of_the_other(tmp_path: Path) -> None:
    options = {"num_players": 3, "agendas": True}
    found = Ladder(schedule_of(bots=["random", "greedy"], options=options), tmp_path).play()
    assert [(met.a, met.b) for met in found.meetings] == [
        ("random", "greedy"), ("greedy", "random")
    ]  # fmt: skip
    assert found.meetings[0].score < 1 / 3 < found.meetings[1].score
    assert found.bots[0].name == "greedy" and found.bots[0].rating > 0
    assert found.anchor == "random"  # of two the weaker
    assert len(found.meetings[0].seats) == 3


@pytest.mark.slow
def test_the_games_do_not_depend_on_the_number_of_processes(tmp_path: Path) -> None:
    one = Ladder(schedule_of(), tmp_path / "one").play()
    two = Ladder(schedule_of(), tmp_path / "two").play(processes=2)
    assert games_of(tmp_path / "one") == games_of(tmp_path / "two")
    assert one.meetings == two.meetings
    assert [bot.rating for bot in one.bots] == [bot.rating for bot in two.bots]


def test_the_same_bot_under_two_names_is_two_bots(tmp_path: Path) -> None:
    bots = ["random", {"spec": "greedy", "name": "g1"}, {"spec": "greedy", "name": "g2"}]
    found = Ladder(schedule_of(bots=bots), tmp_path).play()
    assert found.meetings[2].score == play_match("greedy", "greedy", 12, 3).score
    assert found.meetings[0].score == found.meetings[1].score == 0


DIGESTS = """
from hemlock_env.evaluation import play_match
for a, b in (("greedy", "random"), ("planner", "mcts:iterations=20")):
    print(play_match(a, b, 20, seed=3).digest)
"""


def test_games_are_the_same_in_any_process_and_under_any_hash_seed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exec(DIGESTS)
    ours = capsys.readouterr().out
    assert [printed("-c", DIGESTS, PYTHONHASHSEED=seed) for seed in ("0", "1")] == [ours, ours]
    bots = ["random", "planner", "greedy", "mcts:iterations=20"]
    matches = [["random", "greedy"], ["random", "planner"], ["planner", "mcts:iterations=20"]]
    ladder = Ladder(schedule_of(bots=bots, matches=matches, pairs=10), tmp_path)
    ladder.play(processes=2)
    games = {(pairing.a, pairing.b): games for pairing, games in ladder.played()}
    assert summary(games[1, 3], 0.0, ladder.schedule.spec.card_set).digest == ours.split()[1]


def test_players_who_repeat_themselves_are_named(tmp_path: Path) -> None:
    """Without any luck of their own both games of a pair are the same game."""
    own = "tests.evaluation.test_ladder:lowest"
    bots = [{"spec": own, "name": "one"}, {"spec": own, "name": "other"}]
    found = Ladder(schedule_of(bots=bots), tmp_path).play()
    assert any("only 6 of 12 games differ" in line for line in found.warnings)


def test_illegal_actions_are_counted_and_named(tmp_path: Path) -> None:
    bots = ["random", {"spec": "tests.evaluation.test_ladder:outlaw", "name": "outlaw"}]
    found = Ladder(schedule_of(bots=bots), tmp_path).play()
    illegal = {bot.name: bot.illegal for bot in found.bots}
    assert illegal["random"] == 0 and illegal["outlaw"] > 100
    assert found.meetings[0].illegal == illegal["outlaw"]
    assert any("illegal actions" in line for line in found.warnings)


def lowest(game: Any) -> int:
    return game.legal_actions()[0]


def outlaw(game: Any) -> str:
    return "no such action"


# ---- going on ----


def test_nothing_is_played_twice(tmp_path: Path) -> None:
    Ladder(schedule_of(), tmp_path).play()
    before = (tmp_path / GAMES).read_bytes()
    again = Ladder(schedule_of(), tmp_path)
    assert again.missing == [] and again.seconds_to_go() == 0
    told: list[int] = []
    again.play(told.append)
    assert told == [36]
    assert (tmp_path / GAMES).read_bytes() == before


class StopError(Exception):
    """As if the person at the keyboard had had enough."""


def test_a_stopped_ladder_goes_on_and_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    whole = Ladder(schedule_of(), tmp_path / "whole").play()

    def stop(done: int) -> None:
        if done >= 20:
            raise StopError

    with pytest.raises(StopError):
        Ladder(schedule_of(), tmp_path / "stopped").play(stop)
    with open(tmp_path / "stopped" / GAMES, "a", encoding="utf-8") as file:
        file.write("greedy,planner,5,0,1.0")  # and a line that was cut short
    resumed = Ladder(schedule_of(), tmp_path / "stopped")
    told: list[int] = []
    found = resumed.play(told.append)
    assert told[0] == 20 and told[-1] == 36
    assert found.meetings == whole.meetings
    assert [bot.rating for bot in found.bots] == [bot.rating for bot in whole.bots]


def test_a_ladder_grows_by_bots_and_pairs(tmp_path: Path) -> None:
    Ladder(schedule_of(bots=BOTS[:2], pairs=3), tmp_path).play()
    grown = Ladder(schedule_of(), tmp_path)
    told: list[int] = []
    found = grown.play(told.append)
    assert told[0] == 6
    assert found.meetings == Ladder(schedule_of(), tmp_path / "other").play().meetings


def test_games_of_another_kind_are_not_mixed_in(tmp_path: Path) -> None:
    Ladder(schedule_of(), tmp_path).play()
    before = (tmp_path / GAMES).read_bytes()
    for changes, says in (
        ({"seed": 4}, "holds games with seed 3, not 4"),
        ({"options": {"agendas": True}}, "holds games with options"),
        ({"bots": ["random", {"spec": "planner", "name": "greedy"}]}, "another bot 'greedy'"),
    ):
        with pytest.raises(ValueError, match=says):
            Ladder(schedule_of(**changes), tmp_path)
    assert (tmp_path / GAMES).read_bytes() == before


def test_standings_before_the_end_say_so(tmp_path: Path) -> None:
    schedule = schedule_of(pairs=64, bots=BOTS[:2])
    ladder = Ladder(schedule, tmp_path)

    def stop(done: int) -> None:
        if done >= 4:
            raise StopError

    with pytest.raises(StopError):
        ladder.play(stop)
    found = ladder.standings()
    assert not found.complete and "not all games" in found.warnings[0]
    with pytest.raises(ValueError, match="no games of random against greedy yet"):
        Ladder(schedule, tmp_path / "empty").standings()


# ---- the anchor ----


def test_ratings_can_be_anchored_at_any_bot(tmp_path: Path) -> None:
    Ladder(schedule_of(), tmp_path).play()
    middle = Ladder(schedule_of(), tmp_path).standings()
    for name in BOTS:
        found = Ladder(schedule_of(anchor=name), tmp_path).standings()
        own = {bot.name: bot for bot in found.bots}
        assert found.anchor == name
        assert (own[name].rating, own[name].rating_interval) == (0, (0, 0))
        shift = {bot.name: bot.rating for bot in middle.bots}[name]
        assert [bot.rating for bot in found.bots] == pytest.approx(
            [bot.rating - shift for bot in middle.bots]
        )
        assert found.meetings == middle.meetings
    assert middle == Ladder(schedule_of(anchor="greedy"), tmp_path).standings()


def test_what_is_not_known_about_the_last_bot_is_not_in_the_others_intervals(
    tmp_path: Path,
) -> None:
    """`random` loses everything, so nobody knows how far below it is."""
    Ladder(schedule_of(pairs=12), tmp_path).play()

    def width(anchor: str | None, bot: str) -> float:
        found = Ladder(schedule_of(pairs=12, anchor=anchor), tmp_path).standings()
        low, high = {each.name: each for each in found.bots}[bot].rating_interval
        return high - low

    assert width("random", "planner") > 1.5 * width(None, "planner")


# ---- reports ----


def test_the_report_is_written_in_every_form(tmp_path: Path) -> None:
    found = Ladder(schedule_of(), tmp_path).play()
    assert write_report(found, tmp_path) == []
    stored = json.loads((tmp_path / "standings.json").read_text())
    assert [bot["name"] for bot in stored["bots"]] == [bot.name for bot in found.bots]
    assert stored["meetings"][0]["score"] == found.meetings[0].score
    text = (tmp_path / "ladder.md").read_text()
    assert "## Ratings" in text and "| planner |" in text
    with open(tmp_path / "meetings.csv", newline="") as lines:
        assert [(row["a"], float(row["interval_low"])) for row in csv.DictReader(lines)] == [
            (met.a, met.interval[0]) for met in found.meetings
        ]
    for name in ("matrix.png", "ratings.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


# ---- the command ----


def hemlock(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


CONFIG = """
seed = 3
pairs = 3
bots = [{spec = "random"}, {spec = "greedy"}]
"""


def config_at(folder: Path, text: str = CONFIG) -> Path:
    file = folder / "small.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_command_plays_reports_and_plays_nothing_twice(tmp_path: Path) -> None:
    config, out = config_at(tmp_path), tmp_path / "out"
    first = hemlock("ladder", config, "--out", out, "--processes", 1)
    assert first.exit_code == 0, first.stderr
    assert "6 games of 1 meetings, about" in first.stdout
    assert "Ratings, random = 0" in first.stdout and "ladder.md" in first.stdout
    second = hemlock("ladder", config, "--out", out, "--processes", 1)
    assert "about" not in second.stdout
    assert second.stdout.splitlines() == first.stdout.splitlines()[1:]
    other = hemlock("ladder", config, "--out", out, "--report-only", "--anchor", "greedy")
    assert "Ratings, greedy = 0" in other.stdout
    assert "greedy = 0" in (out / "ladder.md").read_text("utf-8")


@pytest.mark.parametrize("name", ["ladder", "ladder_full"])
def test_the_shipped_configs_can_be_played(name: str) -> None:
    schedule = read_schedule(ROOT / "configs" / f"{name}.toml")
    assert schedule.names[:3] == ["random", "greedy", "planner"]


@pytest.mark.parametrize(("text", "says"), [
    ("pairs = 3\nbots = [{spec = 'random'}, {spec = 'gredy'}]", "did you mean 'greedy'"),
    ("pairs = 3\nbots = [{spec = 'random'}]", "at least two"),
    ("bots = [{spec = 'random'}, {spec = 'random'}]", "'random' is there twice"),
    ("pairs = 0\nbots = [{spec = 'random'}, {spec = 'greedy'}]", "pairs=0: must be from 1"),
    ("pairs = 1.5\nbots = [{spec = 'random'}, {spec = 'greedy'}]", "must be a whole number"),
    ("seed = -1\nbots = [{spec = 'random'}, {spec = 'greedy'}]", "seed=-1"),
    ("bots = [{spec = 'random'}, {spec = 'greedy', pears = 3}]", "unknown key 'pears'"),
    ("bots = [{spec = 'random'}, {spec = 'greedy', pairs = 0}]", "greedy: pairs=0"),
    ("bots = [{spec = 'random'}, 'greedy', {name = 'x'}]", "must have spec"),
    ("bots = 3", "bots must be a list"),
    ("", "bots is missing"),
    ("pears = 3\nbots = []", "unknown key 'pears'"),
    ("bots = ['random', 'greedy']\n[options]\nplayers = 3", "players"),
    ("bots = ['random', 'greedy']\n[options]\nnum_players = 5", "num_players"),
    ("bots = ['random', 'greedy', 'planner']\nmatches = [['random', 'greedy']]", "no chain"),
    ("bots = ['random', 'greedy']\nmatches = [['random', 'planner']]", "not among the bots"),
    ("bots = ['random', 'greedy']\nmatches = [['random']]", "two different bots"),
    ("bots = ['random', 'greedy']\nmatches = ['random']", "two different bots"),
    ("bots = ['random', 'greedy']\nmatches = 3", "matches must be a list"),
    ("bots = ['random', 'greedy']\nmatches = [3]", "two different bots"),
    ("bots = [", "is no valid TOML"),
    ("anchor = 'gredy'\nbots = ['random', 'greedy']", "'gredy' is not among the bots (did you"),
    ("anchor = 3\nbots = ['random', 'greedy']", "anchor: 3 is not among the bots"),
    ("bots = ['random', 'ckpt:nowhere']", "nowhere"),
    ("bots = ['random', {spec = 'greedy', name = 3}]", "must be a word"),
])  # fmt: skip
def test_a_mistake_in_a_config_is_one_line(tmp_path: Path, text: str, says: str) -> None:
    result = hemlock("ladder", config_at(tmp_path, text), "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert says in result.stderr and result.stderr.count("\n") == 1
    assert result.stdout == "" and not (tmp_path / "out").exists()


def test_other_mistakes_are_one_line_too(tmp_path: Path) -> None:
    config = config_at(tmp_path)
    (tmp_path / "file").write_text("")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "ladder.json").write_text("[" * 100_000)
    for words, says in (
        (["ladder", tmp_path / "missing.toml"], "can't be read"),
        (["ladder", config, "--out", tmp_path / "file" / "in"], "can't be written"),
        (["ladder", config, "--processes", "0", "--out", tmp_path / "out"], "--processes"),
        (["ladder", config, "--report-only", "--out", tmp_path / "new"], "no ladder has been"),
        (["ladder", config, "--anchor", "me", "--out", tmp_path / "new"], "'me' is not among"),
        (["ladder", config, "--report-only", "--out", tmp_path / "deep"], "choose another folder"),
    ):
        result = hemlock(*words)
        assert result.exit_code == 2, words
        assert says in result.stderr and result.stderr.count("\n") == 1
    assert not (tmp_path / "new").exists()


LONG = """
seed = 3
bots = [{spec = "random"}, {spec = "greedy"}, {spec = "mcts:iterations=300", pairs = 64}]
"""


@pytest.mark.slow
@pytest.mark.parametrize(("number", "send"), [
    (signal.SIGINT, os.kill),  # to the first process alone
    (signal.SIGINT, os.killpg),  # as a terminal does: all processes hear it
    (signal.SIGHUP, os.killpg),
    (signal.SIGTERM, os.killpg),
])  # fmt: skip
@pytest.mark.parametrize("processes", [1, 2])
def test_a_request_to_end_keeps_what_is_done_and_says_how_to_go_on(
    tmp_path: Path, processes: int, number: signal.Signals, send: Callable[[int, int], None]
) -> None:
    out = tmp_path / "out"
    words = ["ladder", str(config_at(tmp_path, LONG)), "--out", str(out)]
    command = [sys.executable, "-m", "hemlock_env.cli", *words, "--processes", str(processes)]
    run = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 300
    while run.poll() is None and time.monotonic() < deadline:
        if (out / GAMES).exists() and (out / GAMES).stat().st_size > 1000:
            break
        time.sleep(0.05)
    send(run.pid, number)
    _, errors = run.communicate(timeout=120)
    assert run.returncode == 128 + number
    assert "the same command goes on" in errors and "Traceback" not in errors
    assert len(games_of(out)) > 1


@pytest.mark.parametrize(
    ("column", "text"),
    [
        *(("score", "nan"), ("score", "1.5"), ("margin", "inf"), ("margin", ""), ("seat", "7")),
        *(("group", "-1"), ("group", "9" * 30), ("digest", "-1"), ("digest", "f" * 17)),
        *(("decisions_a", "1.5"), ("illegal_b", str(2**63)), ("seconds_a", "-1")),
    ],
)
def test_an_impossible_number_is_named(column: str, text: str, tmp_path: Path) -> None:
    ladder = Ladder(schedule_of(bots=["random", "greedy"], pairs=2), tmp_path)
    ladder.play()
    with open(tmp_path / GAMES, newline="", encoding="utf-8") as lines:
        head, *rows = csv.reader(lines)
    rows[1][head.index(column)] = text
    (tmp_path / GAMES).write_text("".join(f"{','.join(row)}\n" for row in [head, *rows]))
    with pytest.raises(ValueError, match=rf"games.csv: game 2: {column}: '{text}' must be "):
        ladder.standings()


def test_a_mark_before_and_a_binary_tail_of_the_games_do_no_harm(tmp_path: Path) -> None:
    """A tail without its line's end is what a crash leaves; a seat that isn't there is no game."""
    ladder = Ladder(schedule_of(bots=["random", "greedy"], pairs=2), tmp_path)
    before = ladder.play().meetings
    games = (tmp_path / GAMES).read_bytes()
    for tail in (b"\0" * 512, b"random,greedy,1,0,\x00", b"\0" * 512 + b"\n"):
        (tmp_path / GAMES).write_bytes(b"\xef\xbb\xbf" + games + tail)
        assert ladder.standings().meetings == before
    (tmp_path / GAMES).write_bytes(games + b"\xff\xfe\n")
    with pytest.raises(ValueError, match=r"games.csv: is not UTF-8 text"):
        ladder.standings()


def test_other_columns_are_refused(tmp_path: Path) -> None:
    ladder = Ladder(schedule_of(bots=["random", "greedy"], pairs=2), tmp_path)
    ladder.play()
    games = (tmp_path / GAMES).read_text()
    (tmp_path / GAMES).write_text(games.replace("margin", "lead", 1))
    with pytest.raises(ValueError, match=r"games.csv: .*lead: unknown key"):
        ladder.standings()
