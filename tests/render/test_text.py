"""The table as text: what it shows, and that it shows nothing else (R13)."""

import re

import numpy as np
import pytest

from hemlock_env import Game
from hemlock_env.cards.wording import card_words, condition_words, name_words
from hemlock_env.engine.constants import Decision
from hemlock_env.render.build import QUESTIONS
from hemlock_env.render.text import WIDTH, render
from tests.envs.games import KINDS, VARIANTS, kind_of, name, positions, walk

HIDDEN_AND_AGENDAS = {"num_players": 3, "loot": "hand", "agendas": True}


def views(game):
    """A game as every seat sees it, and as a whole."""
    return [render(game, seat) for seat in (*range(game.num_players), None)]


def flat(text):
    """Without line breaks."""
    return " ".join(text.split())


def over(seed, **options):
    *_, game = walk(seed, **options)
    return game


# ---- form ----


def test_lines_are_short_plain_and_without_trailing_blanks():
    for game in positions():
        for text in views(game):
            assert text.isascii()
            assert all(
                len(line) <= WIDTH == 96 and line == line.rstrip() for line in text.split("\n")
            )


def test_every_decision_has_a_question():
    assert set(QUESTIONS) == set(KINDS)


@pytest.mark.parametrize("options", VARIANTS, ids=name)
def test_whole_games_can_be_followed(options):
    for game in walk(1, **options):
        if game.decisions % 5 and not game.over:
            continue
        text = render(game, game.seat)
        assert ("The game is over" in text) == game.over
        assert game.over or f"Seat {game.seat} decides: " in text


# ---- what is hidden ----


@pytest.mark.rule("R13.6")
def test_a_redeal_leaves_what_every_seat_reads_unchanged():
    for number, game in enumerate(positions()):
        for seat in range(game.num_players):
            assert render(game, seat) == render(game.redeal(seat, number), seat)


@pytest.mark.rule("R13.1")
def test_every_decision_changes_what_everyone_reads():
    for game in positions():
        after = game.copy()
        after.step(game.legal_actions()[0])
        for seat in range(game.num_players):
            assert render(game, seat) != render(after, seat)


@pytest.mark.rule("R13.2", "R11.3")
def test_an_agenda_is_shown_to_its_seat_alone_until_the_game_is_over():
    game = Game(seed=1, **HIDDEN_AND_AGENDAS)
    agendas = [name_words(game.card_set.agendas[card].id) for card in game.state["agenda"][:3]]
    for seat in range(3):
        text = flat(render(game, seat))
        assert [agenda in text for agenda in agendas] == [other == seat for other in range(3)]
        assert text.count("and the agenda") == 2
    ended = over(1, **HIDDEN_AND_AGENDAS)
    assert all(agenda in flat(render(ended, 0)) for agenda in agendas)


@pytest.mark.rule("R13.2", "R11.1")
def test_a_loot_hand_is_shown_to_its_seat_alone():
    game = Game(seed=1, **HIDDEN_AND_AGENDAS)
    for seat in range(3):
        text = flat(render(game, seat))
        for loot, card in enumerate(game.card_set.loot):
            held = bool(game.state["loot_hand"][seat, loot])
            said = f"{name_words(card.id)} {card_words(game.card_set, card)}"
            assert (said in text) == held
        assert text.count("; 3 loot cards in hand") == 3


@pytest.mark.rule("R13.3")
def test_with_two_players_the_rivals_hand_is_known():
    game = Game(2, seed=1)
    for seat in (0, 1):
        text = render(game, seat)
        assert "unknown" not in text
        for owner in (0, 1):
            assert hand_line(text, owner) == hand_line(render(game, None), owner)


@pytest.mark.rule("R13.4")
def test_with_more_players_only_what_was_seen_of_a_hand_is_known():
    game = Game(3, seed=1)
    text = render(game, 0)
    assert hand_line(text, 1) == hand_line(text, 2) == "   hand 4: 4 unknown"
    assert "unknown" not in hand_line(text, 0)
    assert "in all other hands together: " in text
    assert "unknown" not in render(game, None)


@pytest.mark.rule("R13.2")
def test_the_night_deck_is_shown_without_its_order():
    game = Game(2, seed=1)
    assert "Still to come, in any order: spires (" in render(game, 0)
    order = [game.card_set.nights[card] for card in game.state["night_deck"][:7]]
    said = ", ".join(
        f"{name_words(game.card_set.districts[card.district].id)} ({card.value})" for card in order
    )
    assert f"Still to come, in this order: {said}" in flat(render(game, None))


# ---- what is shown ----


def hand_line(text, seat):
    """The line of a seat's hand."""
    lines = text.split("\n")
    start = next(
        at for at, line in enumerate(lines) if re.match(rf"seat {seat}\b.*influence", line)
    )
    return next(line for line in lines[start:] if line.startswith("   hand"))


def test_every_legal_action_stands_there_by_number_and_name_for_whoever_decides():
    for game in positions():
        text = render(game, game.seat)
        for action in game.legal_actions():
            assert re.search(rf"\b{action} {re.escape(game.action_name(action))}(?!\w)", text)
        other = render(game, (game.seat + 1) % game.num_players)
        assert other.rstrip().endswith(".")
        assert f"Seat {game.seat} decides: " in other


@pytest.mark.rule("R10.1", "R10.2", "R10.3", "R10.4")
def test_influence_is_the_score_so_far():
    for game in positions():
        text = render(game, game.seat)
        said = [int(number) for number in re.findall(r"influence (\d+)", text)]
        assert said[game.seat] == game.scores()[game.seat]
        assert len(said) == game.num_players


def test_markers_are_drawn_by_seat():
    for game in positions():
        grids = [line[6:11] for line in render(game, game.seat).split("\n") if line[:6].isspace()]
        drawn = "".join(row for row in grids if set(row) <= set("0123. "))
        for seat in range(game.num_players):
            assert drawn.count(str(seat)) == 12 - game.state["stock"][seat]
        assert drawn.count(".") == (game.state["spaces"] == 1).sum()


@pytest.mark.rule("R6.1", "R6.2", "R6.3", "R6.4", "R10.8")
def test_minions_are_shown_with_what_they_count():
    game = Game(2, seed=1)
    position = game.to_position()
    boneyard = position["districts"]["boneyard"]["minions"]
    boneyard[0].update({"ghoul": 1, "masque": 1, "alchemist": 1})
    boneyard[1].update({"leader_boneyard": 1, "shadow": 1, "servant": 1})
    for minion in ("ghoul", "masque", "alchemist", "leader_boneyard", "shadow", "servant"):
        position["supply"]["minions"][minion] -= 1
    text = render(Game.from_position(position), 0)
    assert "seat 0:  5 = ghoul, alchemist, masque\n" in text
    assert "seat 1:  5 = shadow, servant, leader boneyard\n" in text


def test_the_effect_in_progress_is_shown_with_what_still_waits():
    game = next(
        game
        for game in walk(0, num_players=2)
        if kind_of(game) == Decision.PLACE_MINION and game.state["frames"][0]["source"] == 0
    )
    assert (
        "Under way: taxers hold: place a courtesan, then place a marker here, "
        "then the scheme if triggered Seat "
    ) in flat(render(game, 0))


def test_whatever_is_under_way_is_put_into_words():
    depths = set()
    for game in positions():
        lines = [line for line in render(game, 0).split("\n") if line.startswith("Under way: ")]
        assert len(lines) == game.state["depth"]
        assert all(re.fullmatch(r"Under way: [a-z ]+: [a-z].*", line) for line in lines)
        depths.add(len(lines))
    assert depths == {0, 1, 2}


@pytest.mark.rule("R7.7")
def test_rivals_to_pick_are_named_by_seat():
    game = next(game for game in positions() if kind_of(game) == Decision.PICK_RIVAL)
    text = render(game, game.seat)
    for action in game.legal_actions():
        offset = int(game.action_name(action).removeprefix("seat:"))
        assert f"seat:{offset} (seat {(game.seat + offset) % game.num_players})" in text


def test_both_sides_of_every_district_are_put_into_words():
    basic, advanced = (
        flat(render(Game(2, sides=sides, seed=1))) for sides in ("basic", "advanced")
    )
    assert "BONEYARD (basic, lair of the ghoul). Scheme for alchemist: gain a potion" in basic
    assert (
        "SPIRES (advanced, lair of the alchemist). Scheme for ghoul, shadow: "
        "place a marker in any district"
    ) in advanced


# ---- the end ----


@pytest.mark.rule("R10.1", "R10.2", "R10.3", "R10.4", "R10.5")
@pytest.mark.parametrize("options", VARIANTS, ids=name)
def test_the_result_says_where_all_influence_comes_from(options):
    game = over(2, **options)
    text = render(game)
    lines = text.split("Influence:\n")[1].split("\n")
    for seat, line in enumerate(lines):
        total, *parts = (int(number) for number in re.findall(r"\d+", line.split(":", 1)[1]))
        assert total == game.scores()[seat] == sum(parts)
        placed = 12 - int(game.state["stock"][seat])
        assert placed <= parts[0] <= 2 * placed
        assert parts[2] == game.state["hand"][seat].sum()
        assert len(parts) == 4 + options["agendas"]
    assert [str(seat) in text.split("\n")[2] for seat in game.winners()]


@pytest.mark.rule("R10.6")
def test_the_result_names_the_winners():
    results = {
        len(game.winners()): game for game in (over(seed, num_players=3) for seed in range(400))
    }
    assert f"Seat {results[1].winners()[0]} has won." in render(results[1])
    one, two = results[2].winners()
    assert f"A draw between the seats {one}, {two}." in render(results[2])


@pytest.mark.rule("R12.5")
def test_an_own_agenda_is_put_into_words():
    game = Game(2, agendas=True, seed=3)
    card = game.card_set.agendas[int(game.state["agenda"][0])]
    for condition in card.conditions:
        assert condition_words(game.card_set, condition) in flat(render(game, 0))


def test_rendering_changes_nothing():
    for game in positions()[::8]:
        before, state = game.observe(game.seat), game.state.tobytes()
        views(game)
        assert game.state.tobytes() == state
        assert np.array_equal(game.observe(game.seat), before)
