"""Sessions in the browser, served by Flask (the extra `play`) on this machine alone.

A page is sent nothing but what its seat may know: the table comes from `build_scene` for that seat,
the moves in words that it may read. Seed and record come when the game is over.
"""

from __future__ import annotations

import json
import re
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from flask import Flask, Response, request
from werkzeug.exceptions import (
    BadRequest,
    Conflict,
    Forbidden,
    HTTPException,
    NotFound,
    TooManyRequests,
)

from hemlock_env.play.files import read_record, write_record
from hemlock_env.play.session import Session
from hemlock_env.render.build import build_scene
from hemlock_env.render.page import fill
from hemlock_env.render.svg import css_paint, scene_svg

HOSTS = ("127.0.0.1", "localhost")  # a page elsewhere that points its name here is turned away
ID = re.compile(r"[0-9a-f]{16}")
GAMES_MAX = 200
BODY_MAX = 10_000  # bytes
GAME_KEYS = ("opponent", "seat", "seed", "num_players", "sides", "loot", "items_as_loot", "agendas")
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)


class NotKept(HTTPException):
    """A record couldn't be written."""

    code = 507


@dataclass
class Table:
    """A session and the lock that keeps its requests in order."""

    session: Session
    lock: threading.Lock = field(default_factory=threading.Lock)


class Tables:
    """All sessions of a server by id; in a folder too, if there is one."""

    def __init__(self, folder: Path | None, load: Callable[[dict[str, Any]], Session]) -> None:
        """`load` makes a session of a record."""
        self._folder, self._load = folder, load
        self._tables: dict[str, Table] = {}
        self._lock = threading.Lock()

    def add(self, session: Session) -> str:
        """A new session's id; without a record of it there is no session."""
        with self._lock:
            if len(self._tables) >= GAMES_MAX:
                raise TooManyRequests(f"{GAMES_MAX} games are open: start the server again")
            name = secrets.token_hex(8)
            self._tables[name] = Table(session)
        try:
            self.keep(name)
        except ValueError as error:
            with self._lock:
                del self._tables[name]
            raise NotKept(f"no game was begun: {error}") from None
        return name

    def get(self, name: str) -> Table:
        """The session of an id, from the folder if the server was started again."""
        with self._lock:
            if name not in self._tables:
                path = self._path(name)
                if not ID.fullmatch(name) or path is None or not path.exists():
                    raise NotFound(f"there is no game {name[:40]!r}")
                self._tables[name] = Table(self._load(read_record(path)))
            return self._tables[name]

    def keep(self, name: str) -> None:
        """Write a session's record, where there is a folder for it."""
        path = self._path(name)
        if path is not None:
            write_record(path, self._tables[name].session.record(), replace=True)

    def _path(self, name: str) -> Path | None:
        return None if self._folder is None else self._folder / f"{name}.json"


def make_app(
    opponents: Sequence[str],
    *,
    hints: str = "greedy",
    folder: Path | None = None,
    card_set: str = "vault_of_darkness",
) -> Flask:
    """The application.

    Args:
        opponents: the bots that a page may choose from; no other can be named by a request.
        hints: the bot that advises.
        folder: where every game is kept as a record; None keeps them while the server runs.
        card_set: an id or a path.
    """
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = BODY_MAX
    tables = Tables(folder, lambda told: Session.load(told, hints=hints, card_set=card_set))

    @app.before_request
    def only_here() -> None:
        if urlsplit(f"//{request.host}").hostname not in HOSTS:
            raise Forbidden("this server is for the machine it runs on: use 127.0.0.1")

    @app.after_request
    def guarded(response: Response) -> Response:
        response.headers["Content-Security-Policy"] = POLICY
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> tuple[Response, int]:
        return as_json({"error": error.description}), error.code or 500

    @app.errorhandler(ValueError)
    def wrong(error: ValueError) -> tuple[Response, int]:
        return as_json({"error": str(error)}), 400

    @app.get("/")
    @app.get("/games/<name>")
    def page(name: str | None = None) -> Response:
        if name is not None:
            tables.get(name)
        data = {"game": name, "opponents": list(opponents), "hints": hints}
        text = fill("page.html", data, "hemlock_env.play")
        return Response(text, mimetype="text/html")

    @app.post("/games")
    def begin() -> tuple[Response, int]:
        asked = body(GAME_KEYS)
        opponent = asked.pop("opponent", opponents[0])
        if opponent not in opponents:
            raise BadRequest(f"opponent {opponent!r}: must be one of {', '.join(opponents)}")
        session = Session.new([opponent], hints=hints, card_set=card_set, **asked)
        return as_json({"game": tables.add(session)}), 201

    @app.get("/games/<name>/state")
    def state(name: str) -> Response:
        table = tables.get(name)
        with table.lock:
            return as_json(state_of(table.session))

    @app.post("/games/<name>/act")
    def act(name: str) -> Response:
        return change(name, ("step", "action"), lambda session, asked: session.act(asked["action"]))

    @app.post("/games/<name>/undo")
    def undo(name: str) -> Response:
        return change(name, ("step",), lambda session, asked: take_back(session))

    def change(
        name: str, keys: Sequence[str], apply: Callable[[Session, dict[str, Any]], None]
    ) -> Response:
        table = tables.get(name)
        asked = body(keys)
        for key in keys:
            if key not in asked:
                raise BadRequest(f"{key}: is missing")
        with table.lock:
            session = table.session
            step = session.step
            if asked["step"] != step or isinstance(asked["step"], bool):
                raise Conflict(f"step {asked['step']!r}: the game has gone on; load it again")
            if session.over:
                raise Conflict("the game is over")
            try:
                apply(session, asked)
            finally:  # the choice may stand although a bot failed after it
                if session.step != step:
                    store(name)
            return as_json(state_of(session))

    def store(name: str) -> None:
        try:
            tables.keep(name)
        except ValueError as error:
            raise NotKept(
                f"your choice stands, load the page again, but the game isn't saved: {error}"
            ) from None

    @app.get("/games/<name>/hint")
    def hint(name: str) -> Response:
        table = tables.get(name)
        with table.lock:
            if table.session.over:
                raise Conflict("no hint: the game is over")
            action, words = table.session.hint()
        return as_json({"action": action, "words": words})

    @app.get("/games/<name>/record")
    def record(name: str) -> Response:
        table = tables.get(name)
        with table.lock:
            if not table.session.over:
                raise Conflict("the record tells what is hidden: it comes when the game is over")
            response = as_json(table.session.record())
        response.headers["Content-Disposition"] = f'attachment; filename="hemlock-{name}.json"'
        return response

    return app


def take_back(session: Session) -> None:
    """Undo, or say why not."""
    try:
        session.undo()
    except ValueError as error:
        raise Conflict(str(error)) from None


def as_json(data: dict[str, Any]) -> Response:
    """An answer."""
    return Response(json.dumps(data), mimetype="application/json")


def body(keys: Sequence[str]) -> dict[str, Any]:
    """The JSON object of a request, if it has no other keys."""
    try:
        asked = request.get_json()
    except RecursionError:
        raise BadRequest("the body is nested too deeply") from None
    if not isinstance(asked, dict):
        raise BadRequest("the body must be a JSON object")
    for key in asked:
        if key not in keys:
            raise BadRequest(f"{key[:40]!r}: unknown; there is {', '.join(keys)}")
    return asked


def state_of(session: Session) -> dict[str, Any]:
    """All that the person's page is sent."""
    scene = build_scene(session.game, session.seat)
    return {
        "step": session.step,
        "seat": session.seat,
        "over": session.over,
        "status": scene.summary,
        "agents": session.agents,
        "choices": [
            {"action": choice.index, "name": choice.name, "words": choice.words}
            for choice in scene.choices
        ],
        "log": session.log(),
        "undo": session.may_undo,
        "svg": scene_svg(scene, css_paint, choices=False),
    }
