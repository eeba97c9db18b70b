"""`docs/environment.md`: the environment on one page, in the form of the Farama projects' pages.

Numbers, tables and defaults are read from the code; the sentences stand here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from inspect import signature

import gymnasium

from hemlock_env import hemlock_v0
from hemlock_env.cards import CardSet
from hemlock_env.engine.fields import GROUP_DTYPES
from hemlock_env.envs.registration import ID
from hemlock_env.envs.slots import Slots
from hemlock_env.game.actions import ActionTable
from hemlock_env.game.hashes import observation_hash, rules_hash
from hemlock_env.game.options import OPTIONS, Options
from hemlock_env.game.tensor import TensorLayout

PLAYERS = (2, 3, 4)
SHOWN = {
    "game": "the table: spaces, schemes, own hand, supply, nights, phase, the open question",
    "seat": "a block for each seat, the own first, then clockwise: markers, minions, totals, items",
    "loot": "a block for each loot card: in the row, used, in the own hand",
    "agenda": "a block for each agenda card: is it the own one?",
}
BOTH, GYM = "both", "Gymnasium"
# Options of the game whose help is in the words of the command line.
IN_PYTHON = {
    "sides": '`"basic"`, `"advanced"`, `"random"`, or a list of four of these words.',
    "loot": '`"row"`, or `"hand"`: hidden loot, for 2 or 3 players.',
}
# The arguments that are no options of the game: what they mean, and which environment takes them.
ARGUMENTS = {
    "card_set": (BOTH, "The id of a shipped set or the path of a file ([cards.md](cards.md))."),
    "reward": (BOTH, 'Or `"margin"`, see [Rewards](#rewards).'),
    "observation": (BOTH, 'Or `"float"`, `"dict"`, see [Observation space](#observation-space).'),
    "render_mode": (BOTH, '`"ansi"`, `"rgb_array"`, `"human"` or None.'),
    "opponent": (GYM, "A bot's spec, a bot, a callable, or a list with one for each opponent."),
    "seat": (GYM, 'The learner\'s seat: a number, `"random"` or `"alternate"`.'),
    "illegal_action": (GYM, 'Or `"raise"`, see [Episode end](#episode-end).'),
}

PAGE = """\
# The environment

Made by `make docs` from the code; don't edit.

One page in the form of the Farama projects. More on each point: [PettingZoo](pettingzoo.md),
[Gymnasium](gymnasium.md), [observation](observation.md), [actions](actions.md),
[rules](rules.md).

{facts}

## Description

*Hemloch: Vault of Darkness*: two to four houses send minions to four districts, trigger schemes,
and claim night cards with markers. After two weeks of four nights the house with the most
influence wins. With two players and no variant nothing but the coming shuffles is hidden. Turns
are sequential, and an agent may decide several times in a row.

## Creation

{creation}

```python
import gymnasium
import hemlock_env
from hemlock_env import hemlock_v0

aec = hemlock_v0.env(num_players=3)
single = gymnasium.make("{id}", opponent="greedy")
vector = gymnasium.make_vec("{id}", num_envs=8)
print(aec.max_num_agents, single.action_space, vector.observation_space.shape)
```

## Action space

`Discrete({actions})`. An index means the same in every game, variant and number of players. Names
such as `"loot:taxers_hold"` work too in the PettingZoo environment. The engine makes forced
choices itself, so whoever decides has at least two legal actions; the mask says which.

{action_table}

## Observation space

`observation="int8"`: a `Box` of whole numbers from 0 to each entry's bound: {features}.
`"float"`: the same scaled, float32. `"dict"`: a `Dict` of named int8 arrays. All show what the
seat may know now, and nothing else. PettingZoo gives `{{"observation": ..., "action_mask": ...}}`;
Gymnasium gives the observation, and the mask as `info["action_mask"]`.

{observation_table}

Every field with its place, shape and bound: [observation.md](observation.md).

## Starting state

Drawn from the seed of `reset`: the first player (unless `first_player` is given), hands, night
deck, loot of every night, random sides, agendas. The seed alone fixes them, whatever the players
do. `reset(options={{"position": position}})` begins at a position instead.

## Rewards

0 before the end. At the end:

| `reward` | value |
|---|---|
| `"outcome"` (default) | the winners share +1, the losers share -1; a draw of all gives 0 |
| `"margin"` | own influence less the mean of the opponents', divided by 20 |

The rewards of all agents sum to 0. An illegal action is the one exception.

## Episode end

**Termination**: the end of the second week. Every game ends. **Truncation**: never. **An illegal
action** ends the game with -1 for whoever made it and 0 for the others; `raw_env`, and Gymnasium
with `illegal_action="raise"`, raise a `ValueError` instead and change nothing.

## Information

| key of `info` | when | value |
|---|---|---|
| `action_mask` | always | int8, 1 where legal |
| `seat` | always, Gymnasium | the learner's seat |
| `scores`, `winners` | at the end | influence by seat; the winning seats |
| `margin` | at the end | own influence less the mean of the opponents' |
| `decisions` | at the end | how many all players made |
| `illegal_action` | at the end | True for whoever made one |

## Arguments

{arguments}

## Version history

{versions}

Within a version the rules, the shipped cards, the action numbers, the observation's layout and
the rewards stay as they are: [stability.md](stability.md#environment-versions).
"""


def environment_page(card_set: CardSet, kinds: Mapping[str, str]) -> str:
    """`docs/environment.md`; `kinds` says what each kind of action is for."""
    layouts = [TensorLayout(card_set, players) for players in PLAYERS]
    sizes = (f"{each.features} entries with {each.num_players} players" for each in layouts)
    names = ActionTable(card_set).names
    return PAGE.format(
        id=ID,
        actions=len(names),
        features=", ".join(sizes),
        facts=table(["fact", "value"], _facts(len(names), layouts)),
        creation=table(["interface", "creation", "who acts"], _creation()),
        action_table=table(["index", "name", "number", "use"], _actions(names, kinds)),
        observation_table=table(
            [*(f"index, {players} players" for players in PLAYERS), "shows"], _groups(layouts)
        ),
        arguments=table(["argument", "environment", "default", "meaning"], _arguments()),
        versions=table(["version", "cards", "what it is"], [_version(card_set, layouts)]),
    )


def _facts(actions: int, layouts: Sequence[TensorLayout]) -> Iterator[list[str]]:
    metadata = hemlock_v0.raw_env.metadata
    features = [each.features for each in layouts]
    agents = ", ".join(f"`player_{seat}`" for seat in range(max(PLAYERS)))
    yield ["Import", "`from hemlock_env import hemlock_v0`"]
    yield ["Gymnasium id", f"`{ID}`"]
    yield ["Agents", f"2 to 4: {agents}"]
    yield ["Actions", "discrete"]
    yield ["Action space", f"`Discrete({actions})`"]
    yield ["Observation shape", ", ".join(f"({each},)" for each in features)]
    yield ["Observation values", "int8, from 0 to a bound for each entry"]
    shapes = ", ".join(f"({each * n},)" for each, n in zip(features, PLAYERS, strict=True))
    yield ["State shape", f"{shapes}: the observations of all seats end to end"]
    yield ["Parallel API", "through PettingZoo's conversion"]
    yield ["Render modes", ", ".join(f"`{mode}`" for mode in metadata["render_modes"])]


def _creation() -> Iterator[list[str]]:
    yield ["PettingZoo AEC", "`hemlock_v0.env()`", "every agent in its turn"]
    yield ["the same, illegal actions raise", "`hemlock_v0.raw_env()`", "every agent in its turn"]
    yield ["Gymnasium", f'`gymnasium.make("{ID}")`', "one learner; bots in the other seats"]
    yield ["Gymnasium vector", f'`gymnasium.make_vec("{ID}", num_envs=64)`', "a learner a game"]
    yield ["Stable-Baselines3", "`hemlock_env.envs.sb3.HemlockVecEnv(64)`", "a learner a game"]


def _actions(names: Sequence[str], kinds: Mapping[str, str]) -> Iterator[list[object]]:
    for kind, use in kinds.items():
        own = [index for index, name in enumerate(names) if name.startswith(f"{kind}:")]
        assert own == list(range(own[0], own[-1] + 1))
        yield [f"{own[0]} to {own[-1]}", f"[`{kind}:`](actions.md)", len(own), use]


def _groups(layouts: Sequence[TensorLayout]) -> Iterator[list[str]]:
    for group, shown in SHOWN.items():
        size = GROUP_DTYPES[group].itemsize
        ends = [each.starts[group] + each.blocks[group] * size - 1 for each in layouts]
        pairs = zip(layouts, ends, strict=True)
        yield [*(f"{each.starts[group]} to {end}" for each, end in pairs), shown]


def _arguments() -> Iterator[list[str]]:
    defaults = Options().as_dict()
    for name, option in OPTIONS.items():
        meaning = IN_PYTHON.get(name, option.help)
        yield [f"`{name}`", BOTH, f"`{_default(defaults[name])}`", meaning]
    for name, (where, meaning) in ARGUMENTS.items():
        found = [signature(taker).parameters.get(name) for taker in (hemlock_v0.raw_env, Slots)]
        value = next(each.default for each in found if each is not None)
        yield [f"`{name}`", where, f"`{_default(value)}`", meaning]


def _default(value: object) -> str:
    if isinstance(value, list) and len(set(value)) == 1:
        value = value[0]  # one word for all districts
    return f'"{value}"' if isinstance(value, str) else str(value)


def _version(card_set: CardSet, layouts: Sequence[TensorLayout]) -> list[str]:
    hashes = ", ".join(
        f"`{observation_hash(each)}` ({each.num_players} players)" for each in layouts
    )
    rules = rules_hash(card_set)
    what = f"The first. Rules hash `{rules}`; observation hashes {hashes}"
    assert ID.endswith("-v0") and ID in gymnasium.registry
    return ["v0", f"`{card_set.edition}`", what]


def table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """A table of Markdown; whatever a cell shows must not hold a bar."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
