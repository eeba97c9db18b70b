"""The rules of RULES.md once more, slowly and plainly, to check the fast engine against.

Everything here is dicts, lists and generators. A rule that needs a player's choice is a generator
that yields a question and is sent the answer; the whole game is one such generator (`_course`).
Nothing is drawn at random: the setup and every night's loot are given from outside.
The number in front of each comment is the clause of RULES.md that it follows.
"""

from collections import Counter

DECISIONS = (
    "use_loot",
    "place_minion",
    "place_marker",
    "gain_minion",
    "play_minion",
    "pick_rival",
    "discard_rival",
    "pick_own",
    "move_to",
    "discard_hand",
    "place_leader",
    "special_action",
    "discard_down",
)
NEVER_FORCED = ("use_loot", "place_minion", "pick_rival", "move_to")  # two or more, always
OPS = {
    "place_marker": "R7.1",
    "gain_item": "R7.2",
    "gain_minion": "R7.3",
    "gain_generic": "R7.4",
    "gain_leader": "R7.5",
    "play_minion": "R7.6",
    "discard_rival": "R7.7",
    "move_minion": "R7.8",
    "return_minion": "R7.9",
    "rivals_discard": "R7.10",
    "place_leader": "R7.11",
    "gain_support": "R7.12",
}


def _declare(clause, *branches):
    return [f"{clause}:{branch}" for branch in branches]


# Every key that `Oracle.hits` can hold: a clause and one of the ways in which it can turn out.
BRANCHES: tuple[str, ...] = tuple(
    _declare("R2.3", "basic", "advanced")
    + _declare("R2.6", "2-players", "3-players", "4-players", "order-wraps")
    + _declare("R3.1", "next-night")
    + _declare("R3.2", "second-week", "final-scoring")
    + _declare("R4.1", "first-of-the-week", "to-the-right")
    + _declare("R4.2", "row")
    + _declare("R5.1", "first-use", "second-use")
    + _declare("R5.2", "leaves-at-once", "rest-goes-back")
    + _declare("R5.3", "placed", "scheme", "no-scheme", "scheme-though-gone")
    + _declare("R5.4", "op-without-effect", "in-part")
    + _declare("R5.5", "own-kind", "servant-instead", "none", "servant-itself-none")
    + _declare("R5.6", "scheme-skipped", "here-does-nothing", "others-happen")
    + _declare("R5.7", "scheme-at-once", "before-the-rest")
    + _declare("R6.1", "away", "in-lair")
    + _declare("R6.2", "counts-2", "no-trigger", "no-trigger-though-symbol")
    + _declare("R6.3", "counts-1", "triggers")
    + _declare(
        "R6.4", "counts-3", "lair-only", "second-refused", "no-trigger", "no-trigger-though-symbol"
    )
    + _declare("R6.5", "from-board", "from-hand")
    + _declare(
        "R6.6", "own-kind", "servant-instead", "none", "leader-servant-instead", "leader-none"
    )
    + _declare("R6.7", "symbol", "no-symbol", "special-no-trigger", "move-no-trigger")
    + _declare(
        "R7.1",
        "here",
        "any",
        "no-space",
        "no-space-anywhere",
        "stock-empty",
        "stock-empty-no-space",
    )
    + _declare("R7.2", "gained", "none")
    + _declare("R7.3", "gained", "none")
    + _declare("R7.4", "chosen", "all-exhausted")
    + _declare("R7.5", "chosen", "all-exhausted")
    + _declare(
        "R7.6", "here", "any", "leader", "triggers", "no-trigger", "empty-hand", "none-legal"
    )
    + _declare("R7.7", "here", "any", "one-rival", "several-rivals", "none", "leaders-only")
    + _declare("R7.8", "moved", "none", "leaders-only")
    + _declare("R7.9", "returned", "none", "leaders-only")
    + _declare("R7.10", "discarded", "empty-hand", "second-rival")
    + _declare("R7.11", "placed", "lair-taken", "none")
    + _declare("R7.12", "gained")
    + [
        f"{clause}:from-{source}"
        for op, clause in OPS.items()
        for source in ("loot", "scheme", "item")
        if (op, source) != ("play_minion", "scheme")
    ]
    + _declare("R8.1", "item", "take", "play")
    + _declare("R8.2", "none-legal", "item-does-nothing")
    + _declare("R9.0", "passes", "passes-to-seat-0")
    + _declare("R9.1", "resolved", "district-twice")
    + _declare("R9.2", "one-claimant", "tie", "zero-total")
    + _declare("R9.3", "claimant", "no-claimant", "second-card", "two-leaders", "no-card")
    + _declare("R9.4", "placed", "no-space", "stock-empty", "stock-empty-no-space")
    + _declare("R9.5", "items-back", "leaders-back")
    + _declare("R9.6", "discarded", "two-or-fewer", "servants-stay", "left-out")
    + _declare("R9.7", "back-week-1", "back-week-2")
    + _declare("R10.1", "adjacent", "alone", "beside-rival-only")
    + _declare("R10.2", "item", "bonus", "tie-for-most", "no-items")
    + _declare("R10.3", "hand")
    + _declare("R10.4", "support")
    + _declare("R10.5", "agenda")
    + _declare("R10.6", "most", "by-markers", "draw")
    + _declare("R11.1", "dealt", "third-goes-back")
    + _declare("R11.2", "item", "item-triggers")
    + _declare("R11.3", "dealt")
    + _declare(
        "R12.5",
        "most_markers",
        "most_markers-tied",
        "most_markers-less",
        "items",
        "items-missed",
        "hand",
        "hand-missed",
        "group",
        "group-missed",
        "markers_everywhere",
        "markers_everywhere-missed",
    )
    + _declare(
        "R13.4",
        "gain-raises",
        "return-raises",
        "play-lowers",
        "play-unknown",
        "discard-lowers",
        "discard-unknown",
    )
    + [f"R14.1:asked:{kind}" for kind in DECISIONS]
    + [f"R14.1:forced:{kind}" for kind in DECISIONS if kind not in NEVER_FORCED]
    + _declare("R14.2", "rivals_discard", "week-end")
)
_DECLARED = frozenset(BRANCHES)


def _present(counts):
    """The entries of a count that aren't zero (how a position writes it)."""
    return {kind: count for kind, count in counts.items() if count}


class Oracle:
    """One game. `seat`, `kind`, `legal()` are the question that is open; `step(name)` answers."""

    def __init__(self, card_set, options, setup, loot):
        """R2: the setup, with every chance in it given."""
        self._read(card_set, options, setup["sides"], loot)
        n = self.n
        agendas = setup.get("agendas") or [None] * n
        self.supremacy = setup["first_player"]  # R2.5
        self.night_deck = list(setup["night_deck"])  # R2.4
        for player, hand, agenda in zip(self.players, setup["hands"], agendas, strict=True):
            for kind, count in hand.items():  # R2.2: dealt unseen, so `known` stays empty (R13.4)
                player["hand"][kind] += count
                self.supply[kind] -= count
            player["agenda"] = agenda  # R11.3
            if agenda is not None:
                self._hit("R11.3:dealt")
        assert min(self.supply.values()) >= 0 and len(self.night_deck) == 8
        self._hit(f"R2.6:{n}-players")
        for side in self.sides:
            self._hit(f"R2.3:{side}")
        self.events.append(
            {
                "setup": {
                    "sides": list(self.sides),
                    "first_player": self.supremacy,
                    "hands": [dict(hand) for hand in setup["hands"]],
                    "agendas": None if setup.get("agendas") is None else list(setup["agendas"]),
                    "night_deck": list(self.night_deck),
                }
            }
        )
        self._run(self._course("reveal"))

    def _read(self, card_set, options, sides, loot):
        """R1, R2.1, R2.3: the components, an empty board and everything in the supply."""
        self.card_set = card_set
        self.n = n = options["num_players"]
        self.sides = list(sides)
        self.loot_in_hand = options.get("loot", "row") == "hand"  # R11.1
        self.items_as_loot = bool(options.get("items_as_loot", False))  # R11.2
        self.with_agendas = bool(options.get("agendas", False))  # R11.3
        self._loot_of = loot

        names = list(card_set["copies"])  # R1.1, R1.3: the order of [copies]
        self.kinds, self.items = names[:10], names[10:]
        self.generic = self.kinds[:4]
        self.masque, self.servant = self.kinds[4:6]
        self.leaders = self.kinds[6:]
        self.common = self.kinds[:6]  # all but the leaders
        self.lair = card_set["lairs"]  # R6.1, R6.4
        self.loot_cards = {card["id"]: card for card in card_set["loot"]}
        self.night_cards = {card["id"]: card for card in card_set["night"]}
        self.effects = {card["id"]: card["effect"] for card in card_set["item"]}
        self.agenda_cards = {card["id"]: card for card in card_set.get("agenda", ())}
        self.district_ids = [card["id"] for card in card_set["district"]]  # R1.2

        self.district = {}  # by id: symbols and scheme of the side that lies up, minions, grid
        for card, side in zip(card_set["district"], self.sides, strict=True):
            face = card[side]
            rows = [row.replace(".", " ").replace("#", ".").ljust(3) for row in face["spaces"]]
            rows += ["   "] * (3 - len(rows))
            self.district[card["id"]] = {
                "symbols": face["symbols"],
                "scheme": face["scheme"],
                "minions": [dict.fromkeys(self.kinds, 0) for _ in range(n)],
                "grid": [list(row) for row in rows],  # ' ' no space, '.' empty, '0'.. a marker
            }
        self.supply = {kind: card_set["copies"][kind] * n for kind in self.kinds}  # R1.5
        self.supply_items = {item: card_set["copies"][item] * n for item in self.items}
        self.discarded = dict.fromkeys(self.kinds, 0)
        self.players = [
            {
                "hand": dict.fromkeys(self.kinds, 0),
                "known": dict.fromkeys(self.kinds, 0),  # R13.4
                "items": dict.fromkeys(self.items, 0),  # face up
                "spent": dict.fromkeys(self.items, 0),  # face down
                "markers": 12,  # R1.6
                "support": 0,
                "agenda": None,
                "loot_hand": [],
            }
            for _ in range(n)
        ]
        self.supremacy = 0
        self.week = self.night = 1
        self.phase, self.turn = "loot", 0
        self.nights, self.night_deck = [], []
        self.loot_row, self.loot_used = [], []

        self.actions = self._action_table()
        self._index = {name: index for index, name in enumerate(self.actions)}
        self.hits = Counter()
        self.events = []
        self.seat = self.kind = None
        self._legal = []
        self._final = None  # (scores, winners) when over

    def _action_table(self):
        """FORMATS.md, Actions: every name, in order."""
        places = self.district_ids
        table = [f"loot:{card}" for card in self.loot_cards]
        table += [f"item:{item}" for item in self.items]
        table += [f"district:{place}" for place in places]
        table += [
            f"space:{place}:{row},{column}"
            for place in places
            for row in range(3)
            for column in range(3)
        ]
        table += [f"take:{kind}" for kind in self.kinds]
        table += [f"play:{kind}:{place}" for kind in self.common for place in places]
        table += [f"play:{leader}:{self.lair[leader]}" for leader in self.leaders]
        table += [f"own:{place}:{kind}" for place in places for kind in self.common]
        table += [f"seat:{offset}" for offset in (1, 2, 3)]
        table += [f"rival:{place}:{kind}" for place in places for kind in self.common]
        table += [f"discard:{kind}" for kind in self.kinds]
        return table

    # ---------------------------------------------------------------- the face of the game

    @property
    def over(self):
        return self.phase == "over"

    def legal(self):
        """The names of the legal actions, in the order of the action table; [] when over."""
        return list(self._legal)

    def step(self, name):
        """Answer the open question. An illegal answer: ValueError, and nothing has changed."""
        if name not in self._legal:
            raise ValueError(f"illegal action {name!r}; legal: {', '.join(self._legal) or 'none'}")
        self.events.append({"seat": self.seat, "action": name})
        self._advance(name)

    def scores(self):
        """R10: influence by seat as it stands."""
        if self._final:
            return list(self._final[0])
        return [self._influence(seat, lambda branch: None) for seat in range(self.n)]

    def winners(self):
        """R10.6: the winning seats; [] before the end."""
        return list(self._final[1]) if self._final else []

    def position(self):
        """`hemlock-position/1`, without card_set_hash, pending and rng."""
        return {
            "format": "hemlock-position/1",
            "card_set": self.card_set["id"],
            "options": {
                "num_players": self.n,
                "sides": list(self.sides),
                "loot": "hand" if self.loot_in_hand else "row",
                "items_as_loot": self.items_as_loot,
                "agendas": self.with_agendas,
            },
            "week": self.week,
            "night": self.night,
            "phase": self.phase,
            "turn": self.turn,
            "supremacy": self.supremacy,
            "supply": {"minions": _present(self.supply), "items": _present(self.supply_items)},
            "discard": _present(self.discarded),
            "players": [
                {
                    "hand": _present(player["hand"]),
                    "known": _present(player["known"]),
                    "items": _present(player["items"]),
                    "spent": _present(player["spent"]),
                    "markers": player["markers"],
                    "support": player["support"],
                    "agenda": player["agenda"],
                    "loot_hand": self._in_card_order(player["loot_hand"]),
                }
                for player in self.players
            ],
            "districts": {
                place: {
                    "minions": [_present(side) for side in district["minions"]],
                    "spaces": ["".join(row) for row in district["grid"]],
                }
                for place, district in self.district.items()
            },
            "nights": list(self.nights),
            "night_deck": list(self.night_deck),
            "loot_row": self._in_card_order(self.loot_row),
            "loot_used": self._in_card_order(self.loot_used),
            "decision": None
            if self.over
            else {
                "seat": self.seat,
                "kind": self.kind,
                "legal": self.legal(),
            },
            "scores": self.scores() if self.over else None,
            "winners": self.winners() if self.over else None,
        }

    @classmethod
    def from_position(cls, card_set, position, loot):
        """A game from a hand-written position, where nothing is half done."""
        if position["phase"] == "over":
            if position.get("decision") is not None:
                raise ValueError("decision: nobody decides when the game is over")
        elif position["decision"]["kind"] not in ("use_loot", "special_action"):
            raise ValueError(f"decision.kind {position['decision']['kind']} is half done")
        game = cls.__new__(cls)
        game._read(card_set, position["options"], position["options"]["sides"], loot)
        for name in ("week", "night", "phase", "turn", "supremacy"):
            setattr(game, name, position[name])
        for name in ("nights", "night_deck", "loot_row"):
            setattr(game, name, list(position[name]))
        game.loot_used = list(position.get("loot_used", ()))
        game.supply = dict.fromkeys(game.kinds, 0) | position["supply"]["minions"]
        game.supply_items = dict.fromkeys(game.items, 0) | position["supply"]["items"]
        game.discarded.update(position.get("discard", {}))
        for player, given in zip(game.players, position["players"], strict=True):
            for name in ("hand", "known", "items", "spent"):
                player[name].update(given.get(name, {}))
            player["markers"], player["support"] = given["markers"], given["support"]
            player["agenda"] = given.get("agenda")
            player["loot_hand"] = list(given.get("loot_hand", ()))
        for place, given in position["districts"].items():
            district = game.district[place]
            for side, counts in zip(district["minions"], given["minions"], strict=True):
                side.update(counts)
            district["grid"] = [list(row) for row in given["spaces"]]
        if game.over:
            game._finish()
            return game
        game._run(game._course(game.phase))
        decision = position["decision"]
        if (game.seat, game.kind) != (decision["seat"], decision["kind"]) or game.events:
            raise ValueError("decision: not what the rest of the position asks")
        return game

    # ---------------------------------------------------------------- the machinery

    def _hit(self, branch):
        assert branch in _DECLARED, branch
        self.hits[branch] += 1

    def _ask(self, seat, kind, choices):
        """Put a question; `choices` maps each legal name to what it stands for."""
        assert choices, kind
        answer = yield seat, kind, sorted(choices, key=self._index.__getitem__)
        return choices[answer]

    def _run(self, course):
        self._game = course
        self._advance(None)

    def _advance(self, answer):
        """R14.1: go on to the next question with two or more answers, or to the end."""
        while True:
            try:
                seat, kind, legal = self._game.send(answer)
            except StopIteration:
                self.seat = self.kind = None
                self._legal = []
                return
            if len(legal) > 1:
                break
            answer = legal[0]
            self.events.append({"seat": seat, "action": answer, "forced": True})
            self._hit(f"R14.1:forced:{kind}")
        self.seat, self.kind, self._legal = seat, kind, legal
        self._hit(f"R14.1:asked:{kind}")
        if kind == "discard_hand":
            self._hit("R14.2:rivals_discard")
        elif self.phase in ("claim", "discard_down"):
            self._hit("R14.2:week-end")

    def _in_card_order(self, cards):
        return [card for card in self.loot_cards if card in cards]

    def _seat_order(self):
        """R2.6: clockwise, beginning with the holder of supremacy."""
        if self.supremacy:
            self._hit("R2.6:order-wraps")
        return [(self.supremacy + step) % self.n for step in range(self.n)]

    def _rivals(self, seat):
        """The other seats, clockwise."""
        return [(seat + offset) % self.n for offset in range(1, self.n)]

    # ---------------------------------------------------------------- R3, R4: the course

    def _course(self, start):
        """R3.1, R3.2: two weeks of four nights; from a position it starts at a phase."""
        while True:
            if start == "reveal":
                self._reveal_night()
                self._reveal_loot()
                self.phase, self.turn = "loot", 0
            if start in ("reveal", "loot"):
                yield from self._loot_phase()
                self.phase, self.turn = "special", 0
            yield from self._special_phase()
            self.turn = 0
            start = "reveal"
            if self.night < 4:
                self._hit("R3.1:next-night")
                self.night += 1
                continue
            yield from self._week_end()
            if self.week == 2:
                break
            self._hit("R3.2:second-week")
            self.week, self.night = 2, 1
        self._hit("R3.2:final-scoring")
        self._finish()

    def _reveal_night(self):
        """R4.1"""
        self._hit("R4.1:to-the-right" if self.nights else "R4.1:first-of-the-week")
        self.nights.append(self.night_deck.pop(0))

    def _reveal_loot(self):
        """R4.2: a row of 2n+1; R11.1: or three cards to each player."""
        cards = self._loot_of(self.week, self.night)
        self.loot_used = []
        if self.loot_in_hand:
            assert [len(hand) for hand in cards] == [3] * self.n
            for player, hand in zip(self.players, cards, strict=True):
                player["loot_hand"] = list(hand)
            self._hit("R11.1:dealt")
            self.events.append(
                {"night": self.nights[-1], "loot_hands": [list(hand) for hand in cards]}
            )
        else:
            assert len(cards) == 2 * self.n + 1
            self.loot_row = list(cards)
            self._hit("R4.2:row")
            self.events.append({"night": self.nights[-1], "loot": list(cards)})

    # ---------------------------------------------------------------- R5: using loot

    def _loot_phase(self):
        """R5.1, R5.2: each player uses one in seat order, then each a second one."""
        order = self._seat_order()
        while self.turn < 2 * self.n:
            self._hit("R5.1:first-use" if self.turn < self.n else "R5.1:second-use")
            yield from self._use_loot(order[self.turn % self.n])
            self.turn += 1
        if self.loot_in_hand:
            self._hit("R11.1:third-goes-back")
        else:
            self._hit("R5.2:rest-goes-back")
        self.loot_row = []
        for player in self.players:
            player["loot_hand"] = []

    def _use_loot(self, p):
        """R5.1: a loot card of the row, or (R11.1) of the hand, or (R11.2) a face-up item."""
        cards = self.players[p]["loot_hand"] if self.loot_in_hand else self.loot_row
        choices = {f"loot:{card}": ("loot", card) for card in cards}
        if self.items_as_loot:
            choices |= self._item_choices(p)
        what, name = yield from self._ask(p, "use_loot", choices)
        if what == "item":
            self._hit("R11.2:item")
            yield from self._use_item(p, name)
            return
        cards.remove(name)  # R5.2: at once
        self.loot_used.append(name)
        self._hit("R5.2:leaves-at-once")
        card = self.loot_cards[name]

        # R5.3 (a)
        kind = self._to_place(card["minion"])
        here, triggered = None, False
        if kind:
            here = yield from self._ask(
                p, "place_minion", {f"district:{place}": place for place in self.district_ids}
            )
            self.supply[kind] -= 1
            self._hit("R5.3:placed")
            triggered = self._place(p, kind, here)
            mine = self.district[here]["minions"][p]
            before = mine[kind]
        # R5.3 (b)
        yield from self._effect(p, card["ability"], here, "loot")
        # R5.3 (c): settled when it was placed, wherever the minion is by now
        if not kind:
            self._hit("R5.6:scheme-skipped")
        elif triggered:
            self._hit("R5.3:scheme")
            if mine[kind] < before:
                self._hit("R5.3:scheme-though-gone")
            yield from self._effect(p, self.district[here]["scheme"], here, "scheme")
        else:
            self._hit("R5.3:no-scheme")

    def _to_place(self, kind):
        """R5.5: the loot's minion, or a servant in its place, or None."""
        if self.supply[kind]:
            self._hit("R5.5:own-kind")
            return kind
        if kind == self.servant:
            self._hit("R5.5:servant-itself-none")
            return None
        if self.supply[self.servant]:
            self._hit("R5.5:servant-instead")
            return self.servant
        self._hit("R5.5:none")
        return None

    # ---------------------------------------------------------------- R6: minions

    def _place(self, p, kind, place):
        """Put a minion on p's side of a district; True if it triggers the scheme there."""
        self.district[place]["minions"][p][kind] += 1
        would = self._would_trigger(kind, place)
        if self.phase != "loot":  # R6.7: nothing is triggered in the special actions
            if would:
                self._hit("R6.7:special-no-trigger")
            return False
        symbol = kind in self.district[place]["symbols"]
        if kind == self.masque:
            self._hit("R6.2:no-trigger-though-symbol" if symbol else "R6.2:no-trigger")
        elif kind in self.leaders:
            self._hit("R6.4:no-trigger-though-symbol" if symbol else "R6.4:no-trigger")
        elif kind == self.servant:
            self._hit("R6.3:triggers")
        else:
            self._hit("R6.7:symbol" if would else "R6.7:no-symbol")
        return would

    def _would_trigger(self, kind, place):
        """R6.7; R6.2, R6.4: a masque or a leader never; R6.3: a servant always."""
        if kind == self.servant:
            return True
        return kind in self.generic and kind in self.district[place]["symbols"]

    def _value(self, kind, place):
        """R6.1 to R6.4: what a minion counts in a district."""
        if kind == self.masque:
            self._hit("R6.2:counts-2")
            return 2
        if kind == self.servant:
            self._hit("R6.3:counts-1")
            return 1
        if kind in self.leaders:
            self._hit("R6.4:counts-3")
            return 3
        if self.lair[kind] == place:
            self._hit("R6.1:in-lair")
            return 2
        self._hit("R6.1:away")
        return 1

    def _has_leader(self, p, place):
        return any(self.district[place]["minions"][p][leader] for leader in self.leaders)

    def _plays(self, p, places):
        """R6.4: what p can place from hand in these districts: a name for each minion and place."""
        choices = {}
        for kind, count in self.players[p]["hand"].items():
            if not count:
                continue
            for place in places:
                if kind in self.leaders:
                    if place != self.lair[kind]:
                        self._hit("R6.4:lair-only")
                        continue
                    if self._has_leader(p, place):
                        self._hit("R6.4:second-refused")
                        continue
                choices[f"play:{kind}:{place}"] = (kind, place)
        return choices

    def _to_hand(self, p, kind, branch):
        """R13.4: everyone sees which minion comes to the hand."""
        self.players[p]["hand"][kind] += 1
        self.players[p]["known"][kind] += 1
        self._hit(f"R13.4:{branch}-raises")

    def _from_hand(self, p, kind, branch):
        """R13.4: everyone sees which minion leaves the hand; the bound never goes below 0."""
        player = self.players[p]
        player["hand"][kind] -= 1
        if player["known"][kind]:
            player["known"][kind] -= 1
            self._hit(f"R13.4:{branch}-lowers")
        else:
            self._hit(f"R13.4:{branch}-unknown")

    def _gain(self, p, kind):
        """R6.6: a minion to the hand; a servant if its kind is exhausted. True if gained."""
        leader = "leader-" if kind in self.leaders else ""
        if self.supply[kind]:
            self._hit("R6.6:own-kind")
        elif self.supply[self.servant]:
            self._hit(f"R6.6:{leader}servant-instead")
            kind = self.servant
        else:
            self._hit(f"R6.6:{leader}none")
            return False
        self.supply[kind] -= 1
        self._to_hand(p, kind, "gain")
        return True

    # ---------------------------------------------------------------- R7: effects

    def _effect(self, p, ops, here, source):
        """R5.4: the whole list in order, as much of each as is possible.

        `here` is a district; None for an item and for a loot card that placed no minion.
        """
        done = []
        for number, op in enumerate(ops):
            self._hit(f"{OPS[op['op']]}:from-{source}")
            if op.get("where") == "here" and here is None:
                self._hit("R5.6:here-does-nothing")
                done.append(False)
                continue
            if source == "loot" and here is None:
                self._hit("R5.6:others-happen")
            places = [here] if op.get("where") == "here" else self.district_ids
            is_last = number == len(ops) - 1
            did = yield from self._op(p, op, places, is_last, source)
            done.append(did)
            if not did:
                self._hit("R5.4:op-without-effect")
        if any(done) and not all(done):
            self._hit("R5.4:in-part")
        return any(done)

    def _op(self, p, op, places, is_last, source):
        """One entry of an effect list; True if it did anything."""
        match op["op"]:
            case "place_marker":
                return (yield from self._place_marker(p, places))
            case "gain_item":
                return self._gain_item(p, op["item"])
            case "gain_minion":
                gained = self._gain(p, op["minion"])  # R7.3
                self._hit("R7.3:gained" if gained else "R7.3:none")
                return gained
            case "gain_generic":
                return (yield from self._gain_one_of(p, self.generic, "R7.4"))
            case "gain_leader":
                return (yield from self._gain_one_of(p, self.leaders, "R7.5"))
            case "play_minion":
                return (yield from self._play_minion(p, places, is_last, source))
            case "discard_rival":
                return (yield from self._discard_rival(p, places))
            case "move_minion":
                return (yield from self._move_minion(p))
            case "return_minion":
                return (yield from self._return_minion(p))
            case "rivals_discard":
                return (yield from self._rivals_discard(p))
            case "place_leader":
                return (yield from self._place_leader(p))
            case "gain_support":
                self.players[p]["support"] += 1  # R7.12
                self._hit("R7.12:gained")
                return True
        raise ValueError(f"unknown op {op['op']}")

    def _put_marker(self, p, places, clause):
        """R7.1, R9.4: a marker from the stock, or a support marker if there is no space."""
        player = self.players[p]
        spaces = {
            f"space:{place}:{row},{column}": (place, row, column)
            for place in places
            for row, line in enumerate(self.district[place]["grid"])
            for column, content in enumerate(line)
            if content == "."
        }
        if not player["markers"]:  # space or not
            self._hit(f"{clause}:stock-empty" if spaces else f"{clause}:stock-empty-no-space")
            return "nothing"
        if not spaces:
            player["support"] += 1
            return "support"
        place, row, column = yield from self._ask(p, "place_marker", spaces)
        self.district[place]["grid"][row][column] = str(p)
        player["markers"] -= 1
        return "placed"

    def _place_marker(self, p, places):
        """R7.1"""
        scope = "here" if len(places) == 1 else "any"
        outcome = yield from self._put_marker(p, places, "R7.1")
        if outcome == "placed":
            self._hit(f"R7.1:{scope}")
        elif outcome == "support":
            self._hit("R7.1:no-space" if scope == "here" else "R7.1:no-space-anywhere")
        return outcome != "nothing"

    def _gain_item(self, p, item):
        """R7.2"""
        if not self.supply_items[item]:
            self._hit("R7.2:none")
            return False
        self.supply_items[item] -= 1
        self.players[p]["items"][item] += 1
        self._hit("R7.2:gained")
        return True

    def _gain_one_of(self, p, kinds, clause):
        """R7.4, R7.5: a kind of one's choice that is in the supply."""
        choices = {f"take:{kind}": kind for kind in kinds if self.supply[kind]}
        if choices:
            self._hit(f"{clause}:chosen")
            kind = yield from self._ask(p, "gain_minion", choices)
        else:
            self._hit(f"{clause}:all-exhausted")
            kind = kinds[0]  # exhausted like the others: R6.6 gives a servant, if there is one
        return self._gain(p, kind)

    def _play_minion(self, p, places, is_last, source):
        """R7.6: from the hand; its scheme is resolved before the rest of the list (R5.7)."""
        choices = self._plays(p, places)
        if not choices:
            holds_any = any(self.players[p]["hand"].values())
            self._hit("R7.6:none-legal" if holds_any else "R7.6:empty-hand")
            return False
        kind, place = yield from self._ask(p, "play_minion", choices)
        self._from_hand(p, kind, "play")
        self._hit("R7.6:here" if len(places) == 1 else "R7.6:any")
        if kind in self.leaders:
            self._hit("R7.6:leader")
        if self._place(p, kind, place):
            self._hit("R7.6:triggers")
            self._hit("R5.7:scheme-at-once")
            if not is_last:
                self._hit("R5.7:before-the-rest")
            if source == "item":
                self._hit("R11.2:item-triggers")
            yield from self._effect(p, self.district[place]["scheme"], place, "scheme")
        else:
            self._hit("R7.6:no-trigger")
        return True

    def _discard_rival(self, p, places):
        """R7.7: first the rival, if there are several, then the minion."""
        offers = {}  # by rival: what that rival can lose
        for rival in self._rivals(p):
            sides = {place: self.district[place]["minions"][rival] for place in places}
            offer = {
                f"rival:{place}:{kind}": (place, kind)
                for place, side in sides.items()
                for kind in self.common
                if side[kind]
            }
            if offer:
                offers[rival] = offer
            elif any(self._has_leader(rival, place) for place in places):
                self._hit("R7.7:leaders-only")
        if not offers:
            self._hit("R7.7:none")
            return False
        if len(offers) == 1:
            self._hit("R7.7:one-rival")
            rival = next(iter(offers))
        else:
            self._hit("R7.7:several-rivals")
            rival = yield from self._ask(
                p, "pick_rival", {f"seat:{(seat - p) % self.n}": seat for seat in offers}
            )
        place, kind = yield from self._ask(p, "discard_rival", offers[rival])
        self.district[place]["minions"][rival][kind] -= 1
        self.discarded[kind] += 1
        self._hit("R6.5:from-board")
        self._hit("R7.7:here" if len(places) == 1 else "R7.7:any")
        return True

    def _own_on_board(self, p):
        """The own minions on the board, leaders left out (R7.8, R7.9)."""
        return {
            f"own:{place}:{kind}": (place, kind)
            for place in self.district_ids
            for kind in self.common
            if self.district[place]["minions"][p][kind]
        }

    def _no_own(self, p, clause):
        leaders = any(self._has_leader(p, place) for place in self.district_ids)
        self._hit(f"{clause}:leaders-only" if leaders else f"{clause}:none")
        return False

    def _move_minion(self, p):
        """R7.8: it stays where it is until the other district is chosen."""
        choices = self._own_on_board(p)
        if not choices:
            return self._no_own(p, "R7.8")
        origin, kind = yield from self._ask(p, "pick_own", choices)
        target = yield from self._ask(
            p,
            "move_to",
            {f"district:{place}": place for place in self.district_ids if place != origin},
        )
        self.district[origin]["minions"][p][kind] -= 1
        self.district[target]["minions"][p][kind] += 1
        self._hit("R7.8:moved")
        if self.phase == "loot" and self._would_trigger(kind, target):
            self._hit("R6.7:move-no-trigger")  # R6.7: moving is not placing
        return True

    def _return_minion(self, p):
        """R7.9"""
        choices = self._own_on_board(p)
        if not choices:
            return self._no_own(p, "R7.9")
        place, kind = yield from self._ask(p, "pick_own", choices)
        self.district[place]["minions"][p][kind] -= 1
        self._to_hand(p, kind, "return")
        self._hit("R7.9:returned")
        return True

    def _rivals_discard(self, p):
        """R7.10: the rivals choose, clockwise from the acting player."""
        count = 0
        for rival in self._rivals(p):
            hand = self.players[rival]["hand"]
            choices = {f"discard:{kind}": kind for kind in self.kinds if hand[kind]}
            if not choices:
                self._hit("R7.10:empty-hand")
                continue
            kind = yield from self._ask(rival, "discard_hand", choices)
            self._from_hand(rival, kind, "discard")
            self.discarded[kind] += 1
            self._hit("R6.5:from-hand")
            self._hit("R7.10:discarded")
            count += 1
            if count == 2:
                self._hit("R7.10:second-rival")
        return count > 0

    def _place_leader(self, p):
        """R7.11: from the supply to its own lair, where p has no leader yet."""
        choices = {}
        for leader in self.leaders:
            if not self.supply[leader]:
                continue
            place = self.lair[leader]
            if self._has_leader(p, place):
                self._hit("R7.11:lair-taken")
            else:
                choices[f"play:{leader}:{place}"] = (leader, place)
        if not choices:
            self._hit("R7.11:none")
            return False
        leader, place = yield from self._ask(p, "place_leader", choices)
        self.supply[leader] -= 1
        self._place(p, leader, place)  # R6.4: a leader triggers nothing
        self._hit("R7.11:placed")
        return True

    # ---------------------------------------------------------------- R8: special actions

    def _special_phase(self):
        """R8.1: one special action each, in seat order."""
        order = self._seat_order()
        while self.turn < self.n:
            yield from self._special_action(order[self.turn])
            self.turn += 1

    def _special_action(self, p):
        """R8.1, R8.2"""
        choices = self._item_choices(p)
        choices |= {f"take:{kind}": ("take", kind) for kind in self.common if self.supply[kind]}
        choices |= {
            name: ("play", play) for name, play in self._plays(p, self.district_ids).items()
        }
        if not choices:
            self._hit("R8.2:none-legal")
            return
        what, chosen = yield from self._ask(p, "special_action", choices)
        self._hit(f"R8.1:{what}")
        if what == "item":
            did = yield from self._use_item(p, chosen)
            if not did:
                self._hit("R8.2:item-does-nothing")
        elif what == "take":
            self._gain(p, chosen)
        else:
            kind, place = chosen
            self._from_hand(p, kind, "play")
            self._place(p, kind, place)

    def _item_choices(self, p):
        return {
            f"item:{item}": ("item", item)
            for item, count in self.players[p]["items"].items()
            if count
        }

    def _use_item(self, p, item):
        """R8.1, R11.2: turned face down first, then its effect. An item has no `here`."""
        self.players[p]["items"][item] -= 1
        self.players[p]["spent"][item] += 1
        return (yield from self._effect(p, self.effects[item], None, "item"))

    # ---------------------------------------------------------------- R9: the week's end

    def _week_end(self):
        """R9"""
        self.supremacy = (self.supremacy + 1) % self.n  # R9.0
        self._hit("R9.0:passes" if self.supremacy else "R9.0:passes-to-seat-0")
        self.phase = "claim"
        shown = []
        while self.nights:  # R9.1
            yield from self._claim(self.night_cards[self.nights[0]], shown)
            del self.nights[0]  # R9.5: as soon as it is wholly resolved
        for place in self.district_ids:
            if place not in shown and any(self._has_leader(p, place) for p in range(self.n)):
                self._hit("R9.3:no-card")
        self._give_back()
        if self.week == 1:
            self.phase = "discard_down"
            yield from self._discard_down()
        elif any(
            len(self._counting(p, place)) > 2 for p in range(self.n) for place in self.district_ids
        ):
            self._hit("R9.6:left-out")
        for kind, count in self.discarded.items():  # R9.7
            if count:
                self._hit(f"R9.7:back-week-{self.week}")
            self.supply[kind] += count
            self.discarded[kind] = 0

    def _claim(self, card, shown):
        """R9.2, R9.3: the markers of one night card. `shown`: districts of the cards before."""
        place, order = card["district"], self._seat_order()
        sides = self.district[place]["minions"]
        self._hit("R9.1:district-twice" if place in shown else "R9.1:resolved")
        totals = {
            p: sum(count * self._value(kind, place) for kind, count in sides[p].items() if count)
            for p in order
        }
        highest = max(totals.values())
        claimants = [p for p in order if highest and totals[p] == highest]
        if not claimants:
            self._hit("R9.2:zero-total")
        else:
            self._hit("R9.2:one-claimant" if len(claimants) == 1 else "R9.2:tie")
        for p in claimants:
            for _ in range(card["value"]):
                yield from self._claim_marker(p, place)
        leading = [p for p in order if self._has_leader(p, place)]  # R9.3
        if len(leading) > 1:
            self._hit("R9.3:two-leaders")
        for p in leading:
            self._hit("R9.3:claimant" if p in claimants else "R9.3:no-claimant")
            if place in shown:
                self._hit("R9.3:second-card")
            yield from self._claim_marker(p, place)
        shown.append(place)

    def _claim_marker(self, p, place):
        """R9.4"""
        outcome = yield from self._put_marker(p, [place], "R9.4")
        if outcome != "nothing":
            self._hit("R9.4:placed" if outcome == "placed" else "R9.4:no-space")

    def _give_back(self):
        """R9.5: face-down items, then the leaders on the board."""
        for player in self.players:
            for item, count in player["spent"].items():
                if count:
                    self._hit("R9.5:items-back")
                self.supply_items[item] += count
                player["spent"][item] = 0
        for district in self.district.values():
            for side in district["minions"]:
                for leader in self.leaders:
                    if side[leader]:
                        self._hit("R9.5:leaders-back")
                    self.supply[leader] += side[leader]
                    side[leader] = 0

    def _counting(self, p, place):
        """R9.6: the minion cards that count, one entry a card; servants don't."""
        side = self.district[place]["minions"][p]
        return [kind for kind in self.kinds if kind != self.servant for _ in range(side[kind])]

    def _discard_down(self):
        """R9.6: in seat order, district by district, one card at a time, to the supply."""
        for p in self._seat_order():
            for place in self.district_ids:
                side = self.district[place]["minions"][p]
                cards = self._counting(p, place)
                if len(cards) <= 2:
                    servants = len(cards) + side[self.servant] > 2
                    self._hit("R9.6:servants-stay" if servants else "R9.6:two-or-fewer")
                while len(cards) > 2:
                    kind = yield from self._ask(
                        p, "discard_down", {f"own:{place}:{kind}": kind for kind in cards}
                    )
                    side[kind] -= 1
                    self.supply[kind] += 1
                    cards.remove(kind)
                    self._hit("R9.6:discarded")

    # ---------------------------------------------------------------- R10, R12.5: the scoring

    def _finish(self):
        """R10.6"""
        scores = [self._influence(p, self._hit) for p in range(self.n)]
        best = [p for p in range(self.n) if scores[p] == max(scores)]
        if len(best) == 1:
            self._hit("R10.6:most")
        else:
            placed = {p: len(self._markers(p)) for p in best}
            best = [p for p in best if placed[p] == max(placed.values())]
            self._hit("R10.6:by-markers" if len(best) == 1 else "R10.6:draw")
        self._final = scores, best
        self.phase, self.turn = "over", 0

    def _markers(self, p, places=None):
        """Where p's markers lie: (district, row, column)."""
        return [
            (place, row, column)
            for place in places or self.district_ids
            for row, line in enumerate(self.district[place]["grid"])
            for column, content in enumerate(line)
            if content == str(p)
        ]

    def _next_to(self, spot):
        """R10.1: the orthogonal neighbours of a space, within its district."""
        place, row, column = spot
        return [
            (place, row + down, column + right)
            for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1))
            if 0 <= row + down < 3 and 0 <= column + right < 3
        ]

    def _held(self, p):
        """Face-up items: the face-down ones are gone before the scoring (R10.2)."""
        return sum(self.players[p]["items"].values())

    def _influence(self, p, note):
        """R10.1 to R10.5; `note` is told what counted."""
        player, total = self.players[p], 0
        markers = self._markers(p)
        for spot in markers:  # R10.1
            around = [
                self.district[place]["grid"][row][column]
                for place, row, column in self._next_to(spot)
            ]
            if str(p) in around:
                total += 2
                note("R10.1:adjacent")
            else:
                total += 1
                note(
                    "R10.1:beside-rival-only" if any(c.isdigit() for c in around) else "R10.1:alone"
                )
        held, most = self._held(p), max(self._held(rival) for rival in self._rivals(p))
        total += held  # R10.2
        if held > most:
            total += 1
            note("R10.2:bonus")
        elif held and held == most:
            note("R10.2:tie-for-most")
        note("R10.2:item" if held else "R10.2:no-items")
        hand = sum(player["hand"].values())
        total += hand + player["support"]  # R10.3, R10.4
        if hand:
            note("R10.3:hand")
        if player["support"]:
            note("R10.4:support")
        if player["agenda"] is not None:  # R10.5
            note("R10.5:agenda")
            for condition in self.agenda_cards[player["agenda"]]["conditions"]:
                outcome = self._agenda(p, condition)
                note(f"R12.5:{outcome}")
                if outcome == condition["test"]:
                    total += condition["points"]
        return total

    def _agenda(self, p, condition):
        """R12.5: the name of the test if it is met, else with what is wrong added."""
        test = condition["test"]
        if test == "most_markers":
            place = [condition["district"]]
            own = len(self._markers(p, place))
            rival = max(len(self._markers(seat, place)) for seat in self._rivals(p))
            return test if own > rival else f"{test}-tied" if own == rival else f"{test}-less"
        if test == "items":
            count = self._held(p)
        elif test == "hand":
            count = sum(self.players[p]["hand"].values())
        elif test == "group":
            count = self._largest_group(p)
        elif test == "markers_everywhere":
            count = min(len(self._markers(p, [place])) for place in self.district_ids)
        else:
            raise ValueError(f"unknown test {test}")
        return test if count >= condition["at_least"] else f"{test}-missed"

    def _largest_group(self, p):
        """R12.5: the size of p's largest orthogonally connected group in any one district."""
        left, largest = set(self._markers(p)), 0
        while left:
            group, edge = 0, [left.pop()]
            while edge:
                group += 1
                near = [spot for spot in self._next_to(edge.pop()) if spot in left]
                left.difference_update(near)
                edge += near
            largest = max(largest, group)
        return largest
