"""What differs between a session and a submission is named, and nothing where they agree."""

from __future__ import annotations

from datetime import timedelta

import pytest

from raters.payments.rules import DIFFERENCES, OurSession, TheirSubmission, differences

DONE = OurSession("complete", True, "CODE", timedelta(minutes=10))
OPEN = OurSession("", None, "", None)
DECLINED = OurSession("declined", False, "NO", timedelta(minutes=1))

CODELESS = OurSession("technical_failure", None, "", timedelta(minutes=1))


def theirs(state: str, code: str = "CODE", *, same: bool | None = True, minutes: float | None = 11) -> TheirSubmission:
    return TheirSubmission(state, code, same, None if minutes is None else timedelta(minutes=minutes))


@pytest.mark.parametrize(
    ("ours", "other", "named"),
    [
        (DONE, theirs("awaiting_review"), []),
        (DONE, theirs("approved"), []),
        (OPEN, theirs("active", "", minutes=None), []),
        (OPEN, theirs("reserved", "", minutes=None), []),
        (None, theirs("active", "", minutes=None), []),
        (None, theirs("returned", ""), []),
        (DECLINED, theirs("returned", "NO", minutes=1), []),
        (None, theirs("awaiting_review"), ["not_here"]),
        (None, theirs("approved", "NOCODE"), ["not_here"]),
        (DONE, None, ["not_there"]),
        (DONE, theirs("awaiting_review", same=False), ["other_person"]),
        (DONE, theirs("awaiting_review", ""), ["no_code"]),
        (DONE, theirs("awaiting_review", "NO"), ["wrong_code"]),
        (CODELESS, theirs("awaiting_review", "", minutes=1), []),
        (CODELESS, theirs("awaiting_review", minutes=1), ["wrong_code"]),
        (OPEN, theirs("awaiting_review"), ["unfinished_here"]),
        (DONE, theirs("active", "", minutes=None), ["not_handed_in"]),
        (DONE, theirs("timed_out", "", minutes=None), ["finished_late"]),
        (DONE, theirs("returned", "", minutes=None), ["owed_not_paid"]),
        (DONE, theirs("rejected"), ["owed_not_paid"]),
        (DECLINED, theirs("approved", "NO", minutes=1), ["paid_not_owed"]),
        (DONE, theirs("awaiting_review", minutes=31), ["times_apart"]),
        (DONE, theirs("awaiting_review", "", same=False, minutes=31), ["other_person", "no_code", "times_apart"]),
    ],
)
def test_differences_are_named(ours: OurSession | None, other: TheirSubmission | None, named: list[str]) -> None:
    found = list(differences(ours, other))
    assert found == named
    assert sorted(found, key=DIFFERENCES.index) == found
