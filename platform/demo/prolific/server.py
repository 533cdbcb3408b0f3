"""The stand-in as a web application: addresses, pages of twenty, errors and a limit on requests.

Its own page shows its data and acts for participants.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from html import escape
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

from demo.prolific.account import LEAVES, Account, ApiError, FakeSubmission

HEAD = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    "<title>A stand-in for Prolific</title><h1>A stand-in for Prolific</h1>"
    "<p>Nobody here is real, and no money moves. What is shown was told by Earshot, or done by these buttons.</p>"
)
COLUMNS = ("Submission", "State", "Code", "Bonuses", "Was told", "Participant")
PAGE = 20
START = Callable[..., object]
V1, NAME = "/api/v1", r"([A-Za-z0-9_-]+)"


def render(account: Account) -> str:
    """Return all studies and their submissions, with buttons for the actions of participants."""
    paid = f"<p>Bonus orders paid so far: {len(account.paid)}</p>"
    return HEAD + ("".join([paid, *_studies(account)]) if account.studies else "<p>Nobody came yet.</p>")


def _studies(account: Account) -> Iterator[str]:
    for study in account.studies.values():
        rows = account.of_study(study.id)
        head = "".join(f'<th scope="col">{name}</th>' for name in COLUMNS)
        reward = f"{study.reward / 100:.2f} {escape(study.currency)}"
        yield f"<h2>{escape(study.id)}</h2><p>{study.places} places, {reward}; "
        yield f"{len(account.paid)} bonus orders paid</p><div style='overflow-x:auto'><table><tr>{head}</tr>"
        yield "".join(map(_row, rows)) + "</table></div>"


def _row(each: FakeSubmission) -> str:
    can_leave = each.status in {"ACTIVE", "AWAITING REVIEW"}
    buttons = "".join(f'<button name="status" value="{status}">{status}</button> ' for status in LEAVES)
    form = f'<form method="post" action="/submissions/{escape(each.id)}/leave">{buttons}</form>'
    cells = (
        f"<code>{escape(each.id)}</code>",
        escape(each.status) + (", return asked for" if each.return_requested else ""),
        escape(each.code or "none"),
        escape(" + ".join(f"{amount / 100:.2f}" for amount in each.bonuses) or "none"),
        "<br>".join(map(escape, each.messages)),
        form if can_leave else "",
    )
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


class Server:
    """A WSGI application. Statuses or exceptions in `trouble` are answered first, whatever the request.

    `after` is called between carrying out a request and answering it, so that tests can cut the connection there.
    """

    def __init__(self, account: Account, *, token: str, largest_page: int = PAGE, misses_pages: bool = False) -> None:
        self.account, self.token, self.largest_page = account, token, largest_page
        # True: a page after the last is missing; False: it is empty.
        self.misses_pages = misses_pages
        self.trouble: deque[int | Exception] = deque()
        self.asked: list[tuple[str, str]] = []
        self.before: Callable[[], None] = lambda: None
        self.after: Callable[[str, str], None] = lambda method, path: None

    def __call__(self, environ: dict[str, Any], start: START) -> Iterable[bytes]:
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        if not path.startswith(V1):
            return self._by_hand(method, path, environ, start)
        headers: list[tuple[str, str]] = [("Content-Type", "application/json")]
        try:
            status, body = self._answer(method, path, environ)
        except ApiError as refusal:
            status = refusal.status
            if status == 429:
                headers.append(("Retry-After", "2"))
            error = {"status": status, "error_code": 140000 + status, "title": refusal.title, "detail": refusal.detail}
            body = {"error": error}
        sent = json.dumps(body).encode()
        start(f"{status} {HTTPStatus(status).phrase}", [*headers, ("Content-Length", str(len(sent)))])
        return [sent]

    def _by_hand(self, method: str, path: str, environ: dict[str, Any], start: START) -> Iterable[bytes]:
        """Show the page of the stand-in, or carry out an action of a participant."""
        self.before()
        leaving = re.fullmatch(rf"/submissions/{NAME}/leave", path)
        try:
            if method == "POST" and leaving:
                size = int(environ.get("CONTENT_LENGTH") or 0)
                form = parse_qs(environ["wsgi.input"].read(size).decode())
                self.account.submission(leaving[1]).leave(form.get("status", [""])[0])
                start("303 See Other", [("Location", "/"), ("Content-Length", "0")])
                return [b""]
            status, text = (200, render(self.account)) if path == "/" else (404, "Not found.")
        except ApiError as refusal:
            status, text = refusal.status, refusal.detail
        sent = text.encode()
        kind = "text/html" if status == 200 else "text/plain"
        start(
            f"{status} {HTTPStatus(status).phrase}",
            [("Content-Type", f"{kind}; charset=utf-8"), ("Content-Length", str(len(sent)))],
        )
        return [sent]

    def _answer(self, method: str, path: str, environ: dict[str, Any]) -> tuple[int, Any]:
        self.asked.append((method, path))
        if self.trouble:
            planned = self.trouble.popleft()
            if isinstance(planned, Exception):
                raise planned
            raise ApiError(planned, "It was planned so.", HTTPStatus(planned).phrase)
        if environ.get("HTTP_AUTHORIZATION") != f"Token {self.token}":
            raise ApiError(401, "Invalid token.", "Unauthorized")
        self.before()
        for verb, pattern, answer in ROUTES:
            if verb == method and (match := re.fullmatch(pattern, path)):
                body = answer(self, environ, *match.groups())
                self.after(method, path)
                return body
        raise ApiError(404, "Not found.", "Not found")

    def page(self, environ: dict[str, Any]) -> tuple[int, Any]:
        """Return one page of a study's submissions."""
        query = {name: values[-1] for name, values in parse_qs(environ.get("QUERY_STRING", "")).items()}
        if not query.get("study"):
            raise ApiError(400, "study: This field is required.")
        try:
            number, size = int(query.get("page", 1)), min(int(query.get("page_size", PAGE)), self.largest_page)
        except ValueError as error:
            raise ApiError(400, "page: A valid integer is required.") from error
        rows = [each.short() for each in self.account.of_study(query["study"])]
        results = rows[(number - 1) * size : number * size]
        if self.misses_pages and number > 1 and not results:
            raise ApiError(404, "Invalid page.", "Not found")
        return 200, {"results": results, "meta": {"count": len(rows)}}


def _sent(environ: dict[str, Any]) -> dict[str, Any]:
    try:
        body = json.loads(environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)) or b"{}")
    except ValueError as error:
        raise ApiError(400, "That is no JSON.") from error
    return body if isinstance(body, dict) else {}


def _pay(server: Server, _environ: dict[str, Any], order: str) -> tuple[int, Any]:
    server.account.pay(order)
    return 202, "The bonuses will be paid."


ROUTES: tuple[tuple[str, str, Callable[..., tuple[int, Any]]], ...] = (
    ("GET", rf"{V1}/submissions/", lambda server, environ: server.page(environ)),
    ("POST", rf"{V1}/submissions/bonus-payments/", lambda s, e: (201, s.account.set_up_bonuses(_sent(e)))),
    ("GET", rf"{V1}/submissions/{NAME}/", lambda s, _e, name: (200, s.account.submission(name).whole())),
    ("POST", rf"{V1}/submissions/{NAME}/transition/", lambda s, e, n: (200, s.account.transition(n, _sent(e)))),
    ("POST", rf"{V1}/submissions/{NAME}/request-return/", lambda s, e, n: (200, s.account.request_return(n, _sent(e)))),
    ("POST", rf"{V1}/bulk-bonus-payments/{NAME}/pay/", _pay),
    ("GET", rf"{V1}/studies/{NAME}/", lambda s, _e, name: (200, s.account.study(name).whole())),
    ("PATCH", rf"{V1}/studies/{NAME}/", lambda s, e, name: (200, s.account.patch(name, _sent(e)))),
)
