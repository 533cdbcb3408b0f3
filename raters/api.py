"""The rater's JSON endpoints: one parser for the page, the load driver and any other client.

A rater is known by a signed cookie alone. It is SameSite=Lax, so that another site can't post with it, and every
write names an unguessable token; there is no Django session here and no CSRF token.
"""

from __future__ import annotations

from typing import Any, TypeVar
from uuid import UUID

from django.http import HttpRequest
from django.utils.translation import gettext as _
from pydantic import Field, ValidationError

from core import clock, languages, limits, logs, rng
from core.api import endpoint
from core.errors import Conflict, Invalid, NotFound
from core.nudge import nudge
from core.spec import Spec
from core.spec import problems as problems_of
from raters import cookies
from raters.evidence import Evidence
from raters.models import Batch
from raters.selectors import sessions as select
from raters.selectors.wire import as_json
from raters.services import playback, skipping, trials
from raters.services.trials import Submission

S = TypeVar("S", bound=Spec)
# What a session may ask within a minute; a page that waits for the line asks once in some seconds.
METER = limits.Meter(600)


class Played(Spec):
    """A clip began to play, or could not be played."""

    tab: str = Field(max_length=22)


class Sent(Spec):
    """An answer on its way to the server."""

    tab: str = Field(max_length=22)
    key: UUID
    answer: dict[str, Any]
    evidence: Evidence = Evidence()


def session_of(request: HttpRequest, slug: str) -> int:
    """Return the session that the cookie names; raises `NotFound`."""
    session_id = cookies.read(request, slug=slug)
    if session_id is None:
        raise NotFound("Open the study from its link again.", code="no_session")
    logs.bind(session=session_id)
    METER.spend((slug, session_id))
    return session_id


@endpoint("GET")
def current(request: HttpRequest, slug: str) -> dict[str, Any]:
    """Return what the newest tab should show."""
    found = trials.resume(
        session_id=session_of(request, slug),
        tab=request.GET.get("tab", ""),
        now=clock.now(),
        rng=rng.fresh(),
    )
    return as_json(found, slug)


@endpoint("POST")
def played(request: HttpRequest, body: dict[str, Any], slug: str, key: str) -> None:
    """Start a clip's clock."""
    sent = parse(Played, body)
    playback.began(session_id=session_of(request, slug), key=key, tab=sent.tab, now=clock.now())


@endpoint("POST")
def failed(request: HttpRequest, body: dict[str, Any], slug: str, key: str) -> dict[str, Any]:
    """Skip a clip that could not be loaded or played, and return what comes next."""
    sent = parse(Played, body)
    following, filled = skipping.skip(
        session_id=session_of(request, slug), key=key, tab=sent.tab, now=clock.now(), rng=rng.fresh()
    )
    if filled is not None:
        nudge(Batch.task_name, filled)
    return as_json(following, slug)


@endpoint("POST")
def answers(request: HttpRequest, body: dict[str, Any], slug: str, token: str) -> dict[str, Any]:
    """Store an answer and return what comes next."""
    session_id = session_of(request, slug)
    sent = parse(Sent, body)
    evidence = body.get("evidence", {})
    submission = Submission(token=token, tab=sent.tab, key=sent.key, answer=sent.answer, evidence=evidence)
    now = clock.now()
    try:
        following, filled = trials.submit(session_id=session_id, sent=submission, now=now, rng=rng.fresh())
    except Conflict as conflict:
        if conflict.code == "already_answered":
            found = trials.resume(session_id=session_id, tab=sent.tab, now=now, rng=rng.fresh())
            conflict.detail["progress"] = as_json(found, slug)
        raise
    except Invalid as invalid:
        with languages.speaking(select.language(session_id)):
            problems = {field: languages.said(message) for field, message in invalid.problems.items()}
            raise Invalid(_("The answer needs a change."), problems) from invalid
    if filled is not None:
        nudge(Batch.task_name, filled)
    return as_json(following, slug)


def parse(shape: type[S], data: Any) -> S:
    """Read a request's body; raises `Invalid` naming each field."""
    try:
        return shape.model_validate(data)
    except ValidationError as error:
        raise Invalid("That request could not be read.", problems_of(error.errors())) from error
