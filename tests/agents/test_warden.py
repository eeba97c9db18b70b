"""warden holds two districts and spoils the rival in front; and nobody learns against it."""

from pathlib import Path

import pytest

from hemlock_env import Game
from hemlock_env.agents.warden import WardenBot
from hemlock_env.evaluation import play_match
from hemlock_env.search.control import control, security
from hemlock_env.search.heuristics import PARTS
from tests.support.scenario import scenario

ROOT = Path(__file__).parents[2]
BOT = WardenBot()
LAST = {"week": 2, "night": 4, "turn": 1, "supremacy": 1}  # the last special action of a game
ALL_TWOS = ["spires_2", "boneyard_2", "courtyard_2", "alley_maze_2"]


def worth(game: Game, seat: int = 0) -> float:
    """What a position is worth to a seat, in points of its own."""
    return float(control(game.arrays.states[0], game.spec.tables[0], seat)) / PARTS


def held(mine: str, theirs: str, **board: list[str]) -> Game:
    """Before the last special action: all districts are worth two, and held by one masque each."""
    board |= {name: ["masque", ""] for name in mine.split()}
    board |= {name: ["", "masque"] for name in theirs.split()}
    return scenario(board=board, nights=ALL_TWOS, **LAST)


# ---- what a position is worth ----


@pytest.mark.rule("R9.2")
def test_a_marker_in_a_ward_counts_one_and_a_half() -> None:
    assert worth(held(mine="spires boneyard", theirs="alley_maze courtyard")) == 1.5 * 4 - 4


def test_a_third_district_is_no_ward_and_counts_a_third_of_it() -> None:
    game = held(mine="spires boneyard courtyard", theirs="alley_maze")
    assert worth(game) == 1.5 * 4 + 0.5 * 2 - 2


def test_what_the_rival_holds_counts_in_all_districts_alike() -> None:
    assert worth(held(mine="spires", theirs="boneyard alley_maze courtyard")) == 1.5 * 2 - 6


@pytest.mark.rule("R9.3")
def test_a_leader_makes_a_ward_of_a_district_that_others_claim() -> None:
    both = ["leader_spires", "ghoul ghoul shadow shadow courtesan"]  # 3 to 5
    game = held(mine="courtyard", theirs="boneyard alley_maze", spires=both)
    assert worth(game) == 1.5 * (2 + 1) - 6


@pytest.mark.parametrize(("ahead", "rounds", "safe"), [
    (0, 0, 1), (-1, 0, 0),  # a tie claims
    (4, 6, 1), (-5, 6, 0),
    (0, 6, 9 / 16), (1, 6, 11 / 16), (1, 12, 17 / 28), (3, 4, 1), (2, 4, 11 / 12),
])  # fmt: skip
def test_how_safe_a_lead_is(ahead: int, rounds: int, safe: float) -> None:
    assert security(ahead, rounds) == int(PARTS * safe)


def test_of_several_rivals_the_one_in_front_counts() -> None:
    def with_items(*items: str) -> float:
        return worth(scenario(3, items=items))

    assert with_items("", "trinket trinket", "") == with_items("", "trinket trinket", "trinket")
    assert with_items("", "trinket trinket", "") > with_items("", "trinket trinket potion", "")


# ---- what it does ----


def test_where_its_rival_leads_twice_it_takes_back_what_is_worth_more() -> None:
    board = {"spires": ["ghoul", "ghoul ghoul"], "boneyard": ["shadow", "shadow shadow"]}
    game = scenario(hands=["masque"], board=board, nights=["spires_2", "boneyard_1"], **LAST)
    values = BOT.values(game)
    assert max(values, key=lambda action: values[action]) == "play:masque:spires"


def test_it_beats_greedy_and_is_a_match_for_planner() -> None:
    assert play_match("warden", "greedy", 100, seed=9001).score > 0.9
    assert 0.35 < play_match("warden", "planner", 200, seed=9001).score < 0.65


# ---- held out ----


def test_no_config_ladder_curve_script_or_notebook_names_it() -> None:
    """Results against it say something only while nothing was trained, tuned or chosen by it."""
    folders = ("configs", "checkpoints", "training", "examples", "interop", "notebooks")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*")]
    files += [ROOT / "Makefile", *(ROOT / "hemlock_env" / "learning").glob("*.py")]
    files = [file for file in files if file.suffix in (".toml", ".csv", ".py", ".ipynb", "")]
    searched = [file for file in files if file.is_file()]
    assert len(searched) > 40
    assert [file.name for file in searched if b"warden" in file.read_bytes()] == []
