"""Bots by a spec that may have a policy in it."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.checkpoints import untrained


@pytest.fixture(scope="session")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """A spec with a random policy for games of these options in place of `{policy}`."""
    made: dict[str, str] = {}

    def complete(spec: str, **options: Any) -> str:
        if "{policy}" not in spec:
            return spec
        games = str(sorted(options.items()))
        if games not in made:
            folder = tmp_path_factory.mktemp("policy") / "checkpoint"
            made[games] = f"ckpt:{untrained(folder, (24, 16), derived=True, **options)}"
        return spec.format(policy=made[games])

    return complete
