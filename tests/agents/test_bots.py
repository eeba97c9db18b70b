"""Bots by name, what they are given, and where their luck comes from."""

from collections import Counter

import numpy as np
import pytest

from hemlock_env import Game, list_bots, make_bot
from hemlock_env.agents import Actions, Bot, Decisions, describe_bots
from hemlock_env.agents.random_bot import RandomBot
from hemlock_env.agents.registry import CallableBot
from hemlock_env.engine.constants import Decision
from hemlock_env.game.keys import mix_keys
from hemlock_env.game.options import check_options
from tests.support.positions import some_games


class Seer(Bot):
    """Keeps what it is given, and plays the lowest legal action."""

    spec = "seer"

    def choose(self, decisions: Decisions) -> Actions:
        self.seen = decisions
        return decisions.legal[:, 0]


# ---- by name ----


def test_every_listed_bot_can_be_made_and_plays_a_game() -> None:
    for name in list_bots():
        bot, game = make_bot(name), Game(seed=1)
        while not game.over:
            game.step(bot.act(game))
        assert bot.spec == name


def test_the_bots_and_the_ways_to_write_others_are_described() -> None:
    names = ["random", "greedy", "planner", "warden", "rollout", "mcts", "cheat-mcts"]
    assert list_bots() == names
    described = list(describe_bots())
    assert [spec.partition("[")[0] for spec in described[:7]] == names
    assert described[7:] == ["ckpt:PATH[:temperature=T]", "MODULE:OBJECT"]


def test_a_bot_is_handed_back_as_it_is() -> None:
    bot = Seer()
    assert make_bot(bot) is bot


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, None])
def test_a_wrong_seed_is_refused(seed: object) -> None:
    with pytest.raises(ValueError, match="seed"):
        make_bot("random", seed=seed)  # type: ignore[arg-type]


# ---- one's own ----

NOT_A_BOT = 3


def lowest(game: Game) -> str:
    return game.action_name(game.legal_actions()[0])


def nonsense(game: Game) -> float:
    return 0.5


def test_a_function_that_takes_a_game_is_a_bot() -> None:
    game = Game(seed=3)
    assert make_bot("tests.agents.test_bots:lowest").act(game) == game.legal_actions()[0]


def test_a_class_of_bots_is_made_with_the_seed() -> None:
    bot = make_bot("tests.agents.test_bots:Seer")
    assert isinstance(bot, Seer)
    assert bot.spec == "tests.agents.test_bots:Seer"


def test_what_is_no_action_is_refused_when_it_acts() -> None:
    with pytest.raises(ValueError, match="nonsense chose action -1, which is illegal"):
        make_bot("tests.agents.test_bots:nonsense").act(Game(seed=3))


@pytest.mark.rule("R13.2")
def test_ones_own_bot_is_given_a_redeal() -> None:
    given: list[Game] = []

    def keep(game: Game) -> int:
        given.append(game.copy())
        return game.legal_actions()[0]

    game = Game(3, agendas=True, loot="hand", seed=4)
    assert game.seat is not None
    bot = CallableBot(keep, "keep")
    for _ in range(8):
        bot.act(game)
    assert len({str(each.to_position()["night_deck"]) for each in given}) > 1
    assert all((each.observe(game.seat) == game.observe(game.seat)).all() for each in given)


# ---- what a bot is given ----


def test_a_decision_is_what_the_deciding_seat_sees() -> None:
    game, bot = Game(3, agendas=True, seed=6), Seer()
    bot.act(game)
    assert game.seat is not None
    assert bot.seen.seat.tolist() == [game.seat]
    assert (bot.seen.observation[0] == game.observe(game.seat)).all()
    assert (bot.seen.mask[0] == game.action_mask()).all()
    assert bot.seen.legal[0, : bot.seen.legal_count[0]].tolist() == game.legal_actions()


@pytest.mark.rule("R13.6")
def test_what_a_bot_imagines_hides_the_truth_and_keeps_what_is_known() -> None:
    games, rows = some_games(num_players=3, loot="hand", agendas=True)
    decisions = Decisions(games, check_options(games.spec.card_set, 3), rows, rows.astype("u8"))
    imagined = decisions.imagine()
    assert (imagined.observations == games.observations[rows]).all()
    assert (imagined.masks == games.masks[rows]).all()
    assert not np.isin(imagined.states["seed"], games.states["seed"]).any()
    assert (imagined.states["agenda"] != games.states["agenda"][rows]).any()
    assert (imagined.states["loot_hand"] != games.states["loot_hand"][rows]).any()


def test_keys_do_not_come_from_the_games_seed() -> None:
    one, other = Seer(seed=5), Seer(seed=5)
    one.act(Game(seed=1))
    other.act(Game(seed=2))
    assert one.seen.keys == other.seen.keys


def test_a_bot_draws_a_new_key_each_time_and_seeds_share_none() -> None:
    keys = []
    for seed in (0, 1, 2):
        bot = Seer(seed=seed)
        for _ in range(50):
            bot.act(Game(seed=1))
            keys.append(int(bot.seen.keys[0]))
    assert len(set(keys)) == 150


def test_mixed_keys_look_random_even_for_neighbours() -> None:
    keys = mix_keys(np.arange(64)[:, None], np.arange(64))
    bits = np.unpackbits(keys.reshape(-1, 1).view(np.uint8), axis=1)
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 0.04
    assert len(np.unique(keys)) == 64 * 64


def test_random_plays_each_legal_action_about_equally_often() -> None:
    game, bot = Game(seed=2), make_bot("random")
    counts = Counter(bot.act(game) for _ in range(2_000))
    assert Decision(int(game.state["decision"])) == Decision.USE_LOOT
    assert set(counts) == set(game.legal_actions())
    assert all(abs(count - 400) < 80 for count in counts.values())


def test_global_random_state_is_neither_read_nor_changed() -> None:
    np.random.seed(1)
    before = np.random.get_state()[1].tolist()  # type: ignore[index]
    first = make_bot("greedy", seed=3).act(Game(seed=4))
    np.random.seed(2)
    assert make_bot("greedy", seed=3).act(Game(seed=4)) == first
    np.random.seed(1)
    make_bot("random").act(Game(seed=4))
    assert np.random.get_state()[1].tolist() == before  # type: ignore[index]


# ---- old names ----


def test_the_old_names_work_and_say_the_new_ones() -> None:
    with pytest.warns(DeprecationWarning, match="Decisions"):
        from hemlock_env.agents import Situations
    assert Situations is Decisions
    game = Game(seed=6)
    with pytest.warns(DeprecationWarning, match="true_state"):
        true = Decisions.of(game, np.zeros(1, np.uint64)).truth()
    assert (true.states == game.arrays.states).all()


class Refusing(RandomBot):
    """One that can't be made."""

    def __init__(self, seed: int = 0) -> None:
        raise ValueError("not today")
