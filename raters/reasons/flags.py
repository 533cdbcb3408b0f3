"""What makes a reason worth an early look; shown to an expert after the decision, never before."""

from __future__ import annotations

from raters.reasons import writing
from raters.reasons.polarity import contradicts
from raters.reasons.writing import DRAFTED, FEW_KEYS, PASTED
from studies.protocols.text import graphemes, is_cjk

VERY_SHORT, CONTRADICTS = "very_short", "contradicts_label"
# The same as another one; nearly the same as another one of this rater; nearly the same as another rater's.
DUPLICATE, NEAR_DUPLICATE, SHARED = "duplicate", "near_duplicate", "near_duplicate_of_others"
# Nothing about the reason: a machine and the raters differ on the clip.
MACHINE_DIFFERS = "machine_differs"
FLAGS = (
    *(VERY_SHORT, CONTRADICTS, PASTED, FEW_KEYS, DRAFTED),
    *(DUPLICATE, NEAR_DUPLICATE, SHARED, MACHINE_DIFFERS),
)
# Raised whenever a rule or a number changes, here or in how writing is read.
VERSION = writing.VERSION
# A little above what the ATT preset demands at least.
SHORT, SHORT_CJK = 30, 12


def of_answer(label: str, reason: str, evidence: object = None) -> set[str]:
    """Return the flags of one answer by itself: its words, its label, and what the browser saw of the writing."""
    shortest = SHORT_CJK if is_cjk(reason) else SHORT
    tests = {VERY_SHORT: graphemes(reason) < shortest, CONTRADICTS: contradicts(label, reason)}
    return {flag for flag, is_so in tests.items() if is_so} | writing.flags(reason, writing.of(evidence))
