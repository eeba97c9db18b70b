"""`hemlock serve`: a game in the browser, what its page is sent, and what is refused."""

import importlib
import json
import socket
import sys
import threading

import pytest
from werkzeug.serving import make_server

from hemlock_env.game.replay import replay
from hemlock_env.play import web
from hemlock_env.play.session import Session
from hemlock_env.play.web import make_app, state_of
from tests.render.browser import needs_chromium, opened, text_of

serve_module = importlib.import_module("hemlock_env.cli.serve")  # the package names the command

HIDDEN = {"num_players": 3, "loot": "hand", "agendas": True}


@pytest.fixture
def app():
    return make_app(["random", "greedy"])


@pytest.fixture
def page(app):
    return app.test_client()


def begin(page, **options):
    answer = page.post("/games", json={"seed": 4, **options})
    assert answer.status_code == 201, answer.text
    return f"/games/{answer.json['game']}"


def play_on(page, game, choices=10_000):
    """The last state after so many choices."""
    state = page.get(f"{game}/state").json
    for _ in range(choices):
        if state["over"]:
            break
        action = state["choices"][0]["action"]
        answer = page.post(f"{game}/act", json={"step": state["step"], "action": action})
        assert answer.status_code == 200
        state = answer.json
    return state


def open_game(app, game):
    """The session behind a page."""
    return app.view_functions["state"].__self__.games.get(game.removeprefix("/games/"))


# ---- a game ----


@pytest.mark.parametrize("options", [{}, {**HIDDEN, "seat": 1, "sides": "advanced"}])
def test_a_whole_game_can_be_played_and_its_record_kept(page, options):
    game = begin(page, **options)
    state = play_on(page, game)
    assert state["over"] and state["choices"] == [] and not state["undo"]
    answer = page.get(f"{game}/record")
    assert "attachment" in answer.headers["Content-Disposition"]
    *_, last = replay(answer.json)
    assert last.over and f"Seat {last.winners()[0]}" in state["status"]
    assert answer.json["agents"][state["seat"]] == "human"


def test_a_reload_shows_the_same_game(page):
    game = begin(page)
    state = play_on(page, game, 7)
    assert page.get(game).status_code == 200
    assert page.get(f"{game}/state").json == state
    assert page.application.test_client().get(f"{game}/state").json == state


def test_what_a_record_in_the_folder_names_is_not_imported(tmp_path):
    record = {**Session.new(["random"], seed=1).record(), "agents": ["human", "antigravity:fly"]}
    (tmp_path / "0123456789abcdef.json").write_text(json.dumps(record))
    page = make_app(["random"], folder=tmp_path).test_client()
    answer = page.get("/games/0123456789abcdef/state")
    assert answer.status_code == 400
    assert "antigravity:fly" in answer.text and "antigravity" not in sys.modules


def test_with_a_folder_the_game_outlives_the_server(tmp_path):
    first = make_app(["random"], folder=tmp_path).test_client()
    game = begin(first, **HIDDEN)
    state = play_on(first, game, 7)
    second = make_app(["random"], folder=tmp_path).test_client()
    assert second.get(f"{game}/state").json == state
    assert play_on(second, game)["over"]


def test_a_choice_is_taken_back(page):
    game = begin(page, seed=4)
    before = page.get(f"{game}/state").json
    after = play_on(page, game, 1)
    assert after["undo"] and after["step"] == before["step"] + 1
    assert page.post(f"{game}/undo", json={"step": after["step"]}).json == before


def test_a_hint_is_one_of_the_choices(page):
    game = begin(page)
    choices = page.get(f"{game}/state").json["choices"]
    assert page.get(f"{game}/hint").json in [
        {"action": choice["action"], "words": choice["words"]} for choice in choices
    ]


def test_the_board_carries_the_actions_that_can_be_clicked(page):
    state = page.get(f"{begin(page)}/state").json
    for choice in state["choices"]:
        assert f'data-action="{choice["action"]}"' in state["svg"]


# ---- what is hidden ----


@pytest.mark.rule("R13.6")
@pytest.mark.parametrize("options", [{}, HIDDEN, {"num_players": 4, "agendas": True}])
def test_a_redeal_changes_no_byte_that_a_page_is_sent(app, page, options):
    game = begin(page, **options)
    session = open_game(app, game).session
    rivals = 0
    while not session.over:
        sent = [page.get(path).data for path in (game, f"{game}/state", f"{game}/hint")]
        true, events = session.game, session.events
        rivals += events != with_other_hands(events, session.seat)
        for seed in range(3):
            session.game = true.redeal(session.seat, seed)
            session.events = with_other_hands(events, session.seat)
            assert [page.get(path).data for path in (game, f"{game}/state", f"{game}/hint")] == sent
        session.game, session.events = true, events
        play_on(page, game, 3)
    assert rivals


def with_other_hands(events, seat):
    """The same actions of all, but rivals had a choice where they had none, and the reverse."""
    return [
        {**event, "forced": not event.get("forced", False)}
        if "action" in event and event["seat"] != seat
        else event
        for event in events
    ]


def test_the_step_counts_what_all_see(app, page):
    """A count of free choices alone would tell which ones of a rival were forced."""
    game = begin(page, **HIDDEN)
    while not (state := play_on(page, game, 1))["over"]:
        assert state["step"] == len(state["log"])
    session = open_game(app, game).session
    assert session.game.decisions < session.step


def test_the_seed_is_not_told_before_the_end(page):
    game = begin(page, seed=1234567890123)
    assert "1234567890123" not in page.get(game).text + page.get(f"{game}/state").text
    answer = page.get(f"{game}/record")
    assert answer.status_code == 409 and "when the game is over" in answer.json["error"]
    play_on(page, game)
    assert page.get(f"{game}/record").json["seed"] == 1234567890123


def test_the_state_is_made_of_what_the_seat_sees_even_when_a_rival_decides():
    """Should a page ever ask in between, it isn't shown the rival's choices."""
    session = Session.new(["random"], num_players=3, loot="hand", seed=4)
    while session.game.seat == session.seat:
        session.game.step(session.game.legal_actions()[0])
    assert state_of(session)["choices"] == []


# ---- wrong requests ----


@pytest.mark.parametrize(
    ("method", "path", "sent", "code", "says"),
    [
        ("get", "/nothing", None, 404, ""),
        ("get", "/games/0123456789abcdef", None, 404, "there is no game"),
        ("get", "/games/..%2f..%2fetc%2fpasswd/state", None, 404, ""),
        ("get", "/games/passwd/state", None, 404, "there is no game 'passwd'"),
        ("get", "/games", None, 405, ""),
        ("post", "GAME/state", {}, 405, ""),
        ("post", "/games", [], 400, "must be a JSON object"),
        ("post", "/games", {"bot": "greedy"}, 400, "'bot': unknown; there is opponent"),
        ("post", "/games", {"opponent": "os:system"}, 400, "must be one of random, greedy"),
        ("post", "/games", {"opponent": ["random"]}, 400, "must be one of"),
        ("post", "/games", {"num_players": 5}, 400, "num_players"),
        ("post", "/games", {"num_players": "2"}, 400, "num_players"),
        ("post", "/games", {"seat": 2}, 400, "seat=2"),
        ("post", "/games", {"seat": True}, 400, "seat=True"),
        ("post", "/games", {"seed": -1}, 400, "seed=-1"),
        ("post", "/games", {"seed": "x"}, 400, "seed='x'"),
        ("post", "/games", {"sides": 3}, 400, "sides=3"),
        ("post", "/games", {"loot": "hand", "num_players": 4}, 400, "loot='hand'"),
        ("post", "/games", {"agendas": 1}, 400, "agendas=1"),
        ("post", "GAME/act", {}, 400, "step: is missing"),
        ("post", "GAME/act", {"step": 0}, 400, "action: is missing"),
        ("post", "GAME/act", {"step": 2, "action": 999}, 400, "action 999"),
        ("post", "GAME/act", {"step": 2, "action": None}, 400, "action None"),
        ("post", "GAME/act", {"step": 2, "action": 1.0}, 400, "action 1.0"),
        ("post", "GAME/act", {"step": 2, "action": True}, 400, "action True"),
        ("post", "GAME/act", {"step": 2, "action": [1]}, 400, "action [1]"),
        ("post", "GAME/act", {"step": 2, "action": "district:spires"}, 400, "is illegal"),
        ("post", "GAME/act", b"[" * 9_900, 400, "the body: isn't a JSON object: nested too deep"),
        ("post", "/games", b"[" * 9_900, 400, "the body: isn't a JSON object: nested too deep"),
        ("post", "GAME/act", {"step": 1, "action": 0}, 409, "the game has gone on"),
        ("post", "GAME/act", {"step": False, "action": 0}, 409, "the game has gone on"),
        ("post", "GAME/act", {"step": None, "action": 0}, 409, "the game has gone on"),
        ("post", "GAME/undo", {"step": 2}, 409, "no undo: nothing was chosen yet"),
        ("post", "GAME/undo", {"step": 0, "x": 1}, 400, "'x': unknown"),
    ],
)
def test_a_wrong_request_is_refused_with_a_reason_and_changes_nothing(
    page, method, path, sent, code, says
):
    game = begin(page)
    before = page.get(f"{game}/state").json
    body = {"data": sent, "content_type": "application/json"}
    body = body if isinstance(sent, bytes) else {"json": sent}
    answer = page.open(path.replace("GAME", game), method=method, **body)
    assert answer.status_code == code
    assert answer.json["error"] and says in answer.json["error"]
    assert page.get(f"{game}/state").json == before


def test_bodies_that_arent_json_are_refused(page):
    game = begin(page)
    for path in ("/games", f"{game}/act", f"{game}/undo"):
        assert page.post(path, data="step=0").status_code == 415
        broken = page.post(path, data="{", content_type="application/json")
        assert broken.status_code == 400 and broken.json["error"]
        large = page.post(path, json={"opponent": "x" * 20_000})
        assert large.status_code == 413 and large.json["error"]


def test_a_choice_that_cant_be_kept_stands_and_says_so(tmp_path, monkeypatch):
    page = make_app(["random"], folder=tmp_path).test_client()
    game = begin(page)
    before = page.get(f"{game}/state").json
    kept = tmp_path / f"{game.removeprefix('/games/')}.json"
    record = kept.read_text()

    def full(*_, **__):
        raise ValueError("game.json: can't be written: No space left on device")

    sent = {"step": before["step"], "action": before["choices"][0]["action"]}
    with monkeypatch.context() as patch:
        patch.setattr(Session, "save", full)
        answer = page.post(f"{game}/act", json=sent)
        assert answer.status_code == 507
        assert "your choice stands" in answer.json["error"]
        assert "No space left" in answer.json["error"]
        state = page.get(f"{game}/state").json
        assert state["step"] > before["step"] and kept.read_text() == record
        refused = page.post(f"{game}/act", json={"step": state["step"], "action": 999})
        assert refused.status_code == 400 and "action 999" in refused.json["error"]
        begun = page.post("/games", json={})
        assert begun.status_code == 507 and "no game was begun" in begun.json["error"]
    state = play_on(page, game, 1)
    again = make_app(["random"], folder=tmp_path).test_client()
    assert again.get(f"{game}/state").json == state


def test_a_choice_before_a_bot_failed_is_kept(tmp_path, monkeypatch):
    app = make_app(["random"], folder=tmp_path)
    page = app.test_client()
    game = begin(page)
    kept = tmp_path / f"{game.removeprefix('/games/')}.json"
    session = open_game(app, game).session

    def fails(*_):
        raise RuntimeError("the bot is ill")

    monkeypatch.setattr(Session, "_bots_choice", fails)
    answer = None
    while answer is None or answer.status_code == 200:
        sent = {"step": session.step, "action": session.game.legal_actions()[0]}
        answer = page.post(f"{game}/act", json=sent)
    assert answer.status_code == 500
    assert json.loads(kept.read_text())["events"] == session.events
    assert len(session.history) > 0


def test_nothing_can_be_done_after_the_end(page):
    game = begin(page)
    state = play_on(page, game)
    for path, sent in (("act", {"action": 0}), ("undo", {})):
        answer = page.post(f"{game}/{path}", json={"step": state["step"], **sent})
        assert answer.status_code == 409 and "the game is over" in answer.json["error"]
    assert page.get(f"{game}/hint").status_code == 409


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "[::1]", "0.0.0.0"])
def test_pages_from_elsewhere_are_turned_away(page, host):
    answer = page.get("/", headers={"Host": host})
    assert answer.status_code == 403 and "127.0.0.1" in answer.json["error"]
    assert page.get("/", headers={"Host": "127.0.0.1:8642"}).status_code == 200


def test_the_number_of_games_has_a_limit_and_none_is_dropped(page, monkeypatch):
    monkeypatch.setattr(web, "GAMES_MAX", 2)
    games = [begin(page), begin(page)]
    answer = page.post("/games", json={})
    assert answer.status_code == 429 and answer.json["error"]
    assert all(page.get(f"{game}/state").status_code == 200 for game in games)


def test_answers_may_load_nothing_from_elsewhere(page):
    policy = page.get("/").headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "connect-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy  # default-src doesn't cover it


# ---- the command ----


def test_it_listens_on_this_machine_alone(monkeypatch):
    listening = serve_module._listen(0)
    assert listening.getsockname()[0] == "127.0.0.1"
    with pytest.raises(Exception, match="choose another with --port"):
        taken = listening.getsockname()[1]
        monkeypatch.setattr(socket.socket, "setsockopt", lambda *_: None)
        serve_module._listen(taken)
    listening.close()


def test_without_flask_one_sentence_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "flask", None)
    monkeypatch.delitem(sys.modules, "hemlock_env.play.web")
    with pytest.raises(ValueError, match=r"^serve needs Flask: .*hemlock-env\[play\]"):
        serve_module._app(("greedy",), "greedy", None, "vault_of_darkness")


# ---- in a browser ----


@pytest.fixture
def address(app):
    """The application, served as the command serves it."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@needs_chromium
def test_the_page_shows_the_board_the_choices_and_what_has_happened(app, page, address, tmp_path):
    game = begin(page)
    state = play_on(page, game, 5)
    shown = opened(f"{address}{game}", tmp_path)
    assert f'data-step="{state["step"]}"' in shown
    assert "as seat 0 knows it" in shown
    assert text_of(shown, "choices") == " ".join(each["words"] for each in state["choices"])
    assert state["log"][-1] in text_of(shown, "log")
    assert text_of(shown, "note") == ""


@needs_chromium
def test_a_game_is_begun_and_played_by_clicks(address, tmp_path, monkeypatch):
    """On the button, on the board (whatever lies uppermost there), then on the list of choices."""
    script = """
        const wait = () => new Promise(done => setTimeout(done, 300));
        const click = each => each.dispatchEvent(new MouseEvent("click", { bubbles: true }));
        addEventListener("load", async () => {
            await wait();
            if (!data.game) return click(document.querySelector("form button"));
            let action = null;  // the state may come late on a busy machine
            while (!(action = document.querySelector("#board [data-action]"))) await wait();
            action.scrollIntoView();
            const card = action.getBoundingClientRect();
            click(document.elementFromPoint(card.x + card.width / 2, card.y + card.height / 2));
            for (let i = 0; i < 3; i++) {
                await wait();
                click(document.querySelector("#choices button"));
            }
        });
    """
    fill = web.fill

    def with_clicks(*words):
        return fill(*words).replace("</body>", f"<script>{script}</script></body>")

    monkeypatch.setattr(web, "fill", with_clicks)
    shown = opened(f"{address}/", tmp_path)
    assert text_of(shown, "note") == ""
    log = text_of(shown, "log")
    assert log.startswith("The table is set.") and log.count("Seat 0: ") >= 4


def test_data_in_the_page_is_json(page):
    text = page.get("/").text
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])
    options = data.pop("options")
    assert data == {"game": None, "opponents": ["random", "greedy"], "hints": "greedy"}
    assert {each["name"]: each["words"] for each in options} == {
        "sides": ["basic", "advanced", "random"],
        "loot": ["row", "hand"],
        "items_as_loot": [],
        "agendas": [],
    }
