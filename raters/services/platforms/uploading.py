"""Read the list of submissions that Prolific offers as CSV, for servers without a token."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import BinaryIO

from django.utils.translation import gettext as _

from core.errors import Invalid
from raters.models import PlatformStudy, Session, Submission
from raters.services.platforms.storing import AT_ONCE, Told, store

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
    from raters.client.prolific import ID, moment

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
