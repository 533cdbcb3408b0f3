"""What doesn't count, and what that does to the scores, in the report."""

from __future__ import annotations

from typing import Any

from analysis.plots.words import scale_of
from analysis.sections.parts import Part, Results, scaled
from analysis.sections.stored import is_there, section
from analysis.sections.tables import Cell, Column, Table

PLOTTED_RULES = 12


def part(results: Results) -> Part:
    """Return what doesn't count and why, and what that does to the scores."""
    found, worlds = section(results, "exclusions"), section(results, "multiverse")
    if not is_there(found):
        return Part("exclusions", "Exclusions", refused=found["refused"])
    rows = tuple((row["label"], row["ratings"], row["raters"], row["alone"]) for row in found["reasons"])
    columns = (Column("Reason"), Column("Ratings"), Column("Raters"), Column("By this reason alone"))
    sentences = [
        f"Of {found['given']:,} ratings of test clips by {found['raters_given']:,} raters, {found['counted']:,} by "
        f"{found['raters_counted']:,} raters count.",
    ]
    if found["late"] or found["surplus"]:
        sentences.append(f"Of them {found['late']:,} came late and {found['surplus']:,} are surplus; they count.")
    if found["pending"]:
        sentences.append(f"Review pending: {found['pending']:,} reasons await an expert, and count until then.")
    tables = [Table("exclusions", "Excluded ratings by reason", columns, rows)] if rows else []
    if is_there(worlds):
        tables.append(_multiverse(worlds, results))
        sentences.append(
            f"Under {worlds['same_order']} of {len(worlds['universes'])} choices of exclusion rules the systems stand "
            "in the same order as under all rules."
        )
    else:
        sentences.append(f"Scores under other choices of rules: {worlds['refused']}")
    return Part("exclusions", "Exclusions", tuple(sentences), tuple(tables), ("multiverse",))


def _multiverse(found: dict[str, Any], results: Results) -> Table:
    scale = scale_of(results)
    worlds = sorted(found["universes"], key=lambda world: (len(world["rules"]), world["rules"]))
    shown = worlds[:PLOTTED_RULES]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (", ".join(world["rules"]) or "none", sum(world["ratings"]), *scaled(world["scores"], scale)) for world in shown
    )
    columns = (
        Column("Rules applied"), Column("Ratings"), *(Column(name, scale.digits + 1) for name in found["systems"]),
    )  # fmt: skip
    notes = (
        (f"The first {len(shown)} of {len(worlds)}; all of them are on the plot.",) if len(shown) < len(worlds) else ()
    )
    return Table("multiverse", f"{scale.name} under choices of exclusion rules", columns, rows, notes)
