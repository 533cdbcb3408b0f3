"""The state of an answer from experts' decisions (rule E1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Decision = Literal["consistent", "inconsistent", "cannot_tell"]
Purpose = Literal["first", "double", "adjudication"]
State = Literal["open", "half", "disputed", "done"]

RULE, VERSION = "expert_review", 1
# All that a rater said, when too much of what was reviewed is inconsistent.
RATER_RULE = "inconsistent_reasons"


@dataclass(frozen=True, slots=True)
class StandingDecision:
    """One decision that was not taken back; `doubled`: its answer was drawn for two reviews."""

    decision: Decision
    purpose: Purpose
    doubled: bool = False


@dataclass(frozen=True, slots=True)
class ReviewStanding:
    """What is to be done, and what was decided for good."""

    state: State
    decision: Decision | None = None


def standing(decisions: Sequence[StandingDecision]) -> ReviewStanding:
    """Decide an answer: by one review, by two that agree, or by a third expert where two differ."""
    settled = [each.decision for each in decisions if each.purpose == "adjudication"]
    if settled:
        return ReviewStanding("done", settled[-1])
    plain = [each for each in decisions if each.purpose != "adjudication"]
    if not plain:
        return ReviewStanding("open")
    if len({each.decision for each in plain}) > 1:
        return ReviewStanding("disputed")
    if len(plain) == 1 and plain[0].doubled:
        return ReviewStanding("half")
    return ReviewStanding("done", plain[0].decision)


def purpose(decisions: Sequence[StandingDecision]) -> Purpose | None:
    """Return what the next review of an answer is for; None when it needs none."""
    state = standing(decisions).state
    if state == "done":
        return None
    if state == "disputed":
        return "adjudication"
    return "double" if any(each.purpose == "first" for each in decisions) else "first"


def condemns(*, decided: int, inconsistent: int, limit: float | None, least: int) -> bool:
    """Say whether a rater's share of inconsistent answers, of those decided, passes the study's limit."""
    return limit is not None and decided >= least and inconsistent > limit * decided
