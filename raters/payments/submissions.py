"""Keep what a platform's list says of its submissions, and give back the places that it frees."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import chain
from typing import Any, BinaryIO

from django.db import transaction
from django.utils.translation import gettext as _

from core import sealing
from core.errors import Invalid
from raters.payments.models import ERASED, PlatformStudy, Submission
from raters.people import queries as people_queries
from raters.people import tombstones
from raters.people.models import Identity, Session
from raters.rating import finishing
from raters.rating.models import EXPIRED, OPEN, Batch
from raters.rating.settling import settle

State = Submission.State
RELEASING = (State.RETURNED, State.TIMED_OUT, State.REJECTED)


def release(*, submission: Submission, now: datetime) -> bool:
    """Free what a submission's session holds, once; return whether it was this call.

    Whoever gave the place back has left. Whoever only ran out of the platform's time may still be at it: their batch
    expires, and what they answer after that is kept and marked late.
    """
    with transaction.atomic():
        mine = Submission.objects.filter(pk=submission.pk, state__in=RELEASING, released_at=None)
        if not mine.update(released_at=now):
            return False
        if submission.session_id is None:
            return True
        # Whoever goes on at another place of the platform holds that one.
        if not Session.objects.filter(pk=submission.session_id, ext_session=submission.ext_session).exists():
            return True
        if submission.state == State.RETURNED:
            finishing.leave(session_id=submission.session_id, outcome=Session.Outcome.WITHDRAWN, now=now)
        else:
            _expire(submission.session_id, now)
    return True


def _expire(session_id: int, now: datetime) -> None:
    finishing.locked(session_id)
    open_now = Batch.objects.filter(session=session_id, state=OPEN)
    batches = list(open_now.values_list("pk", flat=True))
    open_now.update(state=EXPIRED, expired_at=now, lease_until=None)
    settle(batch_ids=batches)


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
    people = people_queries.ids(ours.values())
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


LARGEST = 20 << 20
COLUMNS = {
    "ext_session": ("submission id", "session_id", "id"),
    "person": ("participant id", "participant_id"),
    "state": ("status",),
    "code": ("completion code", "entered_code", "study_code"),
    "started_at": ("started at", "started_datetime", "started_at"),
    "completed_at": ("completed at", "completed_date_time", "completed_at"),
}
NEEDED = ("ext_session", "state")


def upload(*, platform: PlatformStudy, file: BinaryIO, now: datetime) -> int:
    """Keep what an uploaded list says; return how many submissions it has. Raises `Invalid` with what is wrong."""
    content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise _wrong(_("This file is too large for a list of submissions."))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _wrong(_("This is no CSV file in UTF-8.")) from error
    told = list(rows(text))
    if not told:
        raise _wrong(_("The list holds no submissions."))
    _refuse_elsewhere(platform, [each.ext_session for each in told])
    number = store(platform=platform, told=told, now=now)
    PlatformStudy.objects.filter(pk=platform.pk).update(read_at=now)
    return number


def _refuse_elsewhere(platform: PlatformStudy, names: Sequence[str]) -> None:
    """Raise `Invalid` when these are known of other studies at the platform, and none of them of this one."""
    is_elsewhere = False
    for first in range(0, len(names), AT_ONCE):
        some = names[first : first + AT_ONCE]
        came = Session.objects.filter(source=platform.source, ext_session__in=some).exclude(ext_study="")
        read = Submission.objects.filter(platform__source=platform.source, ext_session__in=some)
        if came.filter(ext_study=platform.ext_study).exists() or read.filter(platform=platform).exists():
            return
        is_elsewhere = is_elsewhere or came.exists() or read.exists()
    if is_elsewhere:
        raise _wrong(_("This is the list of another study at Prolific."))


def rows(text: str) -> Iterator[Told]:
    """Yield what each line says; raises `Invalid` naming the line."""
    from raters.sources.client.prolific import ID, moment

    lines = csv.reader(io.StringIO(text, newline=""))
    try:
        places = _places(next(lines, []))
        for line in lines:
            if not any(line):
                continue
            given = {name: line[at].strip() if at < len(line) else "" for name, at in places.items()}
            if not ID.fullmatch(given["ext_session"]):
                raise _wrong(_("Line {line}: that is no submission's id.").format(line=lines.line_num))
            yield Told(
                ext_session=given["ext_session"],
                person=given.get("person", ""),
                state=given["state"],
                code=given.get("code", ""),
                started_at=moment(given.get("started_at")),
                completed_at=moment(given.get("completed_at")),
            )
    except csv.Error as error:
        raise _wrong(_("Line {line} can't be read.").format(line=lines.line_num)) from error


def _places(header: list[str]) -> dict[str, int]:
    """Return {what: the column that holds it}."""
    named = {title.strip().lower(): at for at, title in enumerate(header)}
    found = {what: next((named[title] for title in titles if title in named), -1) for what, titles in COLUMNS.items()}
    if missing := [COLUMNS[what][0] for what in NEEDED if found[what] < 0]:
        text = _("The list lacks the column {names}. Take Prolific's export of submissions as it is.")
        raise _wrong(text.format(names=", ".join(missing)))
    return {what: at for what, at in found.items() if at >= 0}


def _wrong(message: str) -> Invalid:
    return Invalid(message, {"file": message})
