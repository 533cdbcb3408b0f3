"""Which rows stay after an erasure, with blanked columns; all other rows of the session or rater are deleted.

Rows of tables that are not listed here are deleted, so that new tables are safe by default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import models

from raters.payments.candidates import Grounds
from raters.payments.models import Payment, Submission
from raters.people.models import Erasure, Rater, Session
from raters.people.tombstones import tombstone
from raters.rating.models import Batch, Trial, TrialClip, Verdict

# What is written into a column: a value, or what a function makes of the row.
Blank = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class KeptColumns:
    """What is written into rows that stay: when answers go, and besides when the person goes.

    `harmless` are columns of text that hold nothing that a person wrote, did or is called by.
    """

    answers: Blank = field(default_factory=dict)
    person: Blank = field(default_factory=dict)
    harmless: tuple[str, ...] = ()


def _of_session(row: Any) -> str:
    name: str = row.ext_session
    return name if name.startswith("erased-") else tombstone(row.source, row.ext_study, name)


def _of_submission(row: Any) -> str:
    name: str = row.ext_session
    return name if name.startswith("erased-") else tombstone(row.platform.source, row.platform.ext_study, name)


def _day_of_answer(row: Any) -> datetime | None:
    """Keep that it was answered, which pay counts, and not when."""
    at: datetime | None = row.answered_at
    return None if at is None else at.replace(hour=0, minute=0, second=0, microsecond=0)


def _without_answers(row: Any) -> Grounds:
    """Keep which checks were failed, and neither by what answer nor when."""
    grounds: Grounds = row.grounds
    if "checks" not in grounds:
        return grounds
    return {**grounds, "checks": [{**check, "answered": "", "at": ""} for check in grounds["checks"]]}


# In this order: a session's tombstone is made of both of its names.
_NAMES: Blank = {"ext_session": _of_session, "ext_study": "", "browser_before": None}

KEPT: dict[type[models.Model], KeptColumns] = {
    Rater: KeptColumns(),
    # How far people came, and when: the counts of the flow of people are made of it.
    Session: KeptColumns(answers={"tab": ""}, person=_NAMES, harmless=("source", "language", "consent_sha256")),
    Batch: KeptColumns(answers={"trap_counts": {}, "error": ""}),
    # Which clips a person was served stays known, so that they never hear one twice; what they did does not.
    Trial: KeptColumns(
        answers={"served_at": None, "answered_at": _day_of_answer, "skipped_at": None, "late": False},
        harmless=("token", "shown"),
    ),
    TrialClip: KeptColumns(
        answers={"sent": [], "fetched_at": None, "play_began_at": None, "plays": 0}, harmless=("key",)
    ),
    # Of batches, sessions and raters; those on answers go with the answers.
    Verdict: KeptColumns(answers={"detail": {}}, harmless=("rule",)),
    Erasure: KeptColumns(harmless=("error", "counts", "listed")),
    # Researchers have to account for who was paid, and how much.
    Submission: KeptColumns(person={"ext_session": _of_submission, "code": ""}),
    Payment: KeptColumns(
        answers={"grounds": _without_answers}, person={"grounds": {}, "error": ""}, harmless=("order",)
    ),
}


def blank_values(model: type[models.Model], *, person: bool) -> dict[str, Any]:
    """Return the values to write into rows of a kept table."""
    columns = KEPT[model]
    return {**columns.answers, **columns.person} if person else dict(columns.answers)
