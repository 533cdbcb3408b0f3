"""Participants for the stand-in: invented, or those of a study on this server."""

from __future__ import annotations

from datetime import timedelta

from demo.prolific.account import BEGAN, Account, FakeStudy, FakeSubmission
from raters.payments import reconciling
from studies.definition import queries as definition_queries

STUDY = "fa4e0000000000000000000a"
MINUTES = 12.0
# Every ninth participant submits without a code, every 13th with the wrong code, to give cases for review.
WITHOUT_CODE, WRONG_CODE = 9, 13


def made_up(account: Account, number: int, *, code: str = "CODE-1") -> FakeStudy:
    """Give the account a study with `number` invented submissions, some minutes apart."""
    study = account.studies.setdefault(STUDY, FakeStudy(STUDY))
    for at in range(number):
        began = BEGAN + timedelta(minutes=at)
        submission = FakeSubmission(f"{at:024x}", STUDY, f"person{at:018x}", started_at=began)
        account.add(submission).hand_in(code, MINUTES)
    study.places = max(study.places, number)
    return study


def mirror(account: Account, slug: str) -> None:
    """Copy this study's present Prolific participants to the account."""
    study = definition_queries.study(slug)
    crowd = definition_queries.definition(study).crowd
    for row in reconciling.table(study.pk):
        if row["source"] != "prolific":
            continue
        there = account.studies.setdefault(row["ext_study"], FakeStudy(row["ext_study"]))
        there.screened_out_code = crowd.code("screened_out")
        submission = account.submissions.get(row["ext_session"])
        if submission is None:
            name = row["person"] or "deleted"
            submission = account.add(
                FakeSubmission(row["ext_session"], row["ext_study"], name, started_at=row["arrived_at"])
            )
            there.places = max(there.places, len(account.of_study(there.id)))
        if submission.status == "ACTIVE" and row["outcome"] and row["ended_at"]:
            submission.hand_in(_code(row["session_pk"], crowd.code(row["outcome"]), crowd.code("withdrawn")))
            submission.completed_at = row["ended_at"]


def _code(session: int, right: str, wrong: str) -> str | None:
    if session % WITHOUT_CODE == 0:
        return None
    return wrong if session % WRONG_CODE == 0 else right
