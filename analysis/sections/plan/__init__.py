"""The plan fixed at the launch, the numbers reached, and what changed since."""

from __future__ import annotations

from analysis.sections.shared import Record


class PowerPlan(Record):
    """The newest plan of the number of raters before the launch; `difference` is in the unit that pages show."""

    date: str
    raters: int | None
    difference: float
    power: float


class Change(Record):
    """A setting that differs from the version before; long texts have no `before` and `after`."""

    version: int
    date: str
    group: str
    name: str
    before: str
    after: str


class Wanted(Record):
    """A test item, the system of its clip ("" if it has several), and the ratings wanted."""

    item: int
    system: str
    ratings: int


class FixedPlan(Record):
    """What the first version fixed for the results, and what later ones changed."""

    launched: str
    ratings_wanted: int
    margin: float | None
    margin_reason: str
    primary: str
    looks: tuple[str, ...]
    contrasts: tuple[str, ...]
    power: PowerPlan | None
    changes: tuple[Change, ...]
    clips_added: int


class CollectedPlan(FixedPlan):
    """The plan as stored, with the items in use."""

    items: tuple[Wanted, ...]


class Reached(Record):
    """Usable ratings of a system's test items ("" = all): least, median and most of an item; unrated ones count."""

    name: str
    items: int
    rated: int
    wanted: int
    ratings: int
    least: int
    median: float
    most: int


class Plan(FixedPlan):
    """The plan with the ratings reached by system, all of them first."""

    raters: int
    # "clip", "pair" or "screen".
    shows: str
    reached: tuple[Reached, ...]
