"""How often each code was named, by group."""

from __future__ import annotations

from typing import TypedDict


class Line(TypedDict):
    """A code or several merged ones (`of`)."""

    code: str
    label: str
    of: list[str]


class Column(TypedDict):
    """A group with the count of each line among `of` answers or rows."""

    name: str
    kind: str
    of: int
    counts: list[int]


class Breakdown(TypedDict):
    """Markers or kinds of error: lines down, groups across, by each grouping. `per` "" = of all usable answers."""

    title: str
    part: str
    per: str
    lines: list[Line]
    groups: dict[str, list[Column]]


class Breakdowns(TypedDict):
    """All breakdowns of the task."""

    tables: list[Breakdown]
