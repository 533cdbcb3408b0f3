"""Agreement, checks and drift, in the report."""

from __future__ import annotations

from typing import Any

from analysis.sections.parts import Part, Results, name_of
from analysis.sections.stored import is_there, section
from analysis.sections.tables import Cell, Column, Table


def part(results: Results) -> Part:
    """Return agreement, traps and drift."""
    found, agree = section(results, "quality"), section(results, "agreement")
    tables, sentences = [], []
    if is_there(agree):
        rows: list[tuple[Cell, ...]] = [
            (name_of(row), row["alpha"], row["low"], row["high"], row["units"], row["ratings"])
            for row in agree["alpha"]
        ]
        heads = (Column("α", 3), Column("Low", 3), Column("High", 3), Column("Clips"), Column("Ratings"))
        metric = agree["alpha"][0]["metric"] if agree["alpha"] else ""
        title = f"Krippendorff’s alpha ({metric})"
        tables.append(Table("alpha", title, (Column("System"), *heads), tuple(rows), tuple(agree["notes"])))
        sentences += [f"Fleiss’ kappa: {agree['fleiss']:.3f}."] if agree["fleiss"] is not None else []
        if agree["cohen"] is not None:
            sentences.append(
                f"Cohen’s kappa, mean over {agree['cohen_pairs']:,} pairs of raters: {agree['cohen']:.3f}."
            )
        sentences += [_halves(agree["halves"])] if agree["halves"] else []
    else:
        sentences.append(f"Agreement: {agree['refused']}")
    if is_there(found):
        traps = tuple((row["label"], row["asked"], row["right"], 100 * row["share"]) for row in found["traps"])
        columns = (Column("Check"), Column("Asked"), Column("Right"), Column("%", 1))
        tables += [Table("checks", "Traps and golden questions", columns, traps)] if traps else []
        if found["guesser"] is not None:
            sentences.append(f"A pure guesser passes a batch with probability {100 * found['guesser']:.1f} %.")
        slope = found["slope"]
        if slope:
            sentences.append(
                f"Drift: the score changes by {slope['mean']:+.4f} with each place in the session "
                f"[{slope['low']:+.4f}, {slope['high']:+.4f}], adjusted for systems."
            )
        sentences += found["notes"]
    else:
        sentences.append(found["refused"])
    return Part("quality", "Agreement and data quality", tuple(sentences), tuple(tables), ("drift",))


def _halves(found: dict[str, Any]) -> str:
    return (
        f"Two halves of the raters order the {found['n']} systems with a Kendall distance of {found['distance']:.3f} "
        f"(p {found['p']:.3f}, {found['method']}; the smallest p possible is {found['smallest_p']:.3f})."
    )
