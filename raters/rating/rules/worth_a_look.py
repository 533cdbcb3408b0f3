"""Signs that a session deserves a look by a person, from numbers stored with the answers (rule A13).

They exclude nothing and don't affect pay. The limits are proposals: in simulations, honest raters stay far below them;
`tests/raters/rating/test_worth_a_look.py` limits the share of honest raters listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from raters.rating.rules import writing
from raters.rating.rules.writing import Writing
from studies.rules.text import graphemes, is_cjk

# Minimum numbers of answers, and of equal ratings: equal ones on traps and test clips are rarely chance.
LEAST, LEAST_EQUAL = 5, 10
# Minimum share of a session's answers that counts as a habit.
HALF = 0.5
# One batch may fail by bad luck; two, and at least half of a session's, rarely do.
FAILED = 2
# Graphemes per second from page to answer. 15 is 180 words per minute, faster than nearly anyone composes; Chinese,
# Japanese and Korean characters take more than one key each.
FASTEST, FASTEST_CJK = 15.0, 6.0
QUICK, NO_INPUT, WRITTEN, EQUAL, BATCHES, BROWSER = "quick", "no_input", "written", "equal", "batches", "browser"


@dataclass(slots=True)
class SessionNumbers:
    """Numbers of one session, mostly pairs of count and total."""

    answers: int = 0
    unreported: int = 0
    quick: int = 0
    timed: int = 0
    written: int = 0
    reasons: int = 0
    ratings: Counter[str] = field(default_factory=Counter)
    failed: int = 0
    decided: int = 0
    # Session of another person in the same browser, before or after this one.
    other: int | None = None


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign: `number` of `of`; for `browser`, `number` is the other session."""

    name: str
    number: int
    of: int = 0


def signs(numbers: SessionNumbers) -> list[Sign]:
    """Return the signs of a session; empty for nearly all honest raters."""
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
    """True if the browser's report includes playback and input."""
    return isinstance(evidence, dict) and bool(evidence.get("clips")) and "inputs" in evidence


def is_written_fast(reason: str, inputs: Writing | None, seconds: float | None) -> bool:
    """True if a text was pasted, had too few keys, or was faster than typing."""
    if writing.flags(reason, inputs) & {writing.PASTED, writing.FEW_KEYS}:
        return True
    fastest = FASTEST_CJK if is_cjk(reason) else FASTEST
    return seconds is not None and graphemes(reason) > fastest * seconds


def is_quick(decisions: Sequence[float | None], quick_seconds: float) -> bool | None:
    """True if an answer followed the end of its last clip sooner than the protocol's limit; None if unknown."""
    known = [each for each in decisions if each is not None]
    return min(known) < quick_seconds if known else None
