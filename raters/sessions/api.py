"""The rater's endpoints: JSON for the page, the load driver and any other client, and the sound."""

from __future__ import annotations

from typing import IO, Any, TypeVar
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from pydantic import Field, ValidationError

from core import clock, rng
from core.errors import Conflict, Invalid, NotFound
from core.files import storage
from core.nudge import nudge
from core.operations import logs
from core.spec import Spec
from core.spec import problems as problems_of
from core.text import languages
from core.web import busy, limits, streaming
from core.web.api import endpoint
from raters.people import cookies
from raters.people import queries as people_queries
from raters.people.queries import definition
from raters.rating import listening, prefetch, screen_rendition, sent_bytes, skipping, trials
from raters.rating.listening import rendition
from raters.rating.models import Batch
from raters.rating.progress import as_json
from raters.rating.rules.evidence import Evidence
from raters.rating.trials import SubmittedAnswer
from raters.sessions import checks, screening
from raters.sessions.screening.base import StoredSound

S = TypeVar("S", bound=Spec)
# What a session may ask within a minute; a page that waits for the line asks once in some seconds.
METER = limits.Meter(600)


class SentPlay(Spec):
    """A clip began to play, or could not be played."""

    tab: str = Field(max_length=22)
    # Earlier plays of the clip that were interrupted.
    voided: int = Field(0, ge=0, le=listening.MOST_PLAYS)


class SentAnswer(Spec):
    """An answer on its way to the server."""

    tab: str = Field(max_length=22)
    key: UUID
    answer: dict[str, Any]
    evidence: Evidence = Evidence()


def session_of(request: HttpRequest, slug: str) -> int:
    """Return the session that the cookie names; raises `NotFound`."""
    session_id = cookies.read_session(request, slug=slug)
    if session_id is None:
        raise NotFound("Open the study from its link again.", code="no_session")
    logs.bind(session=session_id)
    METER.spend((slug, session_id))
    return session_id


@endpoint("GET")
def current(request: HttpRequest, slug: str) -> dict[str, Any]:
    """Return what the newest tab should show."""
    progress = trials.resume(
        session_id=session_of(request, slug),
        tab=request.GET.get("tab", ""),
        now=clock.now(),
        rng=rng.fresh(),
    )
    return as_json(progress, slug)


@endpoint("POST")
def played(request: HttpRequest, body: dict[str, Any], slug: str, key: str) -> None:
    """Start a clip's clock."""
    sent = parse(SentPlay, body)
    session_id, now = session_of(request, slug), clock.now()
    listening.start_play(session_id=session_id, key=key, tab=sent.tab, now=now, voided=sent.voided)


@endpoint("POST")
def failed(request: HttpRequest, body: dict[str, Any], slug: str, key: str) -> dict[str, Any]:
    """Skip a clip that could not be loaded or played, and return what comes next."""
    sent = parse(SentPlay, body)
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
    sent = parse(SentAnswer, body)
    evidence = body.get("evidence", {})
    submission = SubmittedAnswer(token=token, tab=sent.tab, key=sent.key, answer=sent.answer, evidence=evidence)
    now = clock.now()
    try:
        following, filled = trials.submit(session_id=session_id, sent=submission, now=now, rng=rng.fresh())
    except Conflict as conflict:
        if conflict.code == "already_answered":
            progress = trials.resume(session_id=session_id, tab=sent.tab, now=now, rng=rng.fresh())
            conflict.detail["progress"] = as_json(progress, slug)
        raise
    except Invalid as invalid:
        with languages.speaking(people_queries.language(session_id)):
            problems = {field: languages.translate(message) for field, message in invalid.problems.items()}
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


@require_safe
def audio(request: HttpRequest, slug: str, key: str) -> HttpResponseBase:
    """Send a clip, or a range of it, while its trial is the current one or the next."""
    session_id = cookies.read_session(request, slug=slug)
    try:
        if session_id is None:
            raise NotFound("There is no such clip.")
        stored_file = rendition(session_id=session_id, key=key)
    except NotFound:
        return streaming.missing()
    logs.bind(session=session_id, trial=stored_file.trial)
    prefetch.batch(stored_file.batch)

    def sent(start: int, stop: int) -> None:
        clip, size, now = stored_file.trial_clip, stored_file.sent_size, clock.now()
        busy.patiently(
            lambda: sent_bytes.note_sent_bytes(trial_clip=clip, start=start, stop=stop, size=size, now=now),
            tries=busy.PAGE_TRIES, may_repeat=busy.is_passing,
        )  # fmt: skip

    if stored_file.is_alone:
        return streaming.send(request, stored_file.name, stored_file.size, sent)

    def opened() -> IO[bytes]:
        stored = storage.open_sound(stored_file.name, stored_file.size)
        return screen_rendition.opened(stored, size=stored_file.size, sent_size=stored_file.sent_size, key=key)

    return streaming.send_opened(request, stored_file.sent_size, opened, sent)


@require_safe
def check_sound(request: HttpRequest, slug: str, key: str) -> HttpResponseBase:
    """Send the sound of the current check, generated from the numbers drawn for it."""
    session_id = cookies.read_session(request, slug=slug)
    try:
        if session_id is None:
            raise NotFound("There is no such sound.")
        result, step = checks.open_step(session_id=session_id, key=key)
    except NotFound:
        return streaming.missing()
    sound = screening.get(result.name).sound(definition(result.session.version_id), step)
    if sound is None:
        return streaming.missing()
    if isinstance(sound, StoredSound):
        return streaming.send(request, sound.name, sound.size)
    return streaming.send_bytes(request, sound)
