"""What each rule takes out."""

from __future__ import annotations

from analysis.sections.shared import Record


class Exclusion(Record):
    """A rule and how many test ratings of how many raters it takes out, on its own or along with others."""

    reason: str
    label: str
    ratings: int
    raters: int
    alone: int


class Exclusions(Record):
    """Test ratings given, those that count, and why the others don't; `pending` reasons await an expert."""

    given: int
    counted: int
    raters_given: int
    raters_counted: int
    reasons: tuple[Exclusion, ...]
    pending: int
    late: int
    surplus: int
