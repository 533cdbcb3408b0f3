"""How often each marker, error or label was named, by group."""

from __future__ import annotations

from analysis.sections.shared import Record


class Line(Record):
    """A code or several merged ones (`of`)."""

    code: str
    label: str
    of: tuple[str, ...]


class GroupCounts(Record):
    """A group with the count of each line among `of` answers or rows."""

    name: str
    kind: str
    of: int
    counts: tuple[int, ...]


class Breakdown(Record):
    """Markers or kinds of error: lines down, groups across, by each grouping. `per` "" = of all usable answers."""

    title: str
    part: str
    per: str
    lines: tuple[Line, ...]
    groups: dict[str, tuple[GroupCounts, ...]]


class Breakdowns(Record):
    """All breakdowns of the task."""

    tables: tuple[Breakdown, ...]
