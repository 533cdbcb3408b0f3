"""When experts' decisions exclude a rater (rule E1)."""

from __future__ import annotations

RULE, VERSION = "expert_review", 1
# All that a rater said, when too much of what was reviewed is inconsistent.
RATER_RULE = "inconsistent_reasons"


def condemns(*, decided: int, inconsistent: int, limit: float | None, least: int) -> bool:
    """Say whether a rater's share of inconsistent answers, of those decided, passes the study's limit."""
    return limit is not None and decided >= least and inconsistent > limit * decided
