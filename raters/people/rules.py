"""When a submission may be rejected, following Prolific's policy for researchers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypedDict

# A study shorter than this may reject after one failed check, any other after two.
SHORT_STUDY = 5


@dataclass(frozen=True, slots=True)
class AttentionAnswer:
    """A fair attention check: what was asked, what was answered."""

    block: str
    asked: str
    answered: str
    passed: bool
    # As Prolific's participants read it: in Universal Time.
    at: str = ""


def block_name(number: int) -> str:
    """Name the block of questions that a session met in this round between two batches."""
    return f"attention-{number}"


def failures_needed(minutes: int | None) -> int:
    """Return how many failed checks a rejection needs in a study of this stated duration; unknown counts as long."""
    return 1 if minutes is not None and minutes < SHORT_STUDY else 2


def failed(checks: Sequence[AttentionAnswer]) -> list[AttentionAnswer]:
    """Return the checks that were failed, one for each block of questions."""
    by_block: dict[str, AttentionAnswer] = {}
    for check in checks:
        if not check.passed:
            by_block.setdefault(check.block, check)
    return list(by_block.values())


def may_reject(checks: Sequence[AttentionAnswer], minutes: int | None) -> bool:
    """Say whether a person may decide to reject. Nothing else counts: no trap, no score, no time, no wording."""
    return len(failed(checks)) >= failures_needed(minutes)


class FailedCheck(TypedDict):
    """A failed attention check as payments store it; empty strings where the answer was erased."""

    asked: str
    answered: str
    at: str


def message_for(message: str, checks: Iterable[FailedCheck]) -> str:
    """Return the message as one participant reads it: {evidence} is what they were asked, and what they answered."""
    return message.replace("{evidence}", " ".join(map(_evidence, checks)))


def _evidence(check: FailedCheck) -> str:
    when = f" ({check['at']} UTC)" if check.get("at") else ""
    return f"“{check['asked']}” – “{check['answered']}”{when}."
