"""Tables kept after an erasure, with blanked columns.

Rows of other tables are deleted, so that new tables are safe by default.
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

# {column: new value, or a function of the row that returns it}.
Blank = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class KeptColumns:
    """Values written into kept rows: `answers` when answers are deleted, plus `person` when the person is.

    `harmless` lists text columns that contain nothing written by, about or identifying a person.
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
    """Keep only the day: pay depends on whether there was an answer."""
    at: datetime | None = row.answered_at
    return None if at is None else at.replace(hour=0, minute=0, second=0, microsecond=0)


def _without_answers(row: Any) -> Grounds:
    """Keep the failed checks, but without their answers and times."""
    grounds: Grounds = row.grounds
    if "checks" not in grounds:
        return grounds
    return {**grounds, "checks": [{**check, "answered": "", "at": ""} for check in grounds["checks"]]}


# In this order: the tombstone is computed from both ids.
_NAMES: Blank = {"ext_session": _of_session, "ext_study": "", "browser_before": None}

KEPT: dict[type[models.Model], KeptColumns] = {
    Rater: KeptColumns(),
    # Stages and times are kept, because the study's participant flow is counted from them.
    Session: KeptColumns(answers={"tab": ""}, person=_NAMES, harmless=("source", "language", "consent_sha256")),
    Batch: KeptColumns(answers={"trap_counts": {}, "error": ""}),
    # The clips served are kept, so that a person never hears one twice; the answers are not.
    Trial: KeptColumns(
        answers={"served_at": None, "answered_at": _day_of_answer, "skipped_at": None, "late": False},
        harmless=("token", "shown"),
    ),
    TrialClip: KeptColumns(
        answers={"sent": [], "fetched_at": None, "play_began_at": None, "plays": 0}, harmless=("key",)
    ),
    # Verdicts on batches, sessions and raters; those on answers are deleted with the answers.
    Verdict: KeptColumns(answers={"detail": {}}, harmless=("rule",)),
    Erasure: KeptColumns(harmless=("error", "counts", "listed")),
    # Researchers must account for payments.
    Submission: KeptColumns(person={"ext_session": _of_submission, "code": ""}),
    Payment: KeptColumns(
        answers={"grounds": _without_answers}, person={"grounds": {}, "error": ""}, harmless=("order",)
    ),
}


def blank_values(model: type[models.Model], *, person: bool) -> dict[str, Any]:
    columns = KEPT[model]
    return {**columns.answers, **columns.person} if person else dict(columns.answers)
