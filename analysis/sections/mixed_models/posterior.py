"""The ATT paper's Table 3: the posterior of the Bayesian mixed model, and of its random effects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.data.groups import HUMAN
from analysis.sections.mixed_models.result import Bayes, Posterior
from analysis.sections.shared import Refusal
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
    return of_model(study.results.every_model.bayes, NAME, TITLE.format(score=study.kind.score.name))


def of_model(bayes: Bayes | Refusal, name: str, title: str) -> Table:
    """Return the table of a model, or an empty one that says why nothing may be shown."""
    if isinstance(bayes, Refusal):
        return Table(name, title, COLUMNS, (), (f"Withheld: {bayes.refused}",))
    systems = sorted(bayes.systems, key=lambda row: (row.kind != HUMAN, -row.mean))
    rows = [_row(NAMED if row.kind == HUMAN else row.name, row) for row in systems]
    rows += [_row(SDS.get(term, f"SD of {term}"), row) for term, row in bayes.sds.items()]
    notes = [
        f"{bayes.formula}, Gaussian, identity link; {bayes.ratings:,} ratings of {bayes.raters:,} raters.",
        f"Priors: {bayes.priors}",
        f"Largest R-hat {bayes.worst_rhat:.4f} (shown below 1.01), smallest effective sample "
        f"{bayes.least_ess:.0f} (shown above 400), {bayes.draws:,} draws.",
        *([f"The model speaks {bayes.scope}."] if bayes.scope else []),
        *bayes.notes,
    ]
    return Table(name, title, COLUMNS, tuple(rows), tuple(notes))


def _row(name: str, row: Posterior | None) -> tuple[Cell, ...]:
    if row is None:
        return (name, *[None] * 7)
    return (name, row.mean, row.sd, row.low, row.high, row.rhat, row.ess_bulk, row.ess_tail)
