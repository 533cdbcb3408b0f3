"""The ATT paper's Table 3: the posterior of the Bayesian mixed model, and of its random effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from analysis.data.groups import HUMAN
from analysis.sections.stored import is_there, section
from analysis.sections.tables import NAMED, Cell, Column, Table

if TYPE_CHECKING:
    from analysis.sections.material import Material

NAME = "att_table3"
TITLE = "Table 3. Posterior of the mixed model of {score}: mean, SD and 95 % highest-density interval"
SDS = {
    "rater": "SD of raters (random intercept)",
    "rater:system": "SD of raters’ liking of systems (random slope)",
    "clip": "SD of clips",
    "text": "SD of texts",
    "residual": "Residual SD",
}
COLUMNS = (
    Column("Parameter"), Column("Mean", 3), Column("SD", 3), Column("HDI low", 3), Column("HDI high", 3),
    Column("R-hat", 3), Column("ESS bulk", 0), Column("ESS tail", 0),
)  # fmt: skip


def table(study: Material) -> Table:
    """Return the table, or an empty one that says why nothing may be shown."""
    return of_results(study.results, TITLE, study.kind.score.name)


def of_results(results: Any, title: str = TITLE, score: str = "", name: str = NAME, model: str = "bayes") -> Table:
    """Return the table of an analysis's results; `title` may name the score, `model` be that with clips."""
    title = title.format(score=score or results["study"]["scale"]["name"])
    bayes = section(results, "models", model)
    if not is_there(bayes):
        return Table(name, title, COLUMNS, (), (f"Withheld: {bayes['refused']}",))
    systems = sorted(bayes["systems"], key=lambda row: (row["kind"] != HUMAN, -row["mean"]))
    rows = [_row(NAMED if row["kind"] == HUMAN else row["name"], row) for row in systems]
    rows += [_row(SDS.get(name, f"SD of {name}"), row) for name, row in bayes["sds"].items()]
    notes = [
        f"{bayes['formula']}, Gaussian, identity link; {bayes['ratings']:,} ratings of {bayes['raters']:,} raters.",
        f"Priors: {bayes['priors']}",
        f"Largest R-hat {bayes['worst_rhat']:.4f} (shown below 1.01), smallest effective sample "
        f"{bayes['least_ess']:.0f} (shown above 400), {bayes['draws']:,} draws.",
        *([f"The model speaks {bayes['scope']}."] if bayes["scope"] else []),
        *bayes["notes"],
    ]
    return Table(name, title, COLUMNS, tuple(rows), tuple(notes))


def _row(name: str, row: dict[str, Any] | None) -> tuple[Cell, ...]:
    if row is None:
        return (name, *[None] * 7)
    return (name, *(float(row[key]) for key in ("mean", "sd", "low", "high", "rhat", "ess_bulk", "ess_tail")))
