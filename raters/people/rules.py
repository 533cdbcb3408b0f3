"""When a submission may be rejected, following Prolific's policy for researchers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypedDict

# Minutes. Shorter studies may reject after one failed check, others after two.
SHORT_STUDY = 5


@dataclass(frozen=True, slots=True)
class AttentionAnswer:
    """A fair attention check: the question asked and the answer given."""

    block: str
    asked: str
    answered: str
    passed: bool
    # Time in UTC, for the message to participants.
    at: str = ""


def block_name(number: int) -> str:
    """Return the name of the block of questions between two batches in this round."""
    return f"attention-{number}"


def failures_needed(minutes: int | None) -> int:
    """Return the number of failed checks a rejection requires; an unknown duration counts as long."""
    return 1 if minutes is not None and minutes < SHORT_STUDY else 2


def failed(checks: Sequence[AttentionAnswer]) -> list[AttentionAnswer]:
    """Return the failed checks, at most one per block of questions."""
    by_block: dict[str, AttentionAnswer] = {}
    for check in checks:
        if not check.passed:
            by_block.setdefault(check.block, check)
    return list(by_block.values())


def may_reject(checks: Sequence[AttentionAnswer], minutes: int | None) -> bool:
    """True if a person may reject. Only fair attention checks count: no trap, score, time or wording."""
    return len(failed(checks)) >= failures_needed(minutes)


class FailedCheck(TypedDict):
    """A failed attention check as payments store it; empty strings where the answer was erased."""

    asked: str
    answered: str
    at: str


def message_for(message: str, checks: Iterable[FailedCheck]) -> str:
    """Return the message for one participant, with {evidence} replaced by their failed checks."""
    return message.replace("{evidence}", " ".join(map(_evidence, checks)))


def _evidence(check: FailedCheck) -> str:
    when = f" ({check['at']} UTC)" if check.get("at") else ""
    return f"“{check['asked']}” – “{check['answered']}”{when}."
