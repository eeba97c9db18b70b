"""Every result says with which cards and rules it was made."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from hemlock_env.cards import load_card_set
from hemlock_env.cli import main
from hemlock_env.evaluation.ladder.report import markdown
from hemlock_env.evaluation.ladder.run import Ladder
from hemlock_env.evaluation.ladder.schedule import make_schedule
from hemlock_env.evaluation.ladder.standings import standings
from hemlock_env.game.hashes import rules_hash
from hemlock_env.game.options import Options
from hemlock_env.network.checkpoint import describe
from tests.support.card_sets import default_dict, write_set

CARDS, RULES = "vault_of_darkness/1", "d03865d62653b4d8"


@pytest.mark.parametrize(
    "command", ["match random random --games 2", "luck random random --games 20", "endgames random"]
)
def test_json_and_words_name_cards_and_rules(command: str) -> None:
    result = CliRunner().invoke(main, [*command.split(), "--json"])
    told = json.loads(result.stdout)
    assert (told["cards"], told["rules"]) == (CARDS, RULES)
    said = CliRunner().invoke(main, command.split(), env={"COLUMNS": "200"})
    assert f"{CARDS}, rules {RULES}" in said.stdout


def test_a_ladder_names_cards_and_rules(tmp_path: Path) -> None:
    ladder = Ladder(make_schedule(["random", "greedy"], pairs=1), tmp_path)
    ladder.play()
    table = standings(ladder.schedule, ladder.played())
    assert (table.as_dict()["cards"], table.as_dict()["rules"]) == (CARDS, RULES)
    assert f"cards {CARDS}, rules {RULES}" in markdown(table)


def test_a_set_of_ones_own_is_named_with_its_revision_if_it_counts_them(tmp_path: Path) -> None:
    cards = {**default_dict(), "id": "mine", "revision": 7}
    file = write_set(tmp_path / "mine.toml", cards)
    assert load_card_set(file).edition == "mine/7"
    assert describe(load_card_set(file), Options(), (8,))["card_set_revision"] == 7
    del cards["revision"]
    assert load_card_set(write_set(file, cards)).edition == "mine"
    assert "card_set_revision" not in describe(load_card_set(file), Options(), (8,))
    assert rules_hash(load_card_set(file)) == RULES
