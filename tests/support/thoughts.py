"""What the bots that look ahead, and the solver, think of a few positions.

`python -m tests.support.thoughts` prints it: the same must come from another process, compiled or
not.
"""

import hashlib
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from hemlock_env import Batch, Game
from hemlock_env.agents.greedy import GreedyBot
from hemlock_env.agents.mcts import MctsBot
from hemlock_env.agents.planner import PlannerBot
from hemlock_env.agents.rollout import RolloutBot
from hemlock_env.agents.warden import WardenBot
from hemlock_env.engine.constants import Step
from hemlock_env.envs.vector import HemlockVectorEnv
from hemlock_env.evaluation import play_match
from hemlock_env.network.encoder import FeatureEncoder
from hemlock_env.search.solver import solve
from tests.support.scenario import scenario

BOARD = {"boneyard": ["ghoul", "shadow masque", "leader_boneyard"]}
AGENDAS = ["host_of_the_courtyard", "voice_of_the_alleys", "patron_of_the_spires"]


def using_loot(*row: str) -> Game:
    """A use of loot by one of three, with effects of these cards to go through."""
    return scenario(
        3, phase="loot", row=row, hands=["ghoul", "shadow"], board=BOARD,
        spaces={"boneyard": "0.1/. ./.0."}, nights=["boneyard_2"], items=["trinket"],
        agendas=AGENDAS, items_as_loot=True,
    )  # fmt: skip


def third_night() -> Game:
    """A special action of one of three."""
    return scenario(
        3, night=3, turn=1, hands=["ghoul", "shadow masque"], supremacy=2, board=BOARD,
        nights=["boneyard_2"], items=["trinket"], agendas=AGENDAS,
    )  # fmt: skip


def in_last_night(game: Game) -> bool:
    return bool((game.state["week"], game.state["night"]) == (2, 4))


def random_game_at(seed: int, step: Step) -> Game:
    """A game of random play at the first decision of a step in its last night."""
    game, rng = Game(seed=seed), np.random.default_rng(seed)
    while not (in_last_night(game) and game.state["step"] == step):
        game.step(int(rng.choice(game.legal_actions())))
    return game


def rolled_out() -> dict[str, float]:
    """Mean returns of rollout."""
    found = RolloutBot(n=2, nights=1).values(third_night(), key=3)
    return {name: round(mean, 9) for name, mean in found.items()}


def searched(rollouts: str, iterations: int) -> dict[str, tuple[int, float]]:
    """Visits and shares of mcts."""
    found = MctsBot(iterations, rollouts).values(third_night(), key=3)
    return {name: (each.visits, round(each.share, 9)) for name, each in found.items()}


def solved() -> str:
    """The last special action but one, and a claim."""
    game = random_game_at(24, Step.SPECIAL_DONE)
    game.step("item:scepter")
    return f"{solve(game)} {solve(random_game_at(24, Step.CLAIM))}"


def matched(bot: str) -> str:
    """All decisions of two whole games."""
    return play_match(bot, "random", 2, seed=5).digest


def inputs_of_networks(num_players: int) -> str:
    """Of whole games: derived features are largest at their ends."""
    batch = Batch(4, seed=1, autoreset=True, num_players=num_players, agendas=True, sides="random")
    encoder, digest = FeatureEncoder(batch.spec.layout), hashlib.sha256()
    for _ in range(30):
        batch.play_random(9)
        digest.update(encoder.of(batch.observation).tobytes())
    return digest.hexdigest()


def played_in_environments() -> str:
    """What two learners see who take their lowest legal actions to the end of a game."""
    options = {"opponent": "greedy", "observation": "float"}
    envs, digest = HemlockVectorEnv(2, autoreset_mode="SAME_STEP", **options), hashlib.sha256()
    shown, infos = envs.reset(seed=1)
    for _ in range(70):
        digest.update(shown.tobytes() + infos["action_mask"].tobytes())
        shown, rewards, *_, infos = envs.step(infos["action_mask"].argmax(axis=1))
        digest.update(rewards.tobytes())
    return digest.hexdigest()


THOUGHTS: dict[str, Callable[[], Any]] = {
    "greedy": lambda: GreedyBot().values(using_loot("binding_philtre", "servants_bell"), key=3),
    "planner": lambda: PlannerBot(budget=60).values(
        using_loot("binding_philtre", "smugglers_key"), key=3
    ),
    "warden": lambda: WardenBot().values(third_night(), key=3),
    "rollout": rolled_out,
    "mcts": lambda: searched("random", 30),
    "mcts:rollouts=greedy": lambda: searched("greedy", 3),
    "solver": solved,
    **{f"match of {bot}": partial(matched, bot) for bot in ("random", "greedy", "ckpt:two_player")},
    **{f"inputs of {players}": partial(inputs_of_networks, players) for players in (2, 3, 4)},
    "environments": played_in_environments,
}

if __name__ == "__main__":
    print(json.dumps({name: str(think()) for name, think in THOUGHTS.items()}))
