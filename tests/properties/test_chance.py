"""FORMATS, Chance: a seed fixes everything, whatever else happens around the game."""

import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest

from hemlock_env import Batch, Game
from tests.support.play import VARIANTS, canonical, name_of, played, state_bytes, stops, traces

ROOT = Path(__file__).parents[2]
BY_VARIANT = pytest.mark.parametrize("options", VARIANTS, ids=name_of)


def reveals(game: Game) -> list[dict]:
    """All that chance decided: setup and nights."""
    events = played(game, 1000, seed=game.decisions).record()["events"]
    return [event for event in events if "action" not in event]


@BY_VARIANT
def test_equal_seeds_and_actions_give_equal_games(options):
    one, other = (Game(**options, seed=1) for _ in range(2))
    for first, second in zip(stops(one, Random(1)), stops(other, Random(1)), strict=True):
        assert state_bytes(first) == state_bytes(second)


@BY_VARIANT
def test_chance_does_not_depend_on_what_the_players_do(options):
    """Drawn sides and first player, the deal, every night card and every night's loot."""
    games = [Game(**options, seed=2) for _ in range(3)]
    ends = [played(game, 1000, seed=number).record()["events"] for number, game in enumerate(games)]
    first, *others = ([event for event in end if "action" not in event] for end in ends)
    assert ends[0] != ends[1] and others == [first, first]


def test_other_options_leave_the_same_chance_alone():
    """The deal and the night deck are the same with and without agendas or items as loot."""
    setups = [
        Game(3, agendas=agendas, items_as_loot=items, seed=3).record()["events"][0]["setup"]
        for agendas in (False, True)
        for items in (False, True)
    ]
    for key in ("sides", "first_player", "hands", "night_deck"):
        assert all(setup[key] == setups[0][key] for setup in setups)


def test_every_night_has_loot_of_its_own():
    """Each chance event draws from its own stream; the same row twice is a matter of chance."""
    same = 0
    for seed in range(40):
        events = played(Game(seed=seed), 1000).record()["events"]
        rows = [canonical(event["loot"]) for event in events if "loot" in event]
        same += len(rows) - len(set(rows))
    assert same < 40 * 28 / 252 * 3  # 28 pairs of nights, 252 rows


def test_no_two_neighbouring_seeds_share_a_deal_and_a_night_deck():
    seen = set()
    for seed in range(300):
        setup = Game(3, sides="random", seed=seed).record()["events"][0]["setup"]
        seen.add(canonical([setup["hands"], setup["night_deck"]]))
    assert len(seen) == 300


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**32, 2**62, 2**63 - 1])
def test_every_seed_can_be_played_and_comes_back_in_the_record(seed):
    game = played(Game(seed=seed), 1000)
    assert game.over and game.record()["seed"] == seed


def test_without_a_seed_one_is_drawn_and_kept_in_the_record():
    games = [Game(), Game()]
    seeds = [game.record()["seed"] for game in games]
    assert seeds[0] != seeds[1]
    assert state_bytes(Game(seed=seeds[0])) == state_bytes(games[0])


@pytest.mark.pitfall("S13")
def test_no_global_random_state_is_read_or_changed():
    plain, numpy_state = random.getstate(), np.random.get_state()
    quiet = [state_bytes(stop) for stop in stops(Game(3, agendas=True, seed=4), Random(4))]
    Game()
    Batch(3).play_random(20)
    played(Game(seed=5), 30).redeal(0, 1)
    assert random.getstate() == plain
    after = np.random.get_state()
    assert after[0] == numpy_state[0] and (after[1] == numpy_state[1]).all()
    assert after[2:] == numpy_state[2:]
    noisy = []
    for stop in stops(Game(3, agendas=True, seed=4), Random(4)):
        noisy.append(state_bytes(stop))
        random.random()
        np.random.rand()
        played(Game(seed=6), 2)
    random.setstate(plain)
    np.random.set_state(numpy_state)
    assert noisy == quiet


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_another_process_plays_the_same_games(hash_seed):
    """Whatever the order of sets and dicts there."""
    other = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.support.play"],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert other.stdout.splitlines() == list(traces())


# ---- each drawn alike often; over many seeds, within five standard deviations ----


def counted(draw, count):
    """What comes up, over so many seeds."""
    found = Counter()
    for seed in range(count):
        drawn = draw(seed)
        found.update(drawn if isinstance(drawn, list) else [drawn])
    return found


def assert_even(found, wanted, share, count):
    """Each of the wanted outcomes as often as its share says."""
    spread = 5 * (count * share * (1 - share)) ** 0.5
    assert set(found) == set(wanted)
    assert all(abs(each - count * share) < spread for each in found.values()), found


def setup_of(seed, **options):
    """What was drawn before the first night."""
    return Game(**options, seed=seed).record()["events"][0]["setup"]


def test_each_seat_begins_equally_often():
    assert_even(
        counted(lambda seed: setup_of(seed, num_players=4)["first_player"], 1200),
        range(4),
        1 / 4,
        1200,
    )


def test_each_side_of_a_district_is_drawn_equally_often():
    found = counted(lambda seed: tuple(setup_of(seed, sides="random")["sides"]), 1600)
    assert len(found) == 16
    assert_even(found, found, 1 / 16, 1600)


def test_each_night_card_is_first_and_last_equally_often():
    cards = [night.id for night in Game(seed=0).card_set.nights]
    for place in (0, -1):
        found = counted(lambda seed, at=place: setup_of(seed)["night_deck"][at], 1200)
        assert_even(found, cards, 1 / 8, 1200)


def test_each_agenda_is_dealt_to_each_seat_equally_often():
    cards = [agenda.id for agenda in Game(seed=0).card_set.agendas]
    for seat in (0, 2):
        found = counted(
            lambda seed, at=seat: setup_of(seed, num_players=3, agendas=True)["agendas"][at], 1000
        )
        assert_even(found, cards, 1 / 4, 1000)


def test_each_loot_card_is_revealed_equally_often():
    cards = [loot.id for loot in Game(seed=0).card_set.loot]
    found = counted(lambda seed: Game(seed=seed).to_position()["loot_row"], 1200)
    assert_even(found, cards, 1 / 2, 1200)


def test_each_loot_card_is_dealt_to_each_hand_equally_often():
    cards = [loot.id for loot in Game(seed=0).card_set.loot]
    for seat in (0, 1):
        found = counted(
            lambda seed, at=seat: Game(loot="hand", seed=seed).to_position()["players"][at][
                "loot_hand"
            ],
            1200,
        )
        assert_even(found, cards, 3 / 10, 1200)


def test_each_generic_kind_is_dealt_to_each_seat_equally_often():
    found = Counter(), Counter()
    for seed in range(600):
        for seat, hand in enumerate(setup_of(seed)["hands"]):
            found[seat].update(hand)
    for of_seat in found:
        assert set(of_seat) == {"courtesan", "ghoul", "alchemist", "shadow"}
        assert all(abs(each - 600) < 90 for each in of_seat.values()), found
