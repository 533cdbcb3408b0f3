"""Keep what a platform's list says of its submissions, whether it was read there or uploaded here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import chain
from typing import Any

from django.db import transaction

from core import sealing
from raters.models import Identity, PlatformStudy, Session, Submission
from raters.models.platforms import ERASED
from raters.selectors import external
from raters.services import tombstones
from raters.services.platforms.releasing import RELEASING, release

State = Submission.State
AT_ONCE = 200
# Bonuses are paid to those who were paid, and told only when one asks for each submission by itself.
WITH_BONUSES = (State.APPROVED, State.PARTIALLY_APPROVED, State.SCREENED_OUT)
FIELDS = (
    *("session", "state", "code", "started_at", "completed_at", "return_asked_at"),
    *("same_person", "bonus", "unread", "seen_at"),
)


@dataclass(frozen=True, slots=True)
class Told:
    """What a list says of one submission; the person is compared and forgotten."""

    ext_session: str
    person: str
    state: str
    code: str
    started_at: datetime | None
    completed_at: datetime | None
    return_asked_at: datetime | None = None
    bonus: Decimal | None = None


def state_of(text: str) -> str:
    """Return the state by the platform's word for it: AWAITING REVIEW, TIMED-OUT, timed_out."""
    word = text.strip().lower().replace(" ", "_").replace("-", "_")
    return word if word in State.values else State.UNKNOWN


def store(*, platform: PlatformStudy, told: Iterable[Told], now: datetime) -> int:
    """Add or change a row for each submission, some in a transaction, and give places back; return how many."""
    number, part = 0, list[Told]()
    erased = _erased(platform)
    for each in told:
        part.append(each)
        number += 1
        if len(part) == AT_ONCE:
            _store(platform, part, erased, now)
            part = []
    _store(platform, part, erased, now)
    waiting = Submission.objects.filter(platform=platform, state__in=RELEASING, released_at=None).order_by("pk")
    for submission in list(waiting):
        release(submission=submission, now=now)
    return number


def _store(platform: PlatformStudy, told: list[Told], erased: set[str], now: datetime) -> None:
    """Keep some of them; a constant number of statements."""
    # A list that names one twice means the later line; who was erased here does not come back by it.
    newest = {each.ext_session: each for each in told if not _is_erased(platform, each.ext_session, erased)}
    if not newest:
        return
    sessions = Session.objects.filter(
        study=platform.study_id, source=platform.source, ext_study=platform.ext_study, ext_session__in=newest
    )
    ours = dict(sessions.values_list("ext_session", "pk"))
    people = external.ids(ours.values())
    strays = [each for name, each in newest.items() if name not in ours]
    sessions_of = {**_of_same_people(platform, strays), **ours}
    with transaction.atomic():
        mine = Submission.objects.select_for_update(no_key=True).filter(platform=platform, ext_session__in=newest)
        known = {row.ext_session: row for row in mine.order_by("pk")}
        added: list[Submission] = []
        changed: list[Submission] = []
        for name, each in newest.items():
            row = known.get(name)
            filled = row or Submission(platform=platform, ext_session=name)
            _fill(filled, each, sessions_of.get(name), people, now)
            (added if row is None else changed).append(filled)
        Submission.objects.bulk_create(added)
        Submission.objects.bulk_update(changed, FIELDS)


def _of_same_people(platform: PlatformStudy, told: list[Told]) -> dict[str, int]:
    """Return {submission without a session: another session of its person here}, by which an erasure reaches it."""
    named = {each.ext_session: each.person for each in told if each.person}
    if not named:
        return {}
    digests = {name: sealing.digests("person", platform.source, person) for name, person in named.items()}
    known = Identity.objects.filter(
        source=platform.source, digest__in=set(chain(*digests.values())), rater__sessions__study=platform.study_id
    )
    sessions = dict(known.order_by("rater__sessions").values_list("digest", "rater__sessions"))
    return {name: sessions[digest] for name, some in digests.items() for digest in some if digest in sessions}


def _erased(platform: PlatformStudy) -> set[str]:
    """Return the names of who was erased here, some of them before any reading."""
    read = Submission.objects.filter(platform=platform, ext_session__startswith=ERASED)
    came = Session.objects.filter(study=platform.study_id, source=platform.source, ext_session__startswith=ERASED)
    return {*read.values_list("ext_session", flat=True), *came.values_list("ext_session", flat=True)}


def _is_erased(platform: PlatformStudy, name: str, erased: set[str]) -> bool:
    if not erased:
        return False
    return not erased.isdisjoint(tombstones.tombstones(platform.source, platform.ext_study, name))


def _fill(row: Submission, told: Told, session: int | None, people: dict[int, Any], now: datetime) -> None:
    state = state_of(told.state)
    if state != row.state and state in WITH_BONUSES:
        row.unread = True
    row.session_id, row.state, row.code = session, state, told.code[:100]
    row.started_at, row.completed_at, row.return_asked_at = told.started_at, told.completed_at, told.return_asked_at
    person = people[session].person if session in people else None
    row.same_person = None if not person or not told.person else person == told.person
    row.bonus = row.bonus if told.bonus is None else told.bonus
    row.seen_at = now
