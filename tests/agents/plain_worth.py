"""What greedy thinks a position is worth, from its JSON alone: plain, slow, no engine."""

from typing import Any

from hemlock_env import CardSet

Position = dict[str, Any]
NEIGHBOURS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def plain_worth(position: Position, seat: int, cards: CardSet) -> int:
    """R9, R10: influence of `seat` less the best rival's, night cards claimed as they'd fall."""
    table = _Table(position, cards)
    for night in position["nights"]:
        table.claim(night, begun=position["phase"] == "claim")
    scores = [table.influence(each) for each in range(table.players)]
    return scores.pop(seat) - max(scores)


class _Table:
    """The few things on the table that count."""

    def __init__(self, position: Position, cards: CardSet) -> None:
        self.cards = cards
        self.players = position["options"]["num_players"]
        self.first = (position["supremacy"] + (position["phase"] != "claim")) % self.players
        self.side = position["districts"]
        self.spaces = {
            name: {
                (row, column): mark
                for row, line in enumerate(district["spaces"])
                for column, mark in enumerate(line)
                if mark != " "
            }
            for name, district in position["districts"].items()
        }
        self.seats = position["players"]
        self.stock = [player["markers"] for player in self.seats]
        self.support = [player["support"] for player in self.seats]

    def claim(self, night: str, begun: bool) -> None:
        """R9.2, R9.3."""
        assert not begun, "claims under way are not for this test"
        card = next(each for each in self.cards.nights if each.id == night)
        name = self.cards.districts[card.district].id
        totals = [self.total(name, seat) for seat in range(self.players)]
        order = [(self.first + place) % self.players for place in range(self.players)]
        for seat in order:
            if totals[seat] == max(totals) > 0:
                for _ in range(card.value):
                    self.place(name, seat)
        for seat in order:
            if any(kind.startswith("leader") for kind in self.side[name]["minions"][seat]):
                self.place(name, seat)

    def total(self, name: str, seat: int) -> int:
        """R6."""
        return sum(
            count * self.value(name, kind)
            for kind, count in self.side[name]["minions"][seat].items()
        )

    def value(self, name: str, kind: str) -> int:
        """R6.1 to R6.4."""
        if kind.startswith("leader"):
            return 3
        lair = self.cards.lairs[self.cards.minions.index(kind)]
        at_home = lair >= 0 and self.cards.districts[lair].id == name
        return 2 if kind == "masque" or at_home else 1

    def place(self, name: str, seat: int) -> None:
        """R9.4: where it adds most."""
        if self.stock[seat] == 0:
            return
        spaces = self.spaces[name]
        empty = [space for space, mark in spaces.items() if mark == "."]
        if not empty:
            self.support[seat] += 1
            return
        best = max(empty, key=lambda space: self.markers({**spaces, space: str(seat)}, seat))
        spaces[best] = str(seat)
        self.stock[seat] -= 1

    def markers(self, spaces: dict[tuple[int, int], str], seat: int) -> int:
        """R10.1, of one district."""
        own = [space for space, mark in spaces.items() if mark == str(seat)]
        return sum(
            2 if any((row + down, column + right) in own for down, right in NEIGHBOURS) else 1
            for row, column in own
        )

    def influence(self, seat: int) -> int:
        """R10.1 to R10.4."""
        held = [sum(player["items"].values()) for player in self.seats]
        most = held.count(max(held)) == 1 and held[seat] == max(held)
        return (
            sum(self.markers(spaces, seat) for spaces in self.spaces.values())
            + held[seat]
            + most
            + sum(self.seats[seat]["hand"].values())
            + self.support[seat]
        )
