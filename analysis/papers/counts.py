"""Counts of codes by group, of several studies together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from analysis.data.groups import ANCHOR, HUMAN
from analysis.sections.breakdowns import Breakdown
from analysis.sections.shared import Refusal
from analysis.sections.tables import NAMED

if TYPE_CHECKING:
    from analysis.sections.results import Material


@dataclass(slots=True)
class Counts:
    """How often each code was given (`given`, by group), what that is of (`of`), and the codes' names."""

    labels: dict[str, str] = field(default_factory=dict)
    of: dict[str, int] = field(default_factory=dict)
    given: dict[str, dict[str, int]] = field(default_factory=dict)

    def share(self, group: str, code: str) -> float | None:
        """Return the percentage; None where there is nothing that it could be of."""
        whole = self.of.get(group, 0)
        return 100 * self.given[group].get(code, 0) / whole if whole else None


def read(studies: Sequence[Material], part: str, by: str) -> Counts:
    """Sum up a breakdown of `part` by a grouping; a group of human speech is called Human, anchors are left out."""
    counts = Counts()
    for study in studies:
        breakdowns = study.results.breakdowns
        for table in () if isinstance(breakdowns, Refusal) else breakdowns.tables:
            if table.part == part:
                _add(counts, table, by)
    return counts


def _add(counts: Counts, table: Breakdown, by: str) -> None:
    codes = [line.code for line in table.lines]
    counts.labels |= {line.code: line.label for line in table.lines}
    for group in table.groups.get(by, ()):
        if group.kind == ANCHOR:
            continue
        name = NAMED if group.kind == HUMAN else group.name
        counts.of[name] = counts.of.get(name, 0) + group.of
        by_code = counts.given.setdefault(name, {})
        for code, number in zip(codes, group.counts, strict=True):
            by_code[code] = by_code.get(code, 0) + number
