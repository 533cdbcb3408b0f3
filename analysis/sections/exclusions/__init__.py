"""Ratings that don't count: what each rule excludes, and the rules' names."""

from __future__ import annotations

from analysis.sections.shared import Record


class Exclusion(Record):
    """A rule, and the test ratings and raters it excludes; `alone` counts ratings excluded by no other rule."""

    reason: str
    label: str
    ratings: int
    raters: int
    alone: int


class ExclusionStep(Record):
    """A rule applied after those before it: the ratings it takes out, and the ratings and raters left."""

    reason: str
    label: str
    out: int
    ratings: int
    raters: int


class Exclusions(Record):
    """Test ratings given, those that count, and why the others don't; `pending` reasons await an expert.

    `steps`: the rules one after another, from all ratings given to those that count.
    """

    given: int
    counted: int
    raters_given: int
    raters_counted: int
    reasons: tuple[Exclusion, ...]
    pending: int
    late: int
    surplus: int
    steps: tuple[ExclusionStep, ...] = ()


UNDECIDED = "undecided"
