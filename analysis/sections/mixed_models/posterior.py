"""The ATT paper's Table 3: the posterior of the Bayesian mixed model and its random effects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.data.groups import HUMAN
from analysis.sections.mixed_models import Bayes, Posterior
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table
from core.text.numbers import whole

if TYPE_CHECKING:
    from analysis.sections.results import Material

NAME = "att_table3"
TITLE = "Table 3. Posterior of the mixed model of {score}: mean, SD and 95 % highest-density interval"
SDS: dict[str, Promise] = {
    "rater": gettext_lazy("SD of raters (random intercept)"),
    "rater:system": gettext_lazy("SD of raters’ liking of systems (random slope)"),
    "clip": gettext_lazy("SD of clips"),
    "text": gettext_lazy("SD of texts"),
    "residual": gettext_lazy("Residual SD"),
}
SCOPES: dict[str, Promise] = {
    "for these clips only": gettext_lazy("The model holds for these clips only."),
    "for these texts only": gettext_lazy("The model holds for these texts only."),
}
POSITION, DIMENSION = "position in the session", "dimension: "


def sd_of(term: str) -> str:
    """Return the name of a random effect's SD."""
    return str(SDS[term]) if term in SDS else _("SD of {term}").format(term=term)


def scopes(scope: str) -> list[str]:
    """Return a sentence on a model's scope; none if it generalises to other clips."""
    return [str(SCOPES.get(scope, scope))] if scope else []


def covariate(name: str) -> str:
    """Return a covariate's name; results contain it in English."""
    if name == POSITION:
        return _("position in the session")
    is_level = name.startswith(DIMENSION)
    return _("dimension: {level}").format(level=name.removeprefix(DIMENSION)) if is_level else name


def columns() -> tuple[Column, ...]:
    return (
        Column(_("Parameter")), Column(_("Mean"), 3), Column(_("SD"), 3), Column(_("HDI low"), 3),
        Column(_("HDI high"), 3), Column("R-hat", 3), Column(_("ESS bulk"), 0), Column(_("ESS tail"), 0),
    )  # fmt: skip


def table(study: Material) -> Table:
    """Return the table, or an empty one with a note why it is withheld."""
    return of_model(study.results.every_model.bayes, NAME, TITLE.format(score=study.kind.score.name))


def of_model(bayes: Bayes | Refusal, name: str, title: str, factor: float = 1) -> Table:
    """Return the table of a model, or an empty one with a note why it is withheld; `factor` is that of the scale."""
    if isinstance(bayes, Refusal):
        return Table(name, title, columns(), (), (_("Withheld: {why}").format(why=bayes.refused),))
    systems = sorted(bayes.systems, key=lambda row: (row.kind != HUMAN, -row.mean))
    rows = [_row(_("Human") if row.kind == HUMAN else row.name, row, factor) for row in systems]
    rows += [_row(sd_of(term), row, factor) for term, row in bayes.sds.items()]
    notes = [
        _("HDI: the 95 % highest-density interval."),
        _("{formula}, Gaussian, identity link; {ratings} ratings of {raters} raters.").format(
            formula=bayes.formula, ratings=whole(bayes.ratings), raters=whole(bayes.raters)
        ),
        _("Priors: {priors}").format(priors=bayes.priors),
        _(
            "Largest R-hat {rhat} (must be below 1.01), smallest effective sample {ess} (must be above 400), {draws} "
            "draws."
        ).format(rhat=f"{bayes.worst_rhat:.4f}", ess=f"{bayes.least_ess:.0f}", draws=whole(bayes.draws)),
        *scopes(bayes.scope),
        *bayes.notes,
    ]
    return Table(name, title, columns(), tuple(rows), tuple(notes))


def _row(name: str, row: Posterior | None, factor: float) -> tuple[Cell, ...]:
    if row is None:
        return (name, *[None] * 7)
    values = (factor * value for value in (row.mean, row.sd, row.low, row.high))
    return (name, *values, row.rhat, row.ess_bulk, row.ess_tail)
