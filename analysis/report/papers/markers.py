"""The HFR paper's Table 4: what gave machines away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis.report.papers import counts
from analysis.report.papers.joined import NAMED
from analysis.report.papers.table import Cell, Column, Table

if TYPE_CHECKING:
    from analysis.report.material import Material

NAME = "hfr_table4"
TITLE = "Table 4. Markers named, in percent of all usable answers"
DOMAINS = {"commercial": "Commercial", "open": "Open-source"}


def table(studies: Sequence[Material]) -> Table:
    """Return markers down and domains across; by system where the manifests name no domain."""
    asked = [study for study in studies if "marker" in study.kind.columns]
    if not asked:
        note = "No study here asks for markers (preset hfr_granular): join one with --with."
        return Table(NAME, TITLE, (Column("Marker"),), (), (note,))
    found = counts.read(asked, "marker", "domain")
    is_by_domain = any(name not in ("", NAMED) for name in found.of)
    if not is_by_domain:
        found = counts.read(asked, "marker", "system")
    first = [NAMED, *DOMAINS] if is_by_domain else [NAMED]
    groups = [*(name for name in first if name in found.of), *sorted(set(found.of) - set(first))]
    rows: list[tuple[Cell, ...]] = [
        (label, *(found.share(group, code) for group in groups)) for code, label in found.labels.items()
    ]
    rows.append(("Answers", *(found.of[group] for group in groups)))
    notes = ["The percentage is of all usable answers of the group, those that say Human included (rule of the paper)."]
    if not groups:
        notes = ["No answer counts yet."]
    elif not is_by_domain:
        notes.append("The manifest names no domain (commercial, open), so that systems stand here one by one.")
    columns = [Column(DOMAINS.get(group, group) or "No domain", 1) for group in groups]
    return Table(NAME, TITLE, (Column("Marker"), *columns), tuple(rows) if groups else (), tuple(notes))
