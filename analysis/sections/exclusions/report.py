"""What doesn't count, and what that does to the scores, in the report."""

from __future__ import annotations

from analysis.sections.multiverse.result import Multiverse
from analysis.sections.parts import Part, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table

PLOTTED_RULES = 12


def part(results: Results) -> Part:
    """Return what doesn't count and why, and what that does to the scores."""
    exclusions, multiverse = results.exclusions, results.multiverse
    if isinstance(exclusions, Refusal):
        return Part("exclusions", "Exclusions", refused=exclusions.refused)
    rows = tuple((row.label, row.ratings, row.raters, row.alone) for row in exclusions.reasons)
    columns = (Column("Reason"), Column("Ratings"), Column("Raters"), Column("By this reason alone"))
    sentences = [
        f"Of {exclusions.given:,} ratings of test clips by {exclusions.raters_given:,} raters, "
        f"{exclusions.counted:,} by {exclusions.raters_counted:,} raters count.",
    ]
    if exclusions.late or exclusions.surplus:
        sentences.append(f"Of them {exclusions.late:,} came late and {exclusions.surplus:,} are surplus; they count.")
    if exclusions.pending:
        sentences.append(f"Review pending: {exclusions.pending:,} reasons await an expert, and count until then.")
    tables = [Table("exclusions", "Excluded ratings by reason", columns, rows)] if rows else []
    if not isinstance(multiverse, Refusal):
        tables.append(_multiverse(multiverse, results))
        sentences.append(
            f"Under {multiverse.same_order} of {len(multiverse.universes)} choices of exclusion rules the systems "
            "stand in the same order as under all rules."
        )
    else:
        sentences.append(f"Scores under other choices of rules: {multiverse.refused}")
    return Part("exclusions", "Exclusions", tuple(sentences), tuple(tables), ("multiverse",))


def _multiverse(multiverse: Multiverse, results: Results) -> Table:
    scale = scale_of(results)
    worlds = sorted(multiverse.universes, key=lambda world: (len(world.rules), world.rules))
    shown = worlds[:PLOTTED_RULES]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (", ".join(world.rules) or "none", sum(world.ratings), *scaled(world.scores, scale)) for world in shown
    )
    columns = (
        Column("Rules applied"), Column("Ratings"), *(Column(name, scale.digits + 1) for name in multiverse.systems),
    )  # fmt: skip
    notes = (
        (f"The first {len(shown)} of {len(worlds)}; all of them are on the plot.",) if len(shown) < len(worlds) else ()
    )
    return Table("multiverse", f"{scale.name} under choices of exclusion rules", columns, rows, notes)
