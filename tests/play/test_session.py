"""A session: the person decides, bots answer, choices are taken back, games are kept."""

import random
import sys

import pytest

from hemlock_env import Game
from hemlock_env.game.replay import RecordError
from hemlock_env.play.session import HUMAN, Session
from hemlock_env.play.terminal import free_name

HIDDEN = {"num_players": 3, "loot": "hand", "agendas": True}


def played(session, choices, seed=1):
    """The session after so many random choices of the person, or its end."""
    chance = random.Random(seed)
    for _ in range(choices):
        if session.over:
            break
        session.act(chance.choice(session.game.legal_actions()))
    return session


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_it_stands_where_the_person_decides(seat):
    session = Session.new(["random"], seat, num_players=3, seed=4)
    chance = random.Random(1)
    while not session.over:
        assert session.game.seat == seat
        session.act(chance.choice(session.game.legal_actions()))
    assert session.record()["agents"] == [HUMAN if each == seat else "random" for each in range(3)]
    assert session.record()["scores"] == session.game.scores()


def test_each_seat_may_have_its_own_bot():
    session = Session.new(["greedy", "random"], 1, num_players=3, seed=4)
    assert session.agents == ["greedy", HUMAN, "random"]


@pytest.mark.parametrize("options", [{}, HIDDEN])
@pytest.mark.parametrize("opponent", ["random", "greedy"])
def test_a_game_that_was_kept_goes_on_as_it_would_have(options, opponent):
    session = played(Session.new([opponent], seed=4, **options), 12)
    again = Session.load(session.record())
    assert again.log() == session.log()
    assert again.may_undo == session.may_undo
    for each in (session, again):
        played(each, 1_000, seed=5)
    assert again.record() == session.record()


def test_a_choice_is_taken_back_while_nothing_was_revealed():
    session = Session.new(["greedy"], seed=4, first_player=0)
    position, log = session.game.to_position(), session.log()
    assert not session.may_undo
    session.act(session.game.legal_actions()[0])  # a loot card: its district is still to come
    assert session.may_undo
    session.undo()
    assert session.game.to_position() == position and session.log() == log
    session.act(session.game.legal_actions()[-1])
    assert session.log()[:-1] == log


def test_that_a_rival_had_no_choice_is_told_only_when_the_game_is_over():
    """It says that its hand holds but one kind, or none that fits."""
    own = "Seat 0: "
    session = Session.new(["random"], seed=6, **HIDDEN)
    chance, silent = random.Random(2), 0
    while not session.over:
        log = session.log()
        forced = [event.get("forced", False) for event in session.events]
        assert [line.endswith(" (the only choice)") for line in log] == [
            was and line.startswith(own) for was, line in zip(forced, log, strict=True)
        ]
        silent += any(
            was and not line.startswith(own) for was, line in zip(forced, log, strict=True)
        )
        session.act(chance.choice(session.game.legal_actions()))
    assert silent  # there was something to be silent about
    assert [line.endswith(" (the only choice)") for line in session.log()] == [
        event.get("forced", False) for event in session.events
    ]


def test_undo_never_shows_what_comes_next():
    """Undo is there exactly where all that has happened since the choice is one's own."""
    seen = set()
    for options in ({}, HIDDEN, {"items_as_loot": True, "num_players": 4}):
        session = Session.new(["random"], seed=6, **options)
        chance = random.Random(2)
        while not session.over:
            before = len(session.log())
            session.act(chance.choice(session.game.legal_actions()))
            since = session.log()[before:]
            own = all(line.startswith(f"Seat {session.seat}: ") for line in since)
            assert session.may_undo == (own and not session.over)
            seen.add(own)
        assert not session.may_undo
    assert seen == {True, False}


def test_a_refused_undo_changes_nothing():
    session = Session.new(["greedy"], seed=4)
    while session.may_undo or not session.history:
        session.act(session.game.legal_actions()[0])
    record = session.record()
    with pytest.raises(ValueError, match="no undo: something was revealed, or a rival acted"):
        session.undo()
    assert session.record() == record


def own_chain(seed):
    """A turn of one's own: the positions before each choice, the record while undo is allowed."""
    session, positions, kept = Session.new(["greedy"], seed=seed, first_player=0), [], None
    while session.may_undo or not session.history:
        positions.append(session.game.to_position())
        session.act(session.game.legal_actions()[0])
        kept = session.record() if session.may_undo else kept
    return positions[:-1], kept  # the last choice let the rival act


def test_several_own_choices_are_taken_back_one_by_one_after_loading_too():
    positions, kept = next(chain for chain in map(own_chain, range(50)) if len(chain[0]) > 1)
    loaded = Session.load(kept)
    for position in reversed(positions):
        loaded.undo()
        assert loaded.game.to_position() == position
    assert not loaded.may_undo


def test_an_illegal_action_changes_nothing():
    session = Session.new(["greedy"], seed=4)
    record = session.record()
    with pytest.raises(ValueError, match="illegal"):
        session.act("district:spires")
    assert session.record() == record and not session.history


def test_hints_are_legal_and_come_from_what_the_seat_knows():
    session = played(Session.new(["random"], 1, hints="planner", seed=4, **HIDDEN), 5)
    action, words = session.hint()
    assert action in session.game.legal_actions() and words
    session.game = session.game.redeal(1, 9)
    assert session.hint() == (action, words)
    with pytest.raises(ValueError, match="no hint: the game is over"):
        played(Session.new(["random"], seed=4), 1_000).hint()


def test_the_answers_of_a_bot_depend_on_seed_and_decision_alone():
    first, second = (Session.new(["random"], seed=8) for _ in range(2))
    first.hint()
    for session in (first, second):
        played(session, 1_000)
    assert first.record() == second.record()


def illegal(game):
    """A bot that never finds a legal action."""
    return "no such action"


def test_a_bot_that_chooses_what_is_illegal_plays_the_lowest_legal_action():
    session = Session.new(["tests.play.test_session:illegal"], 1, seed=4, first_player=0)
    game = Game(seed=4, first_player=0)
    assert session.events[2]["action"] == game.action_name(game.legal_actions()[0])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"opponents": ["gredy"]}, "did you mean 'greedy'"),
        ({"opponents": ["random", "greedy"]}, "2 opponents: must be one for all, or 1"),
        ({"opponents": []}, "0 opponents"),
        ({"seat": 2}, "seat=2"),
        ({"num_players": 5}, "num_players"),
        ({"hints": "cheat-mcts"}, "sees no hidden cards"),
        ({"hints": "nobody"}, "unknown bot 'nobody'"),
        ({"hints": HUMAN}, "unknown bot 'human'"),
        ({"sidess": "basic"}, "sidess"),
    ],
)
def test_what_cant_be_is_named(words, says):
    with pytest.raises(ValueError, match=says):
        Session.new(**{"opponents": ["random"], **words})


@pytest.mark.parametrize("agents", [None, "human", ["random", "random"], [HUMAN, HUMAN], [HUMAN]])
def test_a_record_without_a_person_cant_be_gone_on_with(agents):
    record = Game(seed=1).record()
    with pytest.raises(ValueError, match="agents"):
        Session.load({**record, "agents": agents})


OWN = "somebodys_bot:Bot"


@pytest.fixture
def somebodys_bot(tmp_path, monkeypatch):
    """A module that leaves a file behind when it is imported; a record that names its bot."""
    trace = tmp_path / "imported"
    source = (
        f"import pathlib; pathlib.Path({str(trace)!r}).touch()\n"
        "from hemlock_env.agents.random_bot import RandomBot as Bot\n"
    )
    (tmp_path / "somebodys_bot.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    yield trace, {**Session.new(["random"], seed=1).record(), "agents": [HUMAN, OWN]}
    sys.modules.pop("somebodys_bot", None)


def test_what_a_record_names_is_not_imported(somebodys_bot):
    trace, record = somebodys_bot
    with pytest.raises(RecordError, match="nothing that a record names is imported"):
        Session.load(record)
    assert not trace.exists() and "somebodys_bot" not in sys.modules


def test_ones_own_bot_goes_on_where_one_names_it_oneself(somebodys_bot):
    _, record = somebodys_bot
    assert Session.load(record, own=[OWN]).agents == [HUMAN, OWN]


# ---- files ----


def test_a_record_comes_back_as_it_was(tmp_path):
    session = Session.new(["random"], seed=1)
    session.save(tmp_path / "game.json")
    assert Session.read(tmp_path / "game.json").record() == session.record()
    assert [path.name for path in tmp_path.iterdir()] == ["game.json"]


def test_no_file_is_written_over_unasked(tmp_path):
    path = tmp_path / "thesis.txt"
    path.write_text("years of work")
    session = Session.new(["random"], seed=1)
    with pytest.raises(ValueError, match="is there already"):
        session.save(path)
    assert path.read_text() == "years of work"
    session.save(path, replace=True)
    assert Session.read(path).record() == session.record()


def test_files_that_arent_records_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"none\.json: can't be read: No such file"):
        Session.read(tmp_path / "none.json")
    with pytest.raises(ValueError, match="can't be written"):
        Session.new(["random"], seed=1).save(tmp_path / "none" / "game.json")
    (tmp_path / "text.json").write_text("text")
    with pytest.raises(ValueError, match="isn't a record in JSON"):
        Session.read(tmp_path / "text.json")
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(ValueError, match="isn't a record in JSON: must be a JSON object"):
        Session.read(tmp_path / "list.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"binary.json: is not UTF-8 text"):
        Session.read(tmp_path / "binary.json")


def test_a_free_name_is_one_that_isnt_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert str(free_name("game")) == "game.json"
    free_name("game").touch()
    assert str(free_name("game")) == "game-1.json"


def test_a_record_of_another_kind_is_refused():
    with pytest.raises(RecordError):
        Session.load({})
