"""The table as shapes, SVG and pixels: all is shown, in its place, and nothing that is hidden."""

import functools
import itertools
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from hemlock_env import Game
from hemlock_env.cards.wording import name_words, word_phrase
from hemlock_env.render.build import build_scene
from hemlock_env.render.draw import draw_scene
from hemlock_env.render.raster import SIZES, to_array
from hemlock_env.render.shapes import THEMES, Box, Label, Polygon, text_width
from hemlock_env.render.svg import to_svg
from tests.envs.games import VARIANTS, name, positions, walk
from tests.support.card_sets import default_dict, harbour_dict, write_set

SVG = "{http://www.w3.org/2000/svg}"


def over(seed, **options):
    *_, game = walk(seed, **options)
    return game


@functools.cache
def pictures():
    """Pictures of many games, as every seat sees them, and as a whole."""
    ended = [over(seed, **options) for seed, options in enumerate(VARIANTS[::5])]
    return tuple(
        draw_scene(build_scene(game, seat))
        for game in (*positions()[::3], *ended)
        for seat in (*range(game.num_players), None)
    )


def labels(group):
    return [shape for shape in group.shapes if isinstance(shape, Label)]


def part(picture, wanted):
    return next(group for group in picture.groups if group.name == wanted)


def said(group):
    """All text of a part; lines are joined as they were broken."""
    return " ".join(label.text for label in labels(group))


def extent(label):
    """Where a text begins and ends."""
    wide = text_width(label.text, label.size, label.bold)
    start = label.x - {"start": 0, "middle": wide / 2, "end": wide}[label.anchor]
    return start, start + wide


# ---- where things stand ----


def test_no_text_leaves_its_part_of_the_picture():
    for picture in pictures():
        for group in picture.groups:
            for label in labels(group):
                start, end = extent(label)
                assert -0.5 <= start and end <= group.width + 0.5, label
                assert label.size <= label.y <= group.height, label


def test_no_text_lies_on_another():
    for picture in pictures():
        for group in picture.groups:
            for one, other in itertools.combinations(labels(group), 2):
                if abs(one.y - other.y) < 0.8 * min(one.size, other.size):
                    (a, b), (c, d) = extent(one), extent(other)
                    assert min(b, d) <= max(a, c) + 0.5, (one, other)


def test_no_part_lies_on_another_and_all_are_in_the_picture():
    for picture in pictures():
        for group in picture.groups:
            assert group.x >= 0 and group.x + group.width <= picture.width
            assert group.y >= 0 and group.y + group.height <= picture.height
        for one, other in itertools.combinations(picture.groups, 2):
            apart = (
                one.x + one.width <= other.x
                or other.x + other.width <= one.x
                or one.y + one.height <= other.y
                or other.y + other.height <= one.y
            )
            assert apart, (one.name, other.name)


def test_nothing_is_cut_off_with_the_shipped_cards():
    assert not any("…" in said(group) for picture in pictures() for group in picture.groups)


def test_long_names_are_cut_rather_than_spilt(tmp_path):
    data = default_dict()
    data["loot"][0]["id"] = "the_" + "very_" * 30 + "long_name"
    path = write_set(tmp_path / "long.toml", {**data, "id": "long"})
    game = next(
        game
        for game in (Game(seed=seed, card_set=str(path)) for seed in range(20))
        if game.state["row"][0]
    )
    for group in draw_scene(build_scene(game)).groups:
        assert all(extent(label)[1] <= group.width + 0.5 for label in labels(group))


# ---- what is shown ----


@pytest.mark.rule("R1.2", "R12.1")
@pytest.mark.parametrize("side", ["basic", "advanced"])
def test_districts_show_side_lair_symbols_scheme_and_every_space(side):
    game = Game(seed=1, sides=side)
    picture = draw_scene(build_scene(game))
    for number, card in enumerate(game.card_set.districts):
        group = part(picture, f"district{number}")
        shown = getattr(card, side)
        for words in (name_words(card.id).capitalize(), side, "Lair of the", "Scheme for"):
            assert words in said(group)
        for kind in shown.symbols:
            assert name_words(game.card_set.minions[kind]) in said(group)
        for word in shown.scheme:
            assert word_phrase(game.card_set, word) in said(group)
        spaces = [shape for shape in group.shapes if isinstance(shape, Box) and shape.width == 33]
        assert len(spaces) == (game.state["spaces"][number] > 0).sum()


@pytest.mark.rule("R6.1", "R10.8")
def test_minions_are_shown_with_what_each_and_all_count():
    position = Game(2, seed=1).to_position()
    boneyard = position["districts"]["boneyard"]["minions"]
    boneyard[0].update({"ghoul": 2, "masque": 1, "alchemist": 1})
    for minion, count in boneyard[0].items():
        position["supply"]["minions"][minion] -= count
    group = part(draw_scene(build_scene(Game.from_position(position))), "district1")
    assert "7 2 ghoul 2 alchemist 1 masque 2" in said(group)  # 7 together; two ghouls, each 2


def test_markers_are_shown_by_number_and_form_as_well_as_by_colour():
    game = over(3, num_players=4)
    forms = {}
    for number in range(4):
        group = part(draw_scene(build_scene(game)), f"district{number}")
        for shape, following in itertools.pairwise(group.shapes):
            if shape.fill.startswith("seat") and isinstance(following, Label):
                kind = len(shape.points) if isinstance(shape, Polygon) else type(shape)
                forms.setdefault(following.text, set()).add((kind, shape.fill))
    assert all(len(found) == 1 for found in forms.values())
    assert len(set.union(*forms.values())) == len(forms) == 4


@pytest.mark.rule("R13.1", "R4.2", "R2.1")
def test_loot_nights_supply_items_stock_and_score_are_shown():
    for game in positions()[::4]:
        scene = build_scene(game, game.seat)
        picture = draw_scene(scene)
        for loot in scene.loot:
            for card in loot.cards:
                assert f"{card.name} {card.words}" in said(part(picture, "loot"))
        assert all(used in said(part(picture, "loot")) for used in scene.used)
        for night in (*scene.nights, *scene.to_come):
            assert f"{night.name} {night.value}" in said(part(picture, "nights"))
        for pile in (*scene.supply, *scene.item_supply, *scene.discard):
            assert pile.name in said(part(picture, "supply"))
        for each in scene.players:
            text = said(part(picture, f"player{each.seat}"))
            assert f"influence {each.influence}" in text
            assert f"{each.stock} in stock, {each.support} support" in text
            assert all(pile.name in text for pile in (*each.items, *each.spent, *each.hand))


def test_whoever_decides_finds_every_legal_action():
    for game in positions()[::4]:
        picture = draw_scene(build_scene(game, game.seat))
        group = part(picture, "decision")
        boxes = {shape.action for shape in group.shapes if isinstance(shape, Box)} - {None}
        assert boxes == set(game.legal_actions())
        rival = draw_scene(build_scene(game, (game.seat + 1) % game.num_players))
        shown = [shape for each in rival.groups for shape in each.shapes if isinstance(shape, Box)]
        assert all(shape.action is None for shape in shown)


@pytest.mark.rule("R13.2", "R13.4")
def test_hidden_minions_are_backs():
    game = Game(3, seed=1)
    backs = {
        seat: [
            sum(
                isinstance(shape, Box) and shape.fill == "back" and shape.width == 14
                for shape in part(draw_scene(build_scene(game, seat)), f"player{owner}").shapes
            )
            for owner in range(3)
        ]
        for seat in (0, 1, None)
    }
    assert backs == {0: [0, 4, 4], 1: [4, 0, 4], None: [0, 0, 0]}


@pytest.mark.rule("R13.6")
def test_a_redeal_changes_nothing_in_the_draw_scene_a_seat():
    for number, game in enumerate(positions()[::2]):
        for seat in range(game.num_players):
            assert game.to_svg(seat) == game.redeal(seat, number).to_svg(seat)


@pytest.mark.rule("R13.1")
def test_every_decision_changes_the_draw_scene_every_seat():
    for game in positions()[::2]:
        after = game.copy()
        after.step(game.legal_actions()[0])
        for seat in range(game.num_players):
            assert game.to_svg(seat) != after.to_svg(seat)


@pytest.mark.parametrize("options", VARIANTS[::3], ids=name)
def test_the_end_shows_the_result(options):
    game = over(2, **options)
    text = said(part(draw_scene(build_scene(game, 0)), "decision"))
    for score in game.scores():
        assert f"{score} = markers" in text


def test_quite_another_card_set_can_be_shown(tmp_path):
    path = write_set(tmp_path / "harbour.toml", {**harbour_dict(), "name": '<Harbour> & "night"'})
    game = Game(seed=1, card_set=str(path))
    drawn = ElementTree.fromstring(game.to_svg())
    assert '<Harbour> & "night"' in [text.text for text in drawn.iter(f"{SVG}text")]
    assert to_array(game).shape == (*SIZES[2], 3)


# ---- a policy's probabilities ----


def test_probabilities_are_drawn_behind_the_legal_actions():
    game = Game(seed=1)
    legal = game.legal_actions()
    likely = {action: 1 / (2 + place) for place, action in enumerate(legal)}
    group = part(draw_scene(build_scene(game, None, likely)), "decision")
    bars = [shape.width for shape in group.shapes if getattr(shape, "fill", "") == "likely"]
    assert np.allclose(np.array(bars) / bars[0] / 2, list(likely.values()))
    assert all(f"{value:.0%}" in said(group) for value in likely.values())
    by_index = np.zeros(len(game.action_mask()))
    by_index[legal] = list(likely.values())
    assert game.to_svg(probabilities=by_index) == game.to_svg(probabilities=likely)


@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan"), "much", None])
def test_what_is_no_probability_is_refused(value):
    game = Game(seed=1)
    likely = dict.fromkeys(game.legal_actions(), value)
    with pytest.raises(ValueError, match=f"legal action {game.legal_actions()[0]} needs a number"):
        game.to_svg(probabilities=likely)
    with pytest.raises(ValueError, match="needs a number"):
        game.to_svg(probabilities={})


# ---- SVG ----


def test_a_notebook_shows_the_whole_table():
    game = Game(seed=1)
    assert game._repr_html_() == game.to_svg() == to_svg(game)


@pytest.mark.parametrize("theme", THEMES)
def test_svg_is_well_formed_and_uses_the_colours_of_its_theme(theme):
    drawn = ElementTree.fromstring(over(1).to_svg(theme=theme))
    used = {element.get("fill") for element in drawn.iter()} - {None}
    assert used <= set(THEMES[theme].values())
    assert {THEMES[theme][f"seat{seat}"] for seat in (0, 1)} <= used


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"theme": "blue"}, "theme='blue': must be one of light, dark"),
        ({"theme": None}, "theme=None"),
        ({"seat": 2}, "seat=2: must be from 0 to 1"),
        ({"seat": "0"}, "seat='0'"),
    ],
)
def test_wrong_options_are_named(options, says):
    for draw in (Game(seed=1).to_svg, lambda **given: to_array(Game(seed=1), **given)):
        with pytest.raises(ValueError, match=says):
            draw(**options)


def luminance(colour):
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_text_can_be_read_on_what_lies_behind_it(theme):
    colours = THEMES[theme]
    for behind in ("page", "panel", "card", "space", "likely"):
        assert contrast(colours["ink"], colours[behind]) >= 4.5
    for behind in ("page", "panel"):
        assert contrast(colours["muted"], colours[behind]) >= 4.5
        assert contrast(colours["accent"], colours[behind]) >= 3  # bold, or a line
    for seat in range(4):
        assert contrast(colours[f"on{seat}"], colours[f"seat{seat}"]) >= 4.5
    assert contrast(colours["page"], colours["back"]) >= 4.5


# ---- pixels ----


def test_pixels_have_one_size_for_all_positions_and_change_with_every_move():
    game = Game(3, seed=1)
    first = to_array(game, game.seat)
    assert first.dtype == np.uint8 and first.shape == (*SIZES[3], 3)
    assert len(np.unique(first.reshape(-1, 3), axis=0)) > 10
    assert np.array_equal(first, to_array(game, game.seat))
    game.step(game.legal_actions()[0])
    second = to_array(game, 0)
    assert second.shape == first.shape and not np.array_equal(first, second)


def test_pixels_fill_any_size_without_leaving_it():
    game = over(1, num_players=4)
    page = np.array([int(THEMES["dark"]["page"][at : at + 2], 16) for at in (1, 3, 5)])
    for size in ((300, 1600), (2000, 400), (200, 200)):
        drawn = to_array(game, size=size, theme="dark")
        assert drawn.shape == (*size, 3)
        edge = np.concatenate([drawn[0], drawn[-1], drawn[:, 0], drawn[:, -1]])
        assert (edge == page).all() and (drawn != page).any()


@pytest.mark.rule("R13.6")
def test_pixels_tell_a_seat_nothing_that_is_hidden():
    game = Game(3, seed=1, loot="hand", agendas=True)
    assert np.array_equal(to_array(game, 1), to_array(game.redeal(1, 5), 1))
    assert not np.array_equal(to_array(game), to_array(game.redeal(1, 5)))


def test_pixels_need_no_display(monkeypatch):
    for variable in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(variable, raising=False)
    assert to_array(Game(seed=1)).any()


@pytest.mark.parametrize("size", [(10, 10), (1000,), "big", (20_000, 100), (None, None)])
def test_a_size_that_cant_be_is_refused(size):
    with pytest.raises(ValueError, match="must be height and width"):
        to_array(Game(seed=1), size=size)


def test_without_pillow_one_sentence_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(
        ImportError, match=r"^pictures in pixels need Pillow: .*hemlock-env\[render"
    ):
        to_array(Game(seed=1))
