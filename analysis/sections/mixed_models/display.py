"""Mixed models, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.plots.words import Scale
from analysis.sections.mixed_models import Fast, Ordinal, posterior
from analysis.sections.parts import Part, interval_note, listed, row_name, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table
from core.text.numbers import decimals, whole

FAST: dict[str, Promise] = {
    "fast": gettext_lazy("Fast model (REML)"),
    "clips": gettext_lazy("Fast model with clips and texts"),
    "adjusted": gettext_lazy("Fast model adjusted for dimension and position"),
}
ANSWERS: dict[str, Promise] = {
    "answers": gettext_lazy("Ordinal or logistic model"),
    "answers_clips": gettext_lazy("Ordinal or logistic model with clips and texts"),
}
TITLES: dict[tuple[str, str], Promise] = {
    ("answers", "ordinal"): gettext_lazy("Ordinal mixed model"),
    ("answers", "logistic"): gettext_lazy("Logistic mixed model"),
    ("answers_clips", "ordinal"): gettext_lazy("Ordinal mixed model with clips and texts"),
    ("answers_clips", "logistic"): gettext_lazy("Logistic mixed model with clips and texts"),
}


def fast(scale: Scale, section: Fast | Refusal) -> Part:
    """Return the fast model as a section of its own, for the Results page."""
    title = _("Mixed models")
    if isinstance(section, Refusal):
        return Part("models", title, refused=section.refused)
    return Part("models", title, tables=(_fast_table("fast", str(FAST["fast"]), section, scale),))


def part(results: Results) -> Part:
    """Return the section on models: those fitted, and why others could not be."""
    models = results.models
    if isinstance(models, Refusal):
        return Part("models", _("Mixed models"), refused=models.refused)
    scale = scale_of(results)
    refused: list[str] = []
    tables = [
        posterior.of_model(
            models.bayes, "model_bayes", _("Bayesian mixed model of {score}").format(score=scale.title), scale.factor
        )
    ]
    if isinstance(models.bayes_clips, Refusal):
        refused.append(_why(_("Bayesian mixed model with clips and texts"), models.bayes_clips))
    else:
        title = _("Bayesian mixed model of {score}, with clips and texts").format(score=scale.title)
        tables.append(posterior.of_model(models.bayes_clips, "model_bayes_clips", title, scale.factor))
    gaussian = {"fast": models.fast, "clips": models.clips, "adjusted": models.adjusted}
    for key, fit in gaussian.items():
        if isinstance(fit, Refusal):
            refused.append(_why(FAST[key], fit))
        else:
            tables.append(_fast_table(key, str(FAST[key]), fit, scale))
    answers = {"answers": models.answers, "answers_clips": models.answers_clips}
    for key, model in answers.items():
        if isinstance(model, Refusal):
            refused.append(_why(ANSWERS[key], model))
        else:
            tables.append(_answers_table(key, model, scale))
    plots = () if isinstance(models.bayes, Refusal) else ("posterior",)
    return Part("models", _("Mixed models and their diagnostics"), tuple(refused), tuple(tables), plots)


def _why(model: str | Promise, refusal: Refusal) -> str:
    return _("{name}: {note}").format(name=model, note=refusal.refused)


def _counts(model: Fast | Ordinal) -> str:
    words = _("{formula}; log-likelihood {likelihood}; {ratings} ratings of {raters} raters.")
    return words.format(
        formula=model.formula,
        likelihood=decimals(model.log_likelihood, 2),
        ratings=whole(model.ratings),
        raters=whole(model.raters),
    )


def _fast_table(key: str, title: str, fit: Fast, scale: Scale) -> Table:
    digits = scale.digits + 2
    rows: list[tuple[Cell, ...]] = [
        (name, *scaled([row.mean, row.error, row.low, row.high], scale), row.df)
        for name, row in (
            *((row_name(row), row) for row in fit.systems),
            *((posterior.covariate(row.name), row) for row in fit.covariates),
        )
    ]
    rows += [
        (posterior.sd_of(name), *scaled([sd], scale), None, None, None, None)
        for name, sd in (*fit.sds.items(), ("residual", fit.residual_sd))
    ]
    heads = (_("Estimate"), _("SE"), _("Low"), _("High"))
    columns = (Column(_("Parameter")), *(Column(head, digits) for head in heads), Column(_("df"), 1))
    notes = [
        interval_note(),
        _counts(fit),
        *(f"{formula} = {decimals(value)}." for formula, value in fit.icc.items()),
        *posterior.scopes(fit.scope),
        *fit.notes,
    ]
    return Table(f"model_{key}", title, columns, tuple(rows), tuple(notes))


def _answers_table(key: str, model: Ordinal, scale: Scale) -> Table:
    digits = scale.digits + 2
    rows: list[tuple[Cell, ...]] = [
        (row_name(row), row.location, row.error, *scaled([row.score, row.low, row.high], scale))
        for row in model.systems
    ]
    rows += [
        (_("{sd} (approximate)").format(sd=posterior.sd_of(name)) if name in model.approximate
         else posterior.sd_of(name), sd, None, None, None, None)
        for name, sd in model.sds.items()
    ]  # fmt: skip
    columns = (
        Column(_("Parameter")), Column(_("Log-odds"), 3), Column(_("SE"), 3),
        Column(_("{score}, averaged").format(score=scale.name), digits), Column(_("Low"), digits),
        Column(_("High"), digits),
    )  # fmt: skip
    thresholds = listed([decimals(value) for value in model.thresholds])
    notes = (
        interval_note(),
        _counts(model),
        _("Log-odds are those of a typical rater; the scores are averaged over raters.")
        if model.scope
        else _("Log-odds are those of a typical rater; the scores are averaged over raters and clips."),
        *([_("Thresholds: {values}.").format(values=thresholds)] if thresholds else []),
        *posterior.scopes(model.scope),
        *model.notes,
    )
    return Table(f"model_{key}", str(TITLES[key, model.model]), columns, tuple(rows), notes)
