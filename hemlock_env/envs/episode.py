"""What the environments share: how a game begins, what is told of its end, how it is rendered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from hemlock_env._check import one_of
from hemlock_env.cards import CardSet
from hemlock_env.game.game import Game
from hemlock_env.game.options import OPTION_NAMES, Options
from hemlock_env.game.rewards import margin
from hemlock_env.render.text import render

ILLEGAL_REWARD = -1.0  # for whoever ends a game by an illegal action; 0 for the others
ILLEGAL_ACTIONS = ("terminate", "raise")
RENDER_MODES = ["ansi", "human", "rgb_array"]
Frame = str | NDArray[np.uint8] | None  # what `render` returns
RENDER_FPS = 1


class IllegalActionError(ValueError):
    """An action that doesn't exist or is illegal now."""


def new_game(
    card_set: CardSet, options: Options, seed: int, asked: Mapping[str, Any] | None
) -> Game:
    """A game from a seed, or from what `reset(options=…)` asks for.

    Args:
        card_set: of the environment.
        options: of the environment.
        seed: of the game.
        asked: `position` (`hemlock-position/1`), or options of `Game` for this game alone; other
            keys are ignored.

    Raises:
        ValueError: they can't be, or the environment's spaces don't fit.
    """
    asked = asked or {}
    changes = {name: asked[name] for name in OPTION_NAMES if name in asked}
    if asked.get("position") is None:
        game = Game(card_set=card_set, seed=seed, **{**options.as_dict(), **changes})
    elif changes:
        raise ValueError(f"position: it has its own options, so leave out {', '.join(changes)}")
    else:
        game = Game.from_position(asked["position"], seed=seed, card_set=card_set)
    if game.num_players != options.num_players:
        raise ValueError(
            f"num_players {game.num_players}, but the environment is for {options.num_players}"
        )
    if game.over:
        raise ValueError("position: the game is over, so there is nothing to decide")
    return game


def facts_of_the_end(game: Game, seat: int, illegal: bool) -> dict[str, Any]:
    """What `info` tells a seat when its game is over, in fresh objects."""
    scores = game.scores()
    return {
        "scores": scores,
        "winners": game.winners(),
        "margin": float(margin(scores, seat)),
        "decisions": game.decisions,
        "illegal_action": illegal,
    }


def check_render_mode(render_mode: Any) -> str | None:
    """None or one of RENDER_MODES, from a person."""
    return None if render_mode is None else one_of(render_mode, RENDER_MODES, "render_mode")


def show(game: Game, seat: int | None, render_mode: str | None) -> Frame:
    """The table as a seat knows it (None: everything), as the mode wants it."""
    if render_mode is None:
        gymnasium.logger.warn("render() needs a render_mode, such as render_mode='ansi'")
        return None
    if render_mode == "rgb_array":
        from hemlock_env.render.raster import to_array  # only here: it needs Pillow

        return to_array(game, seat)
    text = render(game, seat)
    if render_mode == "ansi":
        return text
    print(text)
    return None
