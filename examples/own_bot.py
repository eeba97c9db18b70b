"""A bot of one's own: any callable that takes a Game. From the repository's root:

hemlock match examples.own_bot:careful random --games 100
"""

from hemlock_env import Game


def careful(game: Game) -> int:
    """The action that leaves its seat furthest ahead of the best rival at once."""
    seat = game.seat

    def ahead(action: int) -> int:
        after = game.copy()  # of a redeal: what the seat may not know is drawn anew each time
        after.step(action)
        scores = after.scores()
        return scores.pop(seat) - max(scores)

    return max(game.legal_actions(), key=ahead)
