"""Rule E1: when experts' decisions exclude a rater."""

from __future__ import annotations

RULE, VERSION = "expert_review", 1
# Excludes all sessions of a rater with too many inconsistent reasons.
RATER_RULE = "inconsistent_reasons"


def condemns(*, decided: int, inconsistent: int, limit: float | None, least: int) -> bool:
    """True if a rater's share of inconsistent answers, among those decided, exceeds the study's limit."""
    return limit is not None and decided >= least and inconsistent > limit * decided
