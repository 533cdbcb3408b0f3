"""Which sessions a person should look at, by numbers that were stored with the answers (rule A13).

Nothing is excluded or unpaid by it. The limits are proposals: honest raters stay below them by far in simulations, and
`tests/raters/rating/test_worth_a_look.py` holds the share of them that is listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from raters.rating.rules import writing
from raters.rating.rules.writing import Writing
from studies.rules.text import graphemes, is_cjk

# Fewer answers say nothing about a habit; so many equal ones in a row of traps and test clips hardly happen by chance.
LEAST, LEAST_EQUAL = 5, 10
# From half of a session's answers on, it is the rule and not the exception.
HALF = 0.5
# One batch fails by bad luck; two of a session, and at least half of it, seldom.
FAILED = 2
# Graphemes a second, from the page shown to the answer: 180 words a minute is beyond nearly everybody who composes a
# sentence, and Chinese, Japanese and Korean characters take more than one key each.
FASTEST, FASTEST_CJK = 15.0, 6.0
QUICK, NO_INPUT, WRITTEN, EQUAL, BATCHES, BROWSER = "quick", "no_input", "written", "equal", "batches", "browser"


@dataclass(slots=True)
class SessionNumbers:
    """The numbers of one session; each pair is how many of how many."""

    answers: int = 0
    unreported: int = 0
    quick: int = 0
    timed: int = 0
    written: int = 0
    reasons: int = 0
    ratings: Counter[str] = field(default_factory=Counter)
    failed: int = 0
    decided: int = 0
    # The session of another person that this browser had open before, or that it opened afterwards.
    other: int | None = None


@dataclass(frozen=True, slots=True)
class Sign:
    """One thing that is worth a look: so many of so many; for `browser`, the other session's number."""

    name: str
    number: int
    of: int = 0


def signs(numbers: SessionNumbers) -> list[Sign]:
    """Return what is worth a look in a session; empty for nearly every honest rater."""
    most = max(numbers.ratings.values(), default=0)
    rated = numbers.ratings.total()
    found = [
        Sign(QUICK, numbers.quick, numbers.timed),
        Sign(NO_INPUT, numbers.unreported, numbers.answers),
        Sign(WRITTEN, numbers.written, numbers.reasons),
    ]
    found = [sign for sign in found if sign.of >= LEAST and sign.number >= HALF * sign.of]
    if rated >= LEAST_EQUAL and most == rated:
        found.append(Sign(EQUAL, most, rated))
    if numbers.failed >= FAILED and numbers.failed >= HALF * numbers.decided:
        found.append(Sign(BATCHES, numbers.failed, numbers.decided))
    if numbers.other is not None:
        found.append(Sign(BROWSER, numbers.other))
    return found


def is_reported(evidence: object) -> bool:
    """Say whether the page that sent an answer counted any playback and input."""
    return isinstance(evidence, dict) and bool(evidence.get("clips")) and "inputs" in evidence


def is_written_fast(reason: str, inputs: Writing | None, seconds: float | None) -> bool:
    """Say whether a text was pasted, came by too few keys, or came faster than people type."""
    if writing.flags(reason, inputs) & {writing.PASTED, writing.FEW_KEYS}:
        return True
    fastest = FASTEST_CJK if is_cjk(reason) else FASTEST
    return seconds is not None and graphemes(reason) > fastest * seconds


def is_quick(decisions: Sequence[float | None], quick_seconds: float) -> bool | None:
    """Say whether an answer came sooner after the end of its last clip than the protocol's limit; None if unknown."""
    known = [each for each in decisions if each is not None]
    return min(known) < quick_seconds if known else None
