"""Games at various points."""

import numpy as np

from hemlock_env import Batch
from hemlock_env.engine.kernel import SHOW
from hemlock_env.game.arrays import GameArrays


def some_games(count: int = 64, **options: object) -> tuple[GameArrays, np.ndarray]:
    """Games at various points, and the rows of those that still run."""
    batch = Batch(count, seed=9, **options)
    batch.play_random(np.arange(count))
    games = GameArrays(batch.spec, count)
    games.states[:] = batch.games
    games.run(SHOW)
    return games, np.flatnonzero(games.counts)
