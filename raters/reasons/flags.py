"""What makes a reason worth an early look; shown to an expert after the decision, never before."""

from __future__ import annotations

from raters.reasons.polarity import contradicts
from studies.protocols.text import graphemes, is_cjk

VERY_SHORT, CONTRADICTS, PASTED = "very_short", "contradicts_label", "pasted"
# The same as another one; nearly the same as another one of this rater; nearly the same as another rater's.
DUPLICATE, NEAR_DUPLICATE, SHARED = "duplicate", "near_duplicate", "near_duplicate_of_others"
# Nothing about the reason: a machine and the raters differ on the clip.
MACHINE_DIFFERS = "machine_differs"
FLAGS = (VERY_SHORT, CONTRADICTS, PASTED, DUPLICATE, NEAR_DUPLICATE, SHARED, MACHINE_DIFFERS)
# A little above what the ATT preset demands at least.
SHORT, SHORT_CJK = 30, 12


def of_answer(label: str, reason: str, evidence: object = None) -> set[str]:
    """Return the flags of one answer by itself: its words, its label, and what the browser saw of the writing."""
    shortest = SHORT_CJK if is_cjk(reason) else SHORT
    tests = {
        VERY_SHORT: graphemes(reason) < shortest,
        CONTRADICTS: contradicts(label, reason),
        PASTED: 2 * _pasted(evidence) >= len(reason) > 0,
    }
    return {flag for flag, is_so in tests.items() if is_so}


def _pasted(evidence: object) -> float:
    """Return how many characters were pasted, as far as the browser said so in its own words."""
    inputs = evidence.get("inputs") if isinstance(evidence, dict) else None
    number = inputs.get("chars_pasted") if isinstance(inputs, dict) else None
    return number if isinstance(number, int | float) and not isinstance(number, bool) else 0
