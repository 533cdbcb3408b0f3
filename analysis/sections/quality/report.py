"""Agreement, checks and drift, in the report."""

from __future__ import annotations

from analysis.sections.parts import Part, name_of
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table
from analysis.stats.figures import Distance


def part(results: Results) -> Part:
    """Return agreement, traps and drift."""
    quality, agreement = results.quality, results.agreement
    tables, sentences = [], []
    if not isinstance(agreement, Refusal):
        rows: list[tuple[Cell, ...]] = [
            (name_of(row), row.alpha, row.low, row.high, row.units, row.ratings) for row in agreement.alpha
        ]
        heads = (Column("α", 3), Column("Low", 3), Column("High", 3), Column("Clips"), Column("Ratings"))
        metric = agreement.alpha[0].metric if agreement.alpha else ""
        title = f"Krippendorff’s alpha ({metric})"
        tables.append(Table("alpha", title, (Column("System"), *heads), tuple(rows), tuple(agreement.notes)))
        sentences += [f"Fleiss’ kappa: {agreement.fleiss:.3f}."] if agreement.fleiss is not None else []
        if agreement.cohen is not None:
            sentences.append(
                f"Cohen’s kappa, mean over {agreement.cohen_pairs:,} pairs of raters: {agreement.cohen:.3f}."
            )
        sentences += [_halves(agreement.halves)] if agreement.halves else []
    else:
        sentences.append(f"Agreement: {agreement.refused}")
    if not isinstance(quality, Refusal):
        traps = tuple((row.label, row.asked, row.right, 100 * row.share) for row in quality.traps)
        columns = (Column("Check"), Column("Asked"), Column("Right"), Column("%", 1))
        tables += [Table("checks", "Traps and golden questions", columns, traps)] if traps else []
        if quality.guesser is not None:
            sentences.append(f"A pure guesser passes a batch with probability {100 * quality.guesser:.1f} %.")
        slope = quality.slope
        if slope:
            sentences.append(
                f"Drift: the score changes by {slope.mean:+.4f} with each place in the session "
                f"[{slope.low:+.4f}, {slope.high:+.4f}], adjusted for systems."
            )
        sentences += quality.notes
    else:
        sentences.append(quality.refused)
    return Part("quality", "Agreement and data quality", tuple(sentences), tuple(tables), ("drift",))


def _halves(halves: Distance) -> str:
    return (
        f"Two halves of the raters order the {halves.n} systems with a Kendall distance of {halves.distance:.3f} "
        f"(p {halves.p:.3f}, {halves.method}; the smallest p possible is {halves.smallest_p:.3f})."
    )
