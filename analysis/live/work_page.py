"""Coverage, flow and quota of the collection, prepared for templates."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from analysis.live.result import CoverageCell, Figures, Flow, Quota
from analysis.live.scores_page import Names
from analysis.sections.blocks import Block, display_name
from analysis.sections.times import Times, seconds
from analysis.sections.times import display as times_display

# Label, people, and whether they left at this stage.
Stage = tuple[str, int, bool]


def heat(figures: Figures) -> dict[str, Any]:
    """Return coverage with systems as rows and dimensions as columns; a screen counts for all its systems together."""
    cells = {(cell.system, cell.dimension): cell for cell in figures.coverage.cells}
    systems, dimensions = sorted({key[0] for key in cells}), sorted({key[1] for key in cells})
    rows: list[tuple[str, list[CoverageCell | None]]] = [
        (
            display_name(system, system) if system else _("all systems together"),
            [cells.get((system, dimension)) for dimension in dimensions],
        )
        for system in systems
    ]
    is_pairs = figures.over is not None
    is_screens = systems == [""] and not is_pairs
    everything = _("all pairs") if is_pairs else _("all screens") if is_screens else _("all clips")
    unnamed = _("not given") if any(dimensions) else everything
    named = [dimension or unnamed for dimension in dimensions]
    return {"dimensions": named, "rows": rows, "is_screens": is_screens, "is_pairs": is_pairs}


def times(figures: Figures, names: Names) -> Block | None:
    """Return the block of seconds per clip; None before a rating counts."""
    if not figures.times:
        return None
    section = Times(rows=tuple(map(seconds, figures.times)))
    shown = Times(rows=tuple(row for row in section.rows if not row.name or names.has(row)))
    return Block(times_display.part_of(shown), times_display.summary(section))


def flow(people: Flow) -> list[Stage]:
    """Return the number of people at each stage."""
    stages = [
        (_("arrived"), people.arrived, False),
        (_("agreed to take part"), people.consented, False),
        (_("started rating"), people.started, False),
        (_("still rating"), people.rating, False),
        (_("complete"), people.complete, False),
        (_("declined"), people.declined, True),
        (_("withdrew"), people.withdrawn, True),
    ]
    # Many studies have no checks.
    if checked_out := people.screened_out - people.slow_line:
        stages.insert(-1, (_("left out by the first checks"), checked_out, True))
    if people.slow_line:
        stages.insert(-1, (_("left for a slow connection"), people.slow_line, True))
    if people.no_place:
        stages.append((_("found every place taken"), people.no_place, True))
    return stages


def quota(figures: Figures) -> dict[str, Any] | None:
    """Return the rows of the quota, and how many are met."""
    if not figures.quota:
        return None
    wanted = figures.quota_wanted

    def is_met(row: Quota) -> bool:
        return row.raters >= (wanted.raters or 0) and row.utterances >= (wanted.utterances or 0)

    return {"met": sum(map(is_met, figures.quota)), "has_benchmarks": any(row.benchmark for row in figures.quota)}
