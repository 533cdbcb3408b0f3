"""The rules of the spot check of stimuli (ATT paper, 3.2 and A.2): answers, outcomes, sample size, intervals."""

from __future__ import annotations

from math import ceil, sqrt
from typing import Literal

Kind = Literal["success", "consistency"]
Outcome = Literal["", "passed", "failed", "cannot_tell"]

OK, OTHER = "ok", "other"
FAULTS = ("quality_defect", "incomplete", "wrong_language", "mixed_voice", "unintelligible", "wrong_words", OTHER)
CODES: dict[str, tuple[str, ...]] = {
    "success": (OK, *FAULTS),
    # Could these be the same voice?
    "consistency": ("yes", "no", "cannot_tell"),
}
Z95 = 1.959963984540054


def outcome_of(code: str) -> Outcome:
    """Return the outcome of an answer; experts agree if their outcomes are equal."""
    if code == "cannot_tell":
        return "cannot_tell"
    return "passed" if code in (OK, "yes") else "failed"


def sample_size(share: float, population: int) -> int:
    """Return the number of a system's clips to check: the share rounded up, at least one if there are any."""
    # 0.28 × 25 is a hair above 7 in binary.
    return max(1, ceil(round(share * population, 9))) if population else 0


def wilson(count: int, n: int) -> tuple[float, float]:
    """Return Wilson's 95 % score interval of count / n, n > 0; never empty, never outside [0, 1]."""
    share, z2 = count / n, Z95**2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    reach = Z95 / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return min(share, max(0.0, middle - reach)), max(share, min(1.0, middle + reach))
