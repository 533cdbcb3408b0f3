"""Differences between our sessions and a platform's submissions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

HANDED_IN = {"awaiting_review", "approved", "partially_approved", "rejected", "screened_out"}
PAID = {"approved", "partially_approved", "screened_out"}
UNPAID = {"returned", "timed_out", "rejected"}
APART = timedelta(minutes=10)
# In display order.
DIFFERENCES = (
    "not_here",
    "not_there",
    "other_person",
    "no_code",
    "wrong_code",
    "unfinished_here",
    "not_handed_in",
    "finished_late",
    "owed_not_paid",
    "paid_not_owed",
    "times_apart",
)


@dataclass(frozen=True, slots=True)
class OurSession:
    """Our side of a comparison; the outcome is empty while the session is open."""

    outcome: str
    payable: bool | None
    expected_code: str
    took: timedelta | None


@dataclass(frozen=True, slots=True)
class TheirSubmission:
    """The platform's side of a comparison; an empty code means that the participant entered none."""

    state: str
    code: str
    same_person: bool | None
    took: timedelta | None


def differences(ours: OurSession | None, theirs: TheirSubmission | None) -> Iterator[str]:
    """Yield the differences in the order of `DIFFERENCES`."""
    if ours is None or theirs is None:
        if theirs is not None and theirs.state in HANDED_IN:
            yield "not_here"
        if ours is not None:
            yield "not_there"
        return
    if theirs.same_person is False:
        yield "other_person"
    if theirs.state in HANDED_IN:
        if ours.outcome == "":
            yield "unfinished_here"
        elif not theirs.code:
            # Outcomes without a code in the settings need none.
            if ours.expected_code and theirs.state != "screened_out":
                yield "no_code"
        elif theirs.code != ours.expected_code:
            yield "wrong_code"
    yield from _pay(ours, theirs)
    if theirs.state not in HANDED_IN or ours.took is None or theirs.took is None:
        return
    if abs(ours.took - theirs.took) > APART:
        yield "times_apart"


def _pay(ours: OurSession, theirs: TheirSubmission) -> Iterator[str]:
    if ours.payable and theirs.state == "active":
        yield "not_handed_in"
    if ours.payable and theirs.state == "timed_out":
        yield "finished_late"
    elif ours.payable and theirs.state in UNPAID:
        yield "owed_not_paid"
    if ours.payable is False and theirs.state in PAID:
        yield "paid_not_owed"
