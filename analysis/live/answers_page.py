"""Breakdowns of answers by system, by domain and by the grouping of the scores."""

from __future__ import annotations

from typing import Any

from analysis.live.result import Figures
from analysis.live.scores_page import Names
from analysis.sections import breakdowns as breakdowns_section
from analysis.sections import leads
from analysis.sections.blocks import BY

# Shown with every grouping of the scores.
ALWAYS = ("system", "domain")


def breakdowns(figures: Figures, by: str, names: Names) -> list[dict[str, Any]]:
    """Return the breakdowns that have an answer, each with its tables."""
    shown = []
    for item in figures.breakdowns:
        tables = [_table(key, item, names) for key in dict.fromkeys([*ALWAYS, by]) if item.groups.get(key)]
        if tables:
            shown.append({"item": item, "lead": leads.breakdown(item, "system"), "tables": tables})
    return shown


def _table(by: str, item: breakdowns_section.Breakdown, names: Names) -> dict[str, Any]:
    """Codes as rows, groups as columns; a cell is (count, total)."""
    groups = [group for group in item.groups[by] if by != "system" or names.has(group)]
    lines = [(line, [(group.counts[number], group.of) for group in groups]) for number, line in enumerate(item.lines)]
    return {"key": by, "by": BY[by], "groups": groups, "lines": lines}
