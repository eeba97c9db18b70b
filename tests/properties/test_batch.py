"""`Batch` plays exactly the games that `Game` plays, and pays what the rules say."""

from random import Random

import numpy as np
import pytest

from hemlock_env import Batch, Game
from tests.support.play import VARIANTS, Options, canonical, name_of, odd_sets, played
from tests.support.random_sets import as_card_set, bare_set

BY_VARIANT = pytest.mark.parametrize("options", VARIANTS, ids=name_of)
GAMES = 6


def seeds_of(batch: Batch) -> list[int]:
    """The seed of each running game."""
    return [int(seed) for seed in batch.games["seed"]]


def games_of(batch: Batch, **options) -> list[Game]:
    """The same games, one by one."""
    return [Game(**options, seed=seed) for seed in seeds_of(batch)]


def assert_same(batch: Batch, slot: int, game: Game) -> None:
    """One slot of a batch shows what the game shows."""
    legal = game.legal_actions()
    assert batch.seat[slot] == (-1 if game.over else game.seat)
    assert batch.legal_count[slot] == len(legal)
    assert batch.legal[slot].tolist() == legal + [-1] * (40 - len(legal))
    assert batch.mask[slot].tobytes() == game.action_mask().tobytes()
    looking = 0 if game.over else game.seat
    assert batch.observation[slot].tobytes() == game.observe(looking).tobytes()


def outcome(game: Game) -> list[float]:
    """Winners share +1, losers share -1; a draw of all is 0 for all."""
    n, won = game.num_players, game.winners()
    if len(won) == n:
        return [0.0] * n
    return [1 / len(won) if seat in won else -1 / (n - len(won)) for seat in range(n)]


def margin(game: Game) -> list[float]:
    """Own influence less the mean of the rivals', over 20."""
    scores, n = game.scores(), game.num_players
    return [(own - (sum(scores) - own) / (n - 1)) / 20 for own in scores]


@BY_VARIANT
def test_a_batch_plays_the_games_of_its_seeds_step_by_step(options):
    batch = Batch(GAMES, seed=1, **options)
    games = games_of(batch, **options)
    ended = [False] * GAMES
    while not all(ended):
        for slot, game in enumerate(games):
            assert_same(batch, slot, game)
        actions = batch.sample()
        batch.step(np.maximum(actions, 0))
        for slot, game in enumerate(games):
            if ended[slot]:
                assert not batch.done[slot] and not batch.rewards[slot].any()
                continue
            game.step(int(actions[slot]))
            ended[slot] = game.over
            assert batch.done[slot] == game.over
            wanted = outcome(game) if game.over else [0.0] * game.num_players
            assert batch.rewards[slot].tolist() == pytest.approx(wanted)
    for slot, game in enumerate(games):
        assert batch.scores[slot].tolist() == game.scores()
        assert np.flatnonzero(batch.winners[slot]).tolist() == game.winners()


@pytest.mark.parametrize("options", VARIANTS[::3], ids=name_of)
def test_with_autoreset_a_new_game_follows_at_once(options):
    batch = Batch(GAMES, seed=2, autoreset=True, reward="margin", **options)
    games, ends = games_of(batch, **options), 0
    while ends < 3 * GAMES:
        actions = batch.sample()
        batch.step(actions)
        for slot, game in enumerate(games):
            game.step(int(actions[slot]))
            assert batch.done[slot] == game.over
            if game.over:
                ends += 1
                assert batch.scores[slot].tolist() == game.scores()
                assert batch.rewards[slot].tolist() == pytest.approx(margin(game), abs=1e-6)
                seed = seeds_of(batch)[slot]
                assert seed != game.record()["seed"]
                games[slot] = Game(**options, seed=seed)
            else:
                assert not batch.rewards[slot].any()
            assert_same(batch, slot, games[slot])


def test_autoreset_can_be_asked_for_at_each_step():
    batch = Batch(50, seed=3)
    while not batch.done.any():
        batch.step(batch.sample())
    assert (batch.seat[batch.done] == -1).all()
    again = Batch(50, seed=3)
    while not again.done.any():
        again.step(again.sample(), autoreset=True)
    assert (again.done == batch.done).all() and (again.seat >= 0).all()


def test_the_games_that_follow_each_other_in_a_slot_are_different():
    batch = Batch(4, seed=4, autoreset=True)
    seeds = [set(seeds_of(batch))]
    for _ in range(3):
        batch.reset()
        seeds.append(set(seeds_of(batch)))
    assert len(set.union(*seeds)) == 16


def test_reset_starts_the_games_of_the_seeds_given():
    batch = Batch(3, seed=5, num_players=3, agendas=True)
    batch.step(batch.sample())
    batch.reset(seeds=[7, 8, 2**63 - 1])
    for slot, seed in enumerate((7, 8, 2**63 - 1)):
        assert_same(batch, slot, Game(3, agendas=True, seed=seed))


@BY_VARIANT
def test_stored_games_are_put_back_and_go_on_alike(options):
    batch = Batch(GAMES, seed=6, **options)
    batch.play_random(40)
    stored, observations = batch.games.copy(), batch.observation.copy()
    legal = batch.legal.copy()
    batch.play_random(30)
    other = Batch(GAMES, seed=7, **options)
    other.restore(stored)
    assert other.observation.tobytes() == observations.tobytes()
    assert (other.legal == legal).all()
    batch.restore(stored)
    for _ in range(20):
        actions = np.maximum(batch.legal[:, 0], 0)
        batch.step(actions)
        other.step(actions)
        assert batch.games.tobytes() == other.games.tobytes()
        assert batch.observation.tobytes() == other.observation.tobytes()


def test_a_stored_slice_can_be_restored_in_a_smaller_batch():
    batch = Batch(10, seed=8)
    batch.play_random(np.arange(10) * 7)
    small = Batch(3, seed=0)
    small.restore(batch.games[4:7])
    assert small.observation.tobytes() == batch.observation[4:7].tobytes()


def test_only_legal_actions_are_sampled_each_about_as_often():
    batch = Batch(1, seed=9)
    legal = batch.legal[0, : batch.legal_count[0]].tolist()
    drawn = [int(batch.sample()[0]) for _ in range(1000)]
    assert set(drawn) == set(legal)
    assert all(abs(drawn.count(action) - 1000 / len(legal)) < 60 for action in legal)


def test_finished_games_are_sampled_as_none():
    batch = Batch(5, seed=10)
    batch.play_random(1000)
    assert batch.sample().tolist() == [-1] * 5


def test_sampling_moves_no_chance_of_the_games():
    batch, other = Batch(5, seed=11), Batch(5, seed=11)
    for _ in range(10):
        batch.sample()
    assert batch.games.tobytes() == other.games.tobytes()


def test_random_play_in_the_kernel_is_stepping_with_sampled_actions():
    batch, other = Batch(8, seed=12), Batch(8, seed=12)
    batch.play_random(25)
    for _ in range(25):
        other.step(other.sample())
    assert batch.games.tobytes() == other.games.tobytes()
    assert batch.observation.tobytes() == other.observation.tobytes()


@BY_VARIANT
def test_a_batch_of_one_is_a_game(options):
    batch = Batch(1, seed=13, **options)
    game = Game(**options, seed=seeds_of(batch)[0])
    rng = Random(13)
    while not game.over:
        assert_same(batch, 0, game)
        action = rng.choice(game.legal_actions())
        batch.step([action])
        game.step(action)
    assert_same(batch, 0, game)
    assert batch.rewards[0].tolist() == pytest.approx(outcome(game))


def test_games_of_a_batch_do_not_depend_on_how_many_there_are():
    small, large = Batch(3, seed=14), Batch(30, seed=14)
    small.play_random(50)
    large.play_random(50)
    assert small.games.tobytes() == large.games[:3].tobytes()


def test_a_batch_of_odd_cards_plays_them():
    for number, (_, cards) in enumerate(odd_sets(8)):
        options: Options = {**VARIANTS[2 * number], "card_set": cards}
        batch = Batch(2, seed=number, **options)
        games = games_of(batch, **options)
        for _ in range(60):
            actions = np.maximum(batch.sample(), 0)
            batch.step(actions)
            for slot, game in enumerate(games):
                if not game.over:
                    game.step(int(actions[slot]))
                assert_same(batch, slot, game)


def test_two_card_sets_side_by_side_do_not_disturb_each_other():
    (_, one), (_, other) = odd_sets(2)
    games = Game(card_set=one, seed=1), Game(card_set=other, seed=1)
    alone = [canonical(played(game.copy(), 1000).to_position()) for game in games]
    rngs = Random(0), Random(0)
    while not all(game.over for game in games):
        for game, rng in zip(games, rngs, strict=True):
            if not game.over:
                game.step(rng.choice(game.legal_actions()))
    assert [canonical(game.to_position()) for game in games] == alone


# ---- pay-offs ----


@pytest.mark.pitfall("S17")
@pytest.mark.parametrize("reward", ["outcome", "margin"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_ten_thousand_games_pay_sums_of_zero_within_their_range(players, reward):
    batch = Batch(10_000, seed=15, num_players=players, agendas=True, reward=reward)
    batch.play_random(1000)
    assert batch.done.all() or (batch.seat == -1).all()
    assert np.abs(batch.rewards.sum(axis=1)).max() < 1e-6
    if reward == "outcome":
        assert np.abs(batch.rewards).max() <= 1
    best = batch.scores.max(axis=1, keepdims=True)
    winners = batch.winners == 1
    assert winners.any(axis=1).all()
    assert (batch.scores[winners] == np.broadcast_to(best, winners.shape)[winners]).all()
    alone = winners.sum(axis=1) == 1
    if reward == "outcome":
        assert (batch.rewards[alone][winners[alone]] == 1).all()
        assert batch.rewards[alone][~winners[alone]] == pytest.approx(-1 / (players - 1))


@pytest.mark.pitfall("S17")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_shared_wins_and_draws_are_paid_as_the_rules_say(players):
    """R10.6, with cards that hardly score, so that many games end in a tie."""
    options: Options = {"num_players": players, "card_set": as_card_set(bare_set())}
    batch = Batch(150, seed=16, **options)
    games = games_of(batch, **options)
    while (batch.seat >= 0).any():
        actions = np.maximum(batch.sample(), 0)
        batch.step(actions)
        for slot, game in enumerate(games):
            if not game.over:
                game.step(int(actions[slot]))
                if game.over:
                    assert batch.rewards[slot].tolist() == pytest.approx(outcome(game))
                    assert np.flatnonzero(batch.winners[slot]).tolist() == game.winners()
    assert any(len(game.winners()) == players for game in games)
    assert players == 2 or any(1 < len(game.winners()) < players for game in games)
