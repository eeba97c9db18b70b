"""The shipped endgames are what they say, and a bot is measured on them as it should be."""

import gzip
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from hemlock_env.agents import Actions, Bot, Decisions
from hemlock_env.cli import main, output
from hemlock_env.evaluation import endgames
from hemlock_env.evaluation.endgames import (
    POSITIONS,
    Endgames,
    EndgameTest,
    load_endgames,
    make_endgames,
    play_endgames,
)
from hemlock_env.evaluation.endgames.make import STAGES, stages_of
from hemlock_env.evaluation.endgames.positions import SHIPPED
from hemlock_env.search.solver import solve

ROOT = Path(__file__).parents[2]


def hemlock(*words: str) -> Result:
    return CliRunner().invoke(main, ["endgames", *words])


@pytest.fixture(scope="module")
def shipped() -> Endgames:
    return load_endgames()


class Told(Bot):
    """Plays the best action of each position, or the worst one."""

    spec = "told"

    def __init__(self, known: Endgames, best: bool = True) -> None:
        super().__init__()
        self.known, self.best, self.next = known, best, 0

    def choose(self, decisions: Decisions) -> Actions:
        chosen = []
        for legal, count in zip(decisions.legal, decisions.legal_count, strict=True):
            values = self.known.values[self.next, :count]
            chosen.append(legal[values.argmax() if self.best else values.argmin()])
            self.next += 1
        return np.array(chosen, np.int16)


class Lawless(Bot):
    """An illegal action each time."""

    spec = "lawless"

    def choose(self, decisions: Decisions) -> Actions:
        illegal = decisions.mask.argmin(axis=1).astype(np.int16)
        illegal[::2] = -1
        return illegal


class Lowest(Bot):
    """Always the lowest legal action."""

    spec = "lowest"

    def choose(self, decisions: Decisions) -> Actions:
        return decisions.legal[:, 0]


# ---- the shipped set ----


def test_it_has_a_thousand_different_positions(shipped: Endgames) -> None:
    assert len(shipped) == POSITIONS == 1_000
    assert len({state.tobytes() for state in shipped.games.states}) == POSITIONS


def test_it_goes_through_the_last_night(shipped: Endgames) -> None:
    assert stages_of(shipped.games.states) == shipped.stages
    assert Counter(shipped.stages) == Counter(list(STAGES) * (POSITIONS // len(STAGES)))
    assert np.bincount(shipped.games.seats).min() > 300


def test_in_each_position_something_can_be_missed(shipped: Endgames) -> None:
    counts = shipped.games.counts
    kinds = [len({*row[:count]}) for row, count in zip(shipped.values, counts, strict=True)]
    assert min(kinds) >= 2


def test_its_values_are_the_solvers(shipped: Endgames) -> None:
    deep = ("loot 1", "loot 2")
    for place in [place for place in range(0, 1_000, 9) if shipped.stages[place] not in deep]:
        game = shipped.game(place)
        numbers = [2 * value.margin + value.outcome for value in solve(game).values.values()]
        assert shipped.values[place, : len(numbers)].tolist() == numbers


def test_the_deepest_values_are_what_the_best_action_leads_to(shipped: Endgames) -> None:
    """Its value is that of the next position, where one choice fewer is left to solve."""
    for place in [place for place in range(1_000) if shipped.stages[place] == "loot 2"][:3]:
        game = shipped.game(place)
        numbers = shipped.values[place, : len(game.legal_actions())]
        seat, best = game.seat, int(numbers.argmax())
        game.step(game.legal_actions()[best])
        value = solve(game).value
        number = 2 * value.margin + value.outcome
        assert numbers[best] == (number if game.seat == seat else -number)


def test_it_is_small() -> None:
    assert SHIPPED.stat().st_size < 300_000


def test_its_first_positions_are_the_first_of_all(shipped: Endgames) -> None:
    first = load_endgames(positions=20)
    assert len(first) == 20
    assert (first.values == shipped.values[:20]).all()
    assert first.game(3).to_position() == shipped.game(3).to_position()


# ---- how it is made ----


def test_the_same_seed_makes_the_same_bytes() -> None:
    made = make_endgames(5, seed=11)
    assert made == make_endgames(5, seed=11)
    assert made != make_endgames(5, seed=12)


def test_a_made_set_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "own.json.gz"
    told: list[int] = []
    path.write_bytes(make_endgames(5, seed=11, progress=lambda done, _: told.append(done)))
    own = load_endgames(path)
    assert own.stages == list(STAGES[:5])
    assert told == sorted(told) and told[-1] == 5
    assert play_endgames(Told(own), path=path).missed == 0


@pytest.mark.parametrize("positions", [0, -3, 1.5, True, "ten", 10**9])
def test_a_number_of_positions_that_can_not_be_made_is_refused(positions: Any) -> None:
    with pytest.raises(ValueError, match="positions="):
        make_endgames(positions)


# ---- a set that is not of these rules ----


def changed(tmp_path: Path, **changes: Any) -> Path:
    """The first ten positions with another head."""
    stored = json.loads(gzip.decompress(SHIPPED.read_bytes()))
    stored["positions"] = stored["positions"][:10]
    path = tmp_path / "changed.json.gz"
    path.write_bytes(gzip.compress(json.dumps({**stored, **changes}).encode()))
    return path


def test_a_set_for_other_rules_is_refused(tmp_path: Path) -> None:
    path = changed(tmp_path, rules="0123456789abcdef")
    with pytest.raises(ValueError, match="was made for other cards or rules"):
        load_endgames(path)


def test_a_set_of_another_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="isn't a set of endgames"):
        load_endgames(changed(tmp_path, format="hemlock-endgames/2"))


@pytest.mark.parametrize("content", [
    *(b"", b"no gzip", b"\x1f\x8b\x08"),
    *(gzip.compress(b"no JSON"), gzip.compress(b"[" * 100_000)),
], ids=range(5))  # fmt: skip
def test_what_is_no_set_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"other: (isn't a set|can't be read)"):
        load_endgames(path)


def test_a_broken_position_is_named(tmp_path: Path) -> None:
    rows = json.loads(gzip.decompress(SHIPPED.read_bytes()))["positions"][:3]
    rows[2]["position"]["night"] = 9
    with pytest.raises(ValueError, match=r"position 2 is damaged.*night"):
        load_endgames(changed(tmp_path, positions=rows))


def test_an_action_without_a_value_is_named(tmp_path: Path) -> None:
    rows = json.loads(gzip.decompress(SHIPPED.read_bytes()))["positions"][:3]
    name = next(iter(rows[1]["values"]))
    del rows[1]["values"][name]
    with pytest.raises(ValueError, match=rf"position 1 is damaged.*{name}"):
        load_endgames(changed(tmp_path, positions=rows))


# ---- what is measured ----


def test_the_best_actions_lose_nothing(shipped: Endgames) -> None:
    result = play_endgames(Told(shipped))
    assert (result.missed, result.outcome_lost, result.margin_lost) == (0, 0, 0)
    assert result.missed_interval[1] < 0.005
    assert result.margin_interval == (0, 0)
    assert set(result.stages.values()) == {0}


def test_the_worst_actions_lose_all_there_is(shipped: Endgames) -> None:
    result = play_endgames(Told(shipped, best=False))
    numbers = [row[:count] for row, count in zip(shipped.values, shipped.games.counts, strict=True)]
    lost = [(np.sign(row.max()) - np.sign(row.min())) / 2 for row in numbers]
    assert result.missed == 1
    assert result.outcome_lost == pytest.approx(np.mean(lost))
    spread = np.mean([row.max() - row.min() for row in numbers])
    assert result.margin_lost == pytest.approx((spread - 2 * np.mean(lost)) / 2)
    low, high = result.margin_interval
    assert low < result.margin_lost < high


def test_an_illegal_action_is_counted_and_the_lowest_legal_one_taken() -> None:
    lawless, lowest = play_endgames(Lawless(), 40), play_endgames(Lowest(), 40)
    assert (lawless.illegal, lowest.illegal) == (40, 0)
    assert lawless.digest == lowest.digest


@pytest.mark.parametrize("bot", ["random", "greedy", "planner", "mcts:iterations=20"])
def test_the_shipped_bots_play_no_illegal_action(bot: str) -> None:
    assert play_endgames(bot, 60).illegal == 0


def test_more_iterations_of_mcts_miss_less() -> None:
    few = play_endgames("mcts:iterations=30", 100)
    many = play_endgames("mcts:iterations=1000", 100)
    assert many.missed < few.missed
    assert many.margin_lost < few.margin_lost


def test_greedy_is_nearer_to_the_best_than_random() -> None:
    greedy, random = play_endgames("greedy"), play_endgames("random")
    assert greedy.missed_interval[1] < random.missed_interval[0]
    assert greedy.margin_interval[1] < random.margin_interval[0]


@pytest.mark.parametrize("chunk", [1, 7, 1_000])
def test_the_size_of_a_chunk_changes_nothing(chunk: int) -> None:
    test = EndgameTest("random", 30, seed=4)
    assert test.play(chunk=chunk).digest == test.play().digest


def test_the_seed_counts() -> None:
    assert play_endgames("random", 50, 1).digest == play_endgames("random", 50, 1).digest
    assert play_endgames("random", 50, 1).digest != play_endgames("random", 50, 2).digest


def test_progress_runs_up_to_all_positions() -> None:
    told: list[tuple[int, int]] = []
    play_endgames("random", 120, progress=lambda done, of: told.append((done, of)))
    assert told[:2] == [(0, 120), (4, 120)] and told[-1] == (120, 120) and told == sorted(told)


def test_another_process_finds_the_same_numbers() -> None:
    words = ["endgames", "mcts:iterations=20", "--positions", "30", "--seed", "3", "--json"]
    code = f"from hemlock_env.cli import main; main({words!r})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    there, here = json.loads(done.stdout), play_endgames("mcts:iterations=20", 30, 3).as_dict()
    assert {**there, "ms": 0} == {**json.loads(json.dumps(here)), "ms": 0}


@pytest.mark.parametrize(("changes", "says"), [
    ({"bot": "greedi"}, "unknown bot 'greedi'"),
    ({"positions": 0}, "positions=0: must be from 1 to 1000"),
    ({"positions": 1_001}, "positions=1001"),
    ({"positions": 2.0}, "positions=2.0: must be a whole number"),
    ({"seed": -1}, "seed=-1"),
    ({"path": "no/such/set"}, "no/such/set: can't be read: No such file"),
])  # fmt: skip
def test_what_can_not_be_is_refused(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        play_endgames(**{"bot": "random", **changes})


def test_a_bot_that_answers_for_too_few_positions_is_named() -> None:
    class Short(Lowest):
        def choose(self, decisions: Decisions) -> Actions:
            return decisions.legal[:1, 0]

    with pytest.raises(TypeError, match="lowest: choose must return 4 whole numbers"):
        play_endgames(Short())


# ---- the command ----


def test_the_command_prints_a_table() -> None:
    done = hemlock("greedy", "--positions", "50")
    assert done.exit_code == 0
    assert "greedy in 50 endgames, seed 0" in done.stdout
    for name in ("best action missed", "outcome lost", "margin lost", "missed, claims", "time"):
        assert name in done.stdout


def test_the_command_prints_json() -> None:
    told = json.loads(hemlock("greedy", "--positions", "50", "--json").stdout)
    result = play_endgames("greedy", 50)
    assert told["missed"] == result.missed
    assert told["margin_interval"] == list(result.margin_interval)
    assert told["digest"] == result.digest


def test_a_slow_bot_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NOTICED", "SLOW"):
        monkeypatch.setattr(output, name, 0.0)
    done = hemlock("random", "--positions", "60")
    assert done.stderr.count("to go for 60 positions") == 1


def test_the_command_makes_a_set(tmp_path: Path) -> None:
    path = tmp_path / "own.json.gz"
    done = hemlock("--make", str(path), "--positions", "5", "--seed", "11")
    assert done.exit_code == 0
    assert path.read_bytes() == make_endgames(5, seed=11)
    assert [file.name for file in tmp_path.iterdir()] == ["own.json.gz"]
    assert hemlock("random", "--set", str(path)).exit_code == 0


@pytest.mark.parametrize(("words", "says"), [
    ([], "name a BOT to test"),
    (["greedi"], "unknown bot 'greedi'"),
    (["random", "--positions", "0"], "positions=0: must be from 1 to 1000"),
    (["random", "--positions", "many"], "'many' is not a valid int"),
    (["random", "--set", "no/such"], "no/such: can't be read"),
    (["random", "--make", "x"], "--make goes with --positions and --seed alone"),
    (["--make", "no/such/folder/x"], "no/such/folder/x can't be written: No such file"),
    (["--make", "x", "--positions", "0"], "positions=0: must be from 1 to"),
])  # fmt: skip
def test_what_is_asked_wrongly_is_refused_in_one_line(
    words: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = hemlock(*words)
    assert done.exit_code == 2
    assert says in done.stderr and done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    there = tmp_path / "x"
    there.write_text("precious")
    done = hemlock("--make", str(tmp_path / "x"), "--positions", "5")
    assert done.exit_code == 2 and "is there already" in done.stderr
    assert there.read_text() == "precious"
    assert len(list(tmp_path.iterdir())) == 1


def test_what_is_broken_off_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(endgames, "make_endgames", broken)
    assert hemlock("--make", str(tmp_path / "x")).exit_code == 130
    assert list(tmp_path.iterdir()) == []
