"""Hemloch: Vault of Darkness as a PettingZoo AEC environment, version 0.

    from hemlock_env import hemlock_v0

    env = hemlock_v0.env(num_players=2)
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        over = termination or truncation
        env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))

| fact | value |
|---|---|
| agents | `player_0` … `player_3`, one a seat; 2 players by default |
| order | whoever has to decide, often the same agent several times in a row |
| actions | `Discrete(152)` with the default cards; names such as `"loot:taxers_hold"` work too |
| observation | `"observation"`: int8 (features,), what the agent knows; `"action_mask"`: int8 |
| other forms | `observation="float"`: scaled float32; `observation="dict"`: named int8 arrays |
| features | fixed for a number of players and a card set: `docs/observation.md` |
| mask | 1 where legal: two or more for whoever decides, none for the others |
| length | played at random about 125, 190 or 255 decisions; it always ends, never truncated |
| reward | 0 before the end; then the sum over the agents is 0 |
| info | `action_mask`; when over `scores`, `winners`, `margin`, `decisions`, `illegal_action` |
| state | the observations of all agents end to end, for critics (`state_space`) |
| rendering | `"ansi"`: a text with what the deciding agent knows; `"rgb_array"`; `"human"` prints |
| parallel | no; `pettingzoo.utils.turn_based_aec_to_parallel` works |

Rewards at the end (`reward="outcome"`): the winners share +1 and the losers share -1; a draw of all
gives 0. With `reward="margin"` each agent gets its own influence less the mean of the rivals',
divided by 20.

An illegal action raises a ValueError in `raw_env` and changes nothing. In `env` it ends the game at
once: -1 for whoever made it and 0 for the others (the one case in which the sum is not 0),
`terminations` all True, `truncations` all False, `info["illegal_action"]` True for the offender
alone. None, floats and numbers out of range are illegal like any other.

Options, seeds, copies and examples: `docs/pettingzoo.md`. With PettingZoo 1.27 or later, importing
`hemlock_env` also registers the environment for `pettingzoo.make("aec", "hemlock/Hemlock-v0")`.

Versions. v0: the first. Within a version rules, cards, action numbers, observation layout and
rewards stay as they are.
"""

from __future__ import annotations

from hemlock_env.envs.aec import env, raw_env

__all__ = ["env", "raw_env"]
