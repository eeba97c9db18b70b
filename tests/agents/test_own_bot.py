"""The example of a bot of one's own."""

from pathlib import Path

from hemlock_env.evaluation import play_match

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_bot.py"


def test_the_example_plays_a_match_and_wins_it() -> None:
    result = play_match("examples.own_bot:careful", "random", games=20, seed=1)
    assert result.illegal == 0
    assert result.score > 0.5


def test_the_example_is_short() -> None:
    assert len(EXAMPLE.read_text("utf-8").splitlines()) <= 21
