"""R13: what is hidden is drawn again in any way that fits what a seat knows; it can't tell."""

from collections import Counter

import pytest

from hemlock_env import Game
from tests.support.play import (
    VARIANTS,
    canonical,
    name_of,
    played,
    problems,
    sample,
    state_bytes,
    visible,
)

BY_VARIANT = pytest.mark.parametrize("options", VARIANTS, ids=name_of)
REDEALS = 60  # of one game, where all that can change must have changed


def seats_of(games):
    """Each game with each of its seats."""
    return [(game, seat) for game in games for seat in range(game.num_players)]


def redeals(game, seat):
    """Some redeals of one game, as positions."""
    return [game.redeal(seat, seed).to_position() for seed in range(REDEALS)]


# ---- what stays ----


def test_a_redeal_leaves_the_observation_unchanged_to_the_bit():
    for game, seat in seats_of(sample()):
        assert game.redeal(seat, 1).observe(seat).tobytes() == game.observe(seat).tobytes()


def test_a_redeal_leaves_mask_and_legal_actions_of_the_seat_unchanged():
    for game, seat in seats_of(sample()):
        again = game.redeal(seat, 2)
        assert again.action_mask(seat).tobytes() == game.action_mask(seat).tobytes()
        assert seat != game.seat or again.legal_actions() == game.legal_actions()


def test_a_redeal_leaves_what_is_printed_unchanged():
    for game, seat in seats_of(sample()):
        assert repr(game.redeal(seat, 3)) == repr(game)


def test_a_redeal_leaves_all_that_the_seat_may_know_unchanged():
    """R13.1 to R13.5, `known` and the sizes of hands included."""
    for game, seat in seats_of(sample()):
        again = game.redeal(seat, 4).to_position()
        assert visible(again, seat) == visible(game.to_position(), seat)


def test_a_redeal_leaves_the_original_unchanged():
    for game, seat in seats_of(sample(every=3)):
        before = state_bytes(game)
        played(game.redeal(seat, 5), 3)
        assert state_bytes(game) == before


def test_a_redeal_of_a_finished_game_is_a_copy():
    for game in (game for game in sample() if game.over):
        assert state_bytes(game.redeal(0, 7)) == state_bytes(game)


def test_two_players_without_variants_have_nothing_hidden_but_what_is_to_come():
    """R13.3"""
    for number in range(20):
        game = played(Game(sides="random", seed=number), 6 * number, number)
        for position in redeals(game, number % 2):
            hidden = {"night_deck": game.to_position()["night_deck"], "rng": None}
            assert position | hidden == game.to_position() | hidden


# ---- what fits ----


def test_a_redealt_game_conserves_all_cards_and_keeps_to_what_is_known():
    """R1.5, R13.4, R13.5: no used loot card is held again, no hand has less than is known."""
    for game, seat in seats_of(sample()):
        assert problems(game.redeal(seat, 8).to_position(), game.card_set) == []


def test_a_redealt_game_is_a_position_that_can_be_read():
    for game, seat in seats_of(sample(every=2)):
        position = game.redeal(seat, 9).to_position()
        read = Game.from_position(position, card_set=game.card_set)
        assert canonical(read.to_position()) == canonical(position)


def test_in_a_redealt_game_whoever_decides_still_has_a_choice():
    """R13.6"""
    games = [game for game in sample() if not game.over]
    for seed in range(3):
        for game, seat in seats_of(games):
            assert len(game.redeal(seat, seed).legal_actions()) >= 2


def test_a_redealt_game_can_be_played_to_its_end():
    for number, (game, seat) in enumerate(seats_of(sample(every=7))):
        again = played(game.redeal(seat, number), 1000)
        assert again.over and problems(again.to_position(), game.card_set) == []


# ---- what it may depend on ----


def test_a_redeal_depends_on_seat_and_seed_alone():
    for game, seat in seats_of(sample(every=3)):
        assert state_bytes(game.redeal(seat, 10)) == state_bytes(game.redeal(seat, 10))


def test_a_redeal_does_not_depend_on_the_true_deal():
    """Redealt from another deal that looks the same, the same seed gives the same game."""
    for game, seat in seats_of(sample()):
        other = game.redeal(seat, 11)
        assert state_bytes(other.redeal(seat, 12)) == state_bytes(game.redeal(seat, 12))


def test_a_redeal_does_not_depend_on_the_seed_of_the_game():
    """The chance still to come is hidden too."""
    for game, seat in seats_of(sample(every=5)):
        if not game.over:
            position = game.to_position()
            elsewhere = position | {"rng": {"seed": position["rng"]["seed"] ^ 12345}}
            one, other = (
                Game.from_position(each, card_set=game.card_set) for each in (position, elsewhere)
            )
            assert state_bytes(one.redeal(seat, 13)) == state_bytes(other.redeal(seat, 13))


# ---- what changes ----


@BY_VARIANT
def test_the_night_deck_is_shuffled_again(options):
    game = played(Game(**options, seed=1), 5)
    orders = {tuple(position["night_deck"]) for position in redeals(game, 0)}
    assert len(orders) > REDEALS // 2


@BY_VARIANT
def test_the_chance_to_come_is_drawn_again(options):
    """Played on alike, other loot is revealed."""
    game = played(Game(**options, seed=2), 5)
    seeds = {position["rng"]["seed"] for position in redeals(game, 1)}
    assert len(seeds) == REDEALS and game.to_position()["rng"]["seed"] not in seeds


@pytest.mark.parametrize("options", [each for each in VARIANTS if each["agendas"]], ids=name_of)
def test_a_rival_may_hold_any_agenda_but_the_own(options):
    game = played(Game(**options, seed=3), 7)
    for seat in range(game.num_players):
        own = game.to_position()["players"][seat]["agenda"]
        wanted = {agenda.id for agenda in game.card_set.agendas} - {own}
        for rival in set(range(game.num_players)) - {seat}:
            held = {position["players"][rival]["agenda"] for position in redeals(game, seat)}
            assert held == wanted


@pytest.mark.parametrize("options", [e for e in VARIANTS if e["loot"] == "hand"], ids=name_of)
def test_a_rival_may_hold_any_loot_that_is_neither_used_nor_in_the_own_hand(options):
    """R13.5"""
    game = played(Game(**options, seed=4), 3)
    position = game.to_position()
    own = set(position["players"][0]["loot_hand"])
    wanted = {loot.id for loot in game.card_set.loot} - own - set(position["loot_used"])
    held = {
        card
        for again in redeals(game, 0)
        for player in again["players"][1:]
        for card in player["loot_hand"]
    }
    assert position["loot_used"] and held == wanted


@pytest.mark.parametrize("options", [e for e in VARIANTS if e["num_players"] > 2], ids=name_of)
def test_what_is_not_known_of_the_hands_of_rivals_is_dealt_again(options):
    """R13.4: the rest of each hand is open to doubt."""
    game = played(Game(**options, seed=5), 2)
    hands = {canonical(position["players"][2]["hand"]) for position in redeals(game, 0)}
    assert len(hands) > 5


# ---- every fitting deal as likely as any other ----


def test_each_night_card_to_come_is_the_next_equally_often():
    game = played(Game(seed=6), 3)
    first = Counter(game.redeal(0, seed).to_position()["night_deck"][0] for seed in range(1400))
    assert set(first) == set(game.to_position()["night_deck"])
    assert all(abs(count - 200) < 60 for count in first.values()), first


def test_a_rival_holds_each_open_card_as_often_as_its_share_of_the_pool_says():
    """Two rivals with four unknown cards each: the first has half of each kind on average."""
    game = Game(3, seed=7)
    open_cards = Counter()
    for player in game.to_position()["players"][1:]:
        open_cards.update(player["hand"])
    held = Counter()
    for seed in range(1000):
        held.update(game.redeal(0, seed).to_position()["players"][1]["hand"])
    for kind, count in open_cards.items():
        assert abs(held[kind] / 1000 - count / 2) < 0.1, (kind, count, held)


def test_the_seats_of_the_rivals_are_dealt_alike():
    """Whether the first or the last rival has a card is even."""
    game = Game(3, loot="hand", agendas=True, seed=8)
    agendas = Counter(), Counter()
    loot = Counter(), Counter()
    for seed in range(900):
        players = game.redeal(0, seed).to_position()["players"]
        for rival in (1, 2):
            agendas[rival - 1][players[rival]["agenda"]] += 1
            loot[rival - 1].update(players[rival]["loot_hand"])
    for first, second in (agendas, loot):
        assert set(first) == set(second)
        assert all(abs(first[card] - second[card]) < 120 for card in first), (first, second)
