"""PettingZoo's own checkers, and their advice that doesn't apply here."""

import warnings

import pytest

with warnings.catch_warnings():
    # The checkers import connect_four the way that PettingZoo 1.27 advises against.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import (
        api_test,
        parallel_api_test,
        performance_benchmark,
        render_test,
        seed_test,
        state_test,
    )

__all__ = [
    "ADVICE",
    "api_test",
    "parallel_api_test",
    "performance_benchmark",
    "render_test",
    "seed_test",
    "state_test",
]

# The checkers warn whoever isn't on PettingZoo's own list of environments:
# its classics show dicts with masks too, and whoever doesn't decide has no legal action.
ADVICE = [
    pytest.mark.filterwarnings(f"ignore:{start}:UserWarning")
    for start in (
        "Observation is not a NumPy array",
        "Observation space for each agent probably should be",
        "Action mask numpy array is all zeros",
    )
]
