"""The replay page: whole, small, and it shows what the record holds."""

import json
import re

import pytest

from hemlock_env import Game, make_bot
from hemlock_env.game.replay import RecordError, replay
from hemlock_env.render.page import moves, replay_page
from tests.render.browser import needs_chromium, opened, text_of, words_in

HIDDEN = {"num_players": 3, "loot": "hand", "agendas": True, "sides": "random"}


def recorded(seed=1, choices=10_000, **options):
    """The record of a game between greedy bots, or of its beginning."""
    bot, game = make_bot("greedy", seed=seed), Game(seed=seed, **options)
    while not game.over and game.decisions < choices:
        game.step(bot.act(game))
    return game.record()


@pytest.fixture(scope="module")
def record():
    return recorded()


@pytest.fixture(scope="module")
def page(record):
    return replay_page(record)


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


def board(data, view, step):
    """The elements of a table, as the page puts them together."""
    _, *places = data["views"][view][step]
    parts = [data["parts"][data["places"][place][0]] for place in places]
    return "".join(data["elements"][element] for part in parts for element in part)


def text_elements(svg):
    return [words_in(text) for text in re.findall(r"<text[^>]*>.*?</text>", svg)]


def test_the_page_needs_nothing_else(page):
    assert page.startswith("<!doctype html>")
    assert not re.search(r"https?:|<link[^>]*stylesheet|<script[^>]*src|@import|url\(", page)


def test_the_page_of_a_game_of_two_is_small(page):
    assert len(page.encode()) < 1_000_000


@pytest.mark.parametrize("options", [{}, HIDDEN])
def test_every_view_of_every_decision_is_there(options):
    record = recorded(2, **options)
    data = data_of(replay_page(record))
    games = list(replay(record))
    assert len(data["views"]) == games[0].num_players + 1
    for view, frames in enumerate(data["views"]):
        assert len(frames) == len(games)
        for step in (0, len(games) // 3, len(games) // 2, len(games) - 1):
            seat = None if view == 0 else view - 1
            expected = text_elements(games[step].to_svg(seat))
            assert text_elements(board(data, view, step)) == expected


def test_moves_are_told_in_words_at_their_step(record):
    game = Game(seed=1)
    told = moves(record, game.card_set)
    assert len(told) == len(record["events"])
    assert told[0]["words"].startswith("The table is set. Seat ")
    nights = [move["words"] for move in told if move["kind"] == "night"]
    assert [words.split(":")[0] for words in nights] == [
        f"Week {week}, night {night}" for week in (1, 2) for night in (1, 2, 3, 4)
    ]
    choices = [event for event in record["events"] if "action" in event and "forced" not in event]
    chosen = [move for move in told if move["kind"] == "seat"]
    assert [move["step"] for move in chosen] == list(range(1, len(choices) + 1))
    for event, move in zip(choices, chosen, strict=True):
        assert move["words"].startswith(f"Seat {event['seat']}: ")
    forced = [move["words"] for move in told if move["kind"] == "forced"]
    assert forced and all(words.endswith("(the only choice)") for words in forced)


def test_moves_tell_no_hidden_loot():
    record = recorded(3, **HIDDEN)
    told = moves(record, Game(seed=1).card_set)
    for event, move in zip(record["events"], told, strict=True):
        if "night" in event:
            assert move["words"].endswith("; loot is dealt to the hands.")


def test_an_unfinished_game_can_be_looked_at():
    data = data_of(replay_page(recorded(choices=9)))
    assert len(data["views"][0]) == 10 and data["scores"] is None


def test_names_of_agents_cant_break_out_of_the_page(record):
    page = replay_page({**record, "agents": ["</script><script>alert(1)</script>", "b"]})
    assert "alert" in page and "<script>alert" not in page
    assert data_of(page)["agents"][0].startswith("</script>")


def test_a_record_that_departs_is_refused(record):
    with pytest.raises(RecordError, match="scores"):
        replay_page({**record, "scores": [0, 0]})


def test_an_opinion_is_shown_as_a_curve_and_as_probabilities(record):
    def opinion(game):
        legal = game.legal_actions()
        return 0.5 - game.seat, dict.fromkeys(legal, 1 / len(legal))

    data = data_of(replay_page(record, opinion=opinion))
    games = list(replay(record))[:-1]
    assert data["values"] == [[step, game.seat, 0.5 - game.seat] for step, game in enumerate(games)]
    assert f"{1 / len(games[0].legal_actions()):.0%}" in text_elements(board(data, 0, 0))


# ---- in a browser ----


def written(tmp_path, page, script=""):
    path = tmp_path / "game.html"
    path.write_text(page.replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
    return path.as_uri()


def press(*keys):
    """A script that presses keys one after the other."""
    return (
        f"for (const key of {json.dumps(keys)})"
        " document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));"
    )


@needs_chromium
def test_the_page_opens_at_any_step(tmp_path, record, page):
    shown = opened(f"{written(tmp_path, page)}#step=7&view=2", tmp_path)
    assert 'data-step="7"' in shown
    assert "as seat 1 knows it" in shown
    assert text_of(shown, "final") == ""


@needs_chromium
def test_the_keyboard_steps_to_the_end_and_the_final_score_is_the_records(tmp_path, record, page):
    last = len(data_of(page)["views"][0]) - 1
    shown = opened(written(tmp_path, page, press(*["ArrowRight"] * last)), tmp_path)
    assert f'data-step="{last}"' in shown
    scores = ", ".join(f"seat {seat}: {score}" for seat, score in enumerate(record["scores"]))
    assert text_of(shown, "final").startswith(f"Final: {scores}; ")
    for score in record["scores"]:
        assert f"{score} = markers" in shown


@needs_chromium
def test_keys_jump_to_nights_and_change_the_view(tmp_path, page):
    shown = opened(written(tmp_path, page, press("n", "n", "p", "v")), tmp_path)
    second = [move["step"] for move in data_of(page)["moves"] if move["kind"] == "night"][1]
    assert f'data-step="{second}"' in shown
    assert "night 2 of 4" in shown and "as seat 0 knows it" in shown


@needs_chromium
def test_play_goes_on_by_itself_and_stops_at_the_end(tmp_path):
    page = replay_page(recorded(choices=6))
    play = "document.getElementById('play').click();"
    shown = opened(written(tmp_path, page, play), tmp_path)  # the browser's clock runs ahead
    assert 'data-step="6"' in shown
    assert text_of(shown, "play") == "Play"


@needs_chromium
def test_a_mistake_in_a_page_would_be_noticed(tmp_path, page):
    """So that the tests above can fail."""
    with pytest.raises(AssertionError, match="no_such_thing"):
        opened(written(tmp_path, page, "no_such_thing();"), tmp_path)


def test_the_old_address_of_the_page_still_works():
    from hemlock_env.render import replay as old

    with pytest.warns(DeprecationWarning, match=r"render\.page\.replay_page"):
        assert old.replay_page is replay_page
