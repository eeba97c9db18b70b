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
from functools import partial
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
    UnsupportedMediaType,
)

from hemlock_env._files import parse_json, text_of
from hemlock_env.game.options import OPTION_NAMES, form_rows
from hemlock_env.play.session import Session
from hemlock_env.render.build import build_scene
from hemlock_env.render.page import fill
from hemlock_env.render.svg import css_paint, scene_svg

HOSTS = ("127.0.0.1", "localhost")  # a page elsewhere that points its name here is turned away
ID = re.compile(r"[0-9a-f]{16}")
GAMES_MAX = 200
BODY_MAX = 10_000  # bytes
GAME_KEYS = ("opponent", "seat", "seed", *OPTION_NAMES)
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)


class NotKept(HTTPException):
    """A record couldn't be written."""

    code = 507


@dataclass
class OpenGame:
    """A session and the lock that keeps its requests in order."""

    session: Session
    lock: threading.Lock = field(default_factory=threading.Lock)


class OpenGames:
    """All sessions of a server by id; in a folder too, if there is one."""

    def __init__(self, folder: Path | None, read: Callable[[Path], Session]) -> None:
        """`read` makes a session of a file."""
        self._folder, self._read = folder, read
        self._games: dict[str, OpenGame] = {}
        self._lock = threading.Lock()

    def add(self, session: Session) -> str:
        """A new session's id; without a record of it there is no session."""
        with self._lock:
            if len(self._games) >= GAMES_MAX:
                raise TooManyRequests(f"{GAMES_MAX} games are open: start the server again")
            name = secrets.token_hex(8)
            self._games[name] = OpenGame(session)
        try:
            self.keep(name)
        except ValueError as error:
            with self._lock:
                del self._games[name]
            raise NotKept(f"no game was begun: {error}") from None
        return name

    def get(self, name: str) -> OpenGame:
        """The session of an id, from the folder if the server was started again."""
        with self._lock:
            if name not in self._games:
                path = self._path(name)
                if not ID.fullmatch(name) or path is None or not path.exists():
                    raise NotFound(f"there is no game {name[:40]!r}")
                self._games[name] = OpenGame(self._read(path))
            return self._games[name]

    def keep(self, name: str) -> None:
        """Write a session's record, where there is a folder for it."""
        path = self._path(name)
        if path is not None:
            self._games[name].session.save(path, replace=True)

    def _path(self, name: str) -> Path | None:
        return None if self._folder is None else self._folder / f"{name}.json"


class Views:
    """What each address answers."""

    def __init__(
        self, opponents: Sequence[str], hints: str, folder: Path | None, card_set: str
    ) -> None:
        """See `make_app`."""
        self.opponents, self.hints, self.card_set = list(opponents), hints, card_set
        read = partial(Session.read, hints=hints, card_set=card_set, own=opponents)
        self.games = OpenGames(folder, read)

    def page(self, name: str | None = None) -> Response:
        """The page, of a game or for a new one."""
        if name is not None:
            self.games.get(name)
        data = {
            "game": name,
            "opponents": self.opponents,
            "hints": self.hints,
            "options": form_rows(),
        }
        return Response(fill("page.html", data, __package__), mimetype="text/html")

    def begin(self) -> tuple[Response, int]:
        """A new game."""
        options = body(GAME_KEYS)
        opponent = options.pop("opponent", self.opponents[0])
        if opponent not in self.opponents:
            raise BadRequest(f"opponent {opponent!r}: must be one of {', '.join(self.opponents)}")
        session = Session.new([opponent], hints=self.hints, card_set=self.card_set, **options)
        return as_json({"game": self.games.add(session)}), 201

    def state(self, name: str) -> Response:
        """What the person's page shows."""
        game = self.games.get(name)
        with game.lock:
            return as_json(state_of(game.session))

    def act(self, name: str) -> Response:
        """The person's choice."""
        return self._change(name, ("step", "action"), Session.act)

    def undo(self, name: str) -> Response:
        """The last choice taken back."""
        return self._change(name, ("step",), take_back)

    def _change(self, name: str, keys: Sequence[str], change: Callable[..., None]) -> Response:
        """`change` a session, called with the values of all `keys` but the first, which is the step
        that the page shows.
        """
        game = self.games.get(name)
        sent = body(keys)
        for key in keys:
            if key not in sent:
                raise BadRequest(f"{key}: is missing")
        with game.lock:
            session, step = game.session, game.session.step
            if sent["step"] != step or isinstance(sent["step"], bool):
                raise Conflict(f"step {sent['step']!r}: the game has gone on; load it again")
            if session.over:
                raise Conflict("the game is over")
            try:
                change(session, *(sent[key] for key in keys[1:]))
            finally:  # the choice may stand although a bot failed after it
                if session.step != step:
                    self._store(name)
            return as_json(state_of(session))

    def _store(self, name: str) -> None:
        try:
            self.games.keep(name)
        except ValueError as error:
            raise NotKept(
                f"your choice stands, load the page again, but the game isn't saved: {error}"
            ) from None

    def hint(self, name: str) -> Response:
        """What the bot for hints would do."""
        game = self.games.get(name)
        with game.lock:
            if game.session.over:
                raise Conflict("no hint: the game is over")
            action, words = game.session.hint()
        return as_json({"action": action, "words": words})

    def record(self, name: str) -> Response:
        """The record of a game that is over."""
        game = self.games.get(name)
        with game.lock:
            if not game.session.over:
                raise Conflict("the record tells what is hidden: it comes when the game is over")
            response = as_json(game.session.record())
        response.headers["Content-Disposition"] = f'attachment; filename="hemlock-{name}.json"'
        return response


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
    views = Views(opponents, hints, folder, card_set)
    for method, path, view in (
        ("GET", "/", views.page),
        ("GET", "/games/<name>", views.page),
        ("POST", "/games", views.begin),
        ("GET", "/games/<name>/state", views.state),
        ("POST", "/games/<name>/act", views.act),
        ("POST", "/games/<name>/undo", views.undo),
        ("GET", "/games/<name>/hint", views.hint),
        ("GET", "/games/<name>/record", views.record),
    ):
        app.add_url_rule(path, view.__name__, view, methods=[method])
    app.before_request(refuse_strangers)
    app.after_request(guard)
    app.register_error_handler(HTTPException, refuse)
    app.register_error_handler(ValueError, refuse_value)
    return app


def refuse_strangers() -> None:
    """This machine alone is served: a page elsewhere may point a name of its own here."""
    if urlsplit(f"//{request.host}").hostname not in HOSTS:
        raise Forbidden("this server is for the machine it runs on: use 127.0.0.1")


def guard(response: Response) -> Response:
    """What a browser may do with any answer."""
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


def refuse(error: HTTPException) -> tuple[Response, int]:
    """A refusal with its reason."""
    return as_json({"error": error.description}), error.code or 500


def refuse_value(error: ValueError) -> tuple[Response, int]:
    """What a session says can't be."""
    return as_json({"error": str(error)}), 400


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
    if not request.is_json:
        raise UnsupportedMediaType("the body must be sent as application/json")
    sent = parse_json(text_of(request.get_data(), "the body"), "the body")
    for key in sent:
        if key not in keys:
            raise BadRequest(f"{key[:40]!r}: unknown; there is {', '.join(keys)}")
    return sent


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
