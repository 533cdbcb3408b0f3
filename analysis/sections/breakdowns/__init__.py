"""How often each marker, error or label was given, by group."""

from __future__ import annotations

from analysis.sections.shared import Record


class Line(Record):
    """A code, or the merged codes in `of`."""

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
    """Counts of markers or kinds of error: lines by groups, for each grouping. `per` "": out of all usable answers."""

    title: str
    part: str
    per: str
    lines: tuple[Line, ...]
    groups: dict[str, tuple[GroupCounts, ...]]


class Breakdowns(Record):
    """All breakdowns of the task."""

    tables: tuple[Breakdown, ...]
