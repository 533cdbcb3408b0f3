"""Store the platform's submissions and release places of those returned or timed out."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, BinaryIO

from django.db import transaction
from django.db.models import Count
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
from raters.sources.payment_platform import ID, PaymentPlatform, SubmissionRecord, moment

State = Submission.State
RELEASING = (State.RETURNED, State.TIMED_OUT, State.REJECTED)


def awaiting_review(study_ids: Collection[int]) -> dict[int, int]:
    """Return {study: number of submissions awaiting review}; one SELECT."""
    rows = Submission.objects.filter(platform__study__in=study_ids, state=Submission.State.AWAITING_REVIEW)
    return dict(rows.order_by().values_list("platform__study").annotate(waiting=Count("pk")))


def release(*, submission: Submission, now: datetime) -> bool:
    """Release the places of a submission's session; False if that was done before.

    A person who returned the submission has left. One who timed out may still be working: the batch expires, and later
    answers are stored as late.
    """
    with transaction.atomic():
        mine = Submission.objects.filter(pk=submission.pk, state__in=RELEASING, released_at=None)
        if not mine.update(released_at=now):
            return False
        if submission.session_id is None:
            return True
        # The session has continued under another submission, which owns its places now.
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
# States with bonuses, which must be read for each submission individually.
WITH_BONUSES = (State.APPROVED, State.PARTIALLY_APPROVED, State.SCREENED_OUT)
FIELDS = (
    "session",
    "state",
    "code",
    "started_at",
    "completed_at",
    "return_asked_at",
    "same_person",
    "bonus",
    "unread",
    "seen_at",
)


def store(*, platform: PlatformStudy, records: Iterable[SubmissionRecord], now: datetime) -> int:
    """Create or update submissions in chunks, and release places; return the number of records."""
    number, part = 0, list[SubmissionRecord]()
    erased = _erased(platform)
    for each in records:
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


def _store(platform: PlatformStudy, records: list[SubmissionRecord], erased: set[str], now: datetime) -> None:
    """Store one chunk of records; a constant number of statements."""
    # The later of two lines wins. Submissions of erased people stay erased.
    newest = {each.id: each for each in records if not _is_erased(platform, each.id, erased)}
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
        rows = {row.ext_session: row for row in mine.order_by("pk")}
        added: list[Submission] = []
        changed: list[Submission] = []
        for name, each in newest.items():
            row = rows.get(name)
            filled = row or Submission(platform=platform, ext_session=name)
            _fill(filled, each, sessions_of.get(name), people, now)
            (added if row is None else changed).append(filled)
        Submission.objects.bulk_create(added)
        Submission.objects.bulk_update(changed, FIELDS)


def _of_same_people(platform: PlatformStudy, records: list[SubmissionRecord]) -> dict[str, int]:
    """Return {submission without a session: another session of the same person}, so that an erasure includes it."""
    person_by_id = {each.id: each.person for each in records if each.person}
    if not person_by_id:
        return {}
    digests = {name: sealing.digests("person", platform.source, person) for name, person in person_by_id.items()}
    identities = Identity.objects.filter(
        source=platform.source, digest__in=set(chain(*digests.values())), rater__sessions__study=platform.study_id
    )
    sessions = dict(identities.order_by("rater__sessions").values_list("digest", "rater__sessions"))
    return {name: sessions[digest] for name, some in digests.items() for digest in some if digest in sessions}


def _erased(platform: PlatformStudy) -> set[str]:
    """Return the tombstones of people erased here, including those erased before any reading."""
    read = Submission.objects.filter(platform=platform, ext_session__startswith=ERASED)
    came = Session.objects.filter(study=platform.study_id, source=platform.source, ext_session__startswith=ERASED)
    return {*read.values_list("ext_session", flat=True), *came.values_list("ext_session", flat=True)}


def _is_erased(platform: PlatformStudy, name: str, erased: set[str]) -> bool:
    if not erased:
        return False
    return not erased.isdisjoint(tombstones.tombstones(platform.source, platform.ext_study, name))


def _fill(
    row: Submission, record: SubmissionRecord, session: int | None, people: dict[int, Any], now: datetime
) -> None:
    state = record.state if record.state in State.values else State.UNKNOWN
    if state != row.state and state in WITH_BONUSES:
        row.unread = True
    row.session_id, row.state, row.code = session, state, record.code[:100]
    row.started_at, row.completed_at, row.return_asked_at = (
        record.started_at,
        record.completed_at,
        record.return_asked_at,
    )
    person = people[session].person if session in people else None
    row.same_person = None if not person or not record.person else person == record.person
    row.bonus = row.bonus if record.bonus is None else record.bonus
    row.seen_at = now


LARGEST = 20 << 20
NEEDED = ("id", "state")


def upload(*, platform: PlatformStudy, file: BinaryIO, now: datetime) -> int:
    """Store an uploaded list; return the number of submissions. Raises `Invalid` with the reason."""
    content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise _wrong(_("This file is too large for a list of submissions."))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _wrong(_("This file is not a CSV file in UTF-8.")) from error
    records = list(rows(text, platform.payment_platform))
    if not records:
        raise _wrong(_("The list contains no submissions."))
    _refuse_elsewhere(platform, [each.id for each in records])
    number = store(platform=platform, records=records, now=now)
    PlatformStudy.objects.filter(pk=platform.pk).update(read_at=now)
    return number


def _refuse_elsewhere(platform: PlatformStudy, names: Sequence[str]) -> None:
    """Raise `Invalid` if some of these submissions belong to other platform studies and none to this one."""
    is_elsewhere = False
    for first in range(0, len(names), AT_ONCE):
        part = names[first : first + AT_ONCE]
        sessions = Session.objects.filter(source=platform.source, ext_session__in=part).exclude(ext_study="")
        submissions = Submission.objects.filter(platform__source=platform.source, ext_session__in=part)
        if sessions.filter(ext_study=platform.ext_study).exists() or submissions.filter(platform=platform).exists():
            return
        is_elsewhere = is_elsewhere or sessions.exists() or submissions.exists()
    if is_elsewhere:
        text = _("This is the list of another study at {platform}.")
        raise _wrong(text.format(platform=platform.payment_platform.name))


def rows(text: str, platform: PaymentPlatform) -> Iterator[SubmissionRecord]:
    """Yield one record per line of a CSV file; raises `Invalid` naming the line."""
    lines = csv.reader(io.StringIO(text, newline=""))
    try:
        places = _places(next(lines, []), platform)
        for line in lines:
            if not any(line):
                continue
            fields = {name: line[at].strip() if at < len(line) else "" for name, at in places.items()}
            if not ID.fullmatch(fields["id"]):
                raise _wrong(_("Line {line}: this is not a submission ID.").format(line=lines.line_num))
            yield SubmissionRecord(
                id=fields["id"],
                person=fields.get("person", ""),
                state=platform.state_of(fields["state"]),
                code=fields.get("code", ""),
                started_at=moment(fields.get("started_at")),
                completed_at=moment(fields.get("completed_at")),
            )
    except csv.Error as error:
        raise _wrong(_("Line {line} can’t be read.").format(line=lines.line_num)) from error


def _places(header: list[str], platform: PaymentPlatform) -> dict[str, int]:
    """Return {field: column index}."""
    columns = platform.csv_columns
    if not columns:
        raise _wrong(_("Lists of submissions can’t be uploaded for {platform}.").format(platform=platform.name))
    place_by_title = {title.strip().lower(): at for at, title in enumerate(header)}
    places = {
        field: next((place_by_title[title] for title in titles if title in place_by_title), -1)
        for field, titles in columns.items()
    }
    if missing := [columns[field][0] for field in NEEDED if places[field] < 0]:
        text = _("The column {names} is missing. Upload {platform}'s export of submissions unchanged.")
        raise _wrong(text.format(names=", ".join(missing), platform=platform.name))
    return {field: at for field, at in places.items() if at >= 0}


def _wrong(message: str) -> Invalid:
    return Invalid(message, {"file": message})
