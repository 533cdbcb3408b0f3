"""Mixed models, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.plots.charts import Axis
from analysis.plots.words import Scale
from analysis.sections.blocks import Block, TextTable, axis, fixed, name_of
from analysis.sections.mixed_models import Bayes, Coefficient, Fast, Ordinal, Posterior, posterior
from analysis.sections.mixed_models.posterior import covariate, effect
from analysis.sections.parts import Part, listed, row_name, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table
from core.text.numbers import whole

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


def fast(of: Axis, section: Fast | Refusal) -> Block:
    """Return the block of the fast model, for the Results page."""
    return _fast_block(of, "model-fast", _("Mixed model, fast (REML)"), section)


def blocks(results: Results) -> list[Block]:
    """Return a block for each model."""
    section = results.models
    if isinstance(section, Refusal):
        return [Block("models", _("Mixed models"), section.refused)]
    of = axis(results)
    return [
        fast(of, section.fast),
        _fast_block(of, "model-clips", _("Mixed model with clips (REML)"), section.clips),
        _fast_block(of, "model-adjusted", _("Mixed model with dimension and position (REML)"), section.adjusted),
        _bayes_block(of, "model-bayes", _("Bayesian mixed model"), section.bayes),
        _bayes_block(of, "model-bayes-clips", _("Bayesian mixed model with clips"), section.bayes_clips),
        _answers_block(of, "model-answers", section.answers),
        _answers_block(of, "model-answers-clips", section.answers_clips),
    ]


def _lines(section: Fast | Bayes | Ordinal) -> list[str]:
    scopes = {
        "for these clips only": _("It has no clip effect: its figures hold for these clips only."),
        "for these texts only": _("It has no text effect: its figures hold for these texts only."),
    }
    scope = [scopes[section.scope]] if section.scope else []
    counts = _("{n} ratings of {raters} raters.").format(n=whole(section.ratings), raters=whole(section.raters))
    counted = _("{formula}. {counts}").format(formula=section.formula, counts=counts)
    return [counted, *scope, *section.notes]


def _fast_block(of: Axis, key: str, title: str, section: Fast | Refusal) -> Block:
    if isinstance(section, Refusal):
        return Block(key, title, section.refused)
    head = [_("System"), _("Estimate"), _("Standard error"), _("df"), _("95 % interval")]
    tables = [TextTable(_("Systems"), head, [_row(of, row) for row in section.systems])]
    if section.covariates:
        head = [_("Covariate"), *head[1:]]
        rows = [
            [covariate(row.name), fixed(row.mean, 4), fixed(row.error, 4), fixed(row.df, 1), _ends(row)]
            for row in section.covariates
        ]
        tables.append(TextTable(_("Covariates"), head, rows))
    sds = [[effect(term), _("not printed") if sd is None else fixed(sd, 4)] for term, sd in section.sds.items()]
    sds.append([_("residual"), fixed(section.residual_sd, 4)])
    sds += [[formula, fixed(value)] for formula, value in section.icc.items()]
    tables.append(TextTable(_("Standard deviations and shares of variance"), [_("Effect"), _("Value")], sds))
    lines = [*_lines(section), _("Restricted log-likelihood {value}.").format(value=fixed(section.log_likelihood))]
    return Block(key, title, lines=lines, tables=tables)


def _row(of: Axis, row: Coefficient) -> list[str]:
    return [
        name_of(row),
        of.show(row.mean, 1),
        fixed(of.factor * row.error, 4 if of.factor == 1 else 2),
        fixed(row.df, 1),
        of.interval(row.low, row.high, 1),
    ]


def _ends(row: Coefficient | Posterior) -> str:
    return f"{fixed(row.low, 4)} … {fixed(row.high, 4)}"


def _bayes_block(of: Axis, key: str, title: str, section: Bayes | Refusal) -> Block:
    if isinstance(section, Refusal):
        return Block(key, title, section.refused)
    head = [_("System"), _("Mean"), _("SD"), _("95 % HDI"), "R-hat", _("ESS, bulk"), _("ESS, tail")]

    def row(each: Posterior, is_sd: bool) -> list[str]:
        mean = fixed(each.mean, 4) if is_sd else of.show(each.mean, 1)
        ends = _ends(each) if is_sd else of.interval(each.low, each.high, 1)
        return [
            effect(each.name) if is_sd else name_of(each),
            mean,
            fixed(each.sd, 4),
            ends,
            fixed(each.rhat, 4),
            whole(round(each.ess_bulk)),
            whole(round(each.ess_tail)),
        ]

    sds = [
        row(each, True) if each else [effect(term), _("not printed"), *["–"] * 5] for term, each in section.sds.items()
    ]
    lines = [
        *_lines(section),
        _("Priors: {priors}. {n} draws of four chains.").format(priors=section.priors, n=whole(section.draws)),
    ]
    tables = [
        TextTable(_("Systems"), head, [row(each, False) for each in section.systems]),
        TextTable(_("Standard deviations"), [_("Effect"), *head[1:]], sds),
    ]
    return Block(key, title, lines=lines, tables=tables)


def _answers_block(of: Axis, key: str, section: Ordinal | Refusal) -> Block:
    titles = {
        ("model-answers", False): _("Ordinal mixed model"),
        ("model-answers", True): _("Logistic mixed model"),
        ("model-answers-clips", False): _("Ordinal mixed model with clips"),
        ("model-answers-clips", True): _("Logistic mixed model with clips"),
    }
    title = titles[key, not isinstance(section, Refusal) and section.model == "logistic"]
    if isinstance(section, Refusal):
        return Block(key, title, section.refused)
    averaged = _("Score, averaged over raters") if section.scope else _("Score, averaged over raters and clips")
    head = [_("System"), _("Log-odds"), _("Standard error"), averaged, _("95 % interval")]
    rows = [
        [name_of(row), fixed(row.location), fixed(row.error), of.show(row.score, 1), of.interval(row.low, row.high, 1)]
        for row in section.systems
    ]
    sds = [
        [
            _("{sd} (approximate)").format(sd=effect(term)) if term in section.approximate else effect(term),
            _("not printed") if sd is None else fixed(sd, 4),
        ]
        for term, sd in section.sds.items()
    ]
    tables = [
        TextTable(_("Systems"), head, rows),
        TextTable(_("Standard deviations, in log-odds"), [_("Effect"), _("Value")], sds),
    ]
    return Block(key, title, lines=_lines(section), tables=tables)


def part(results: Results) -> Part:
    """Return the report's section on models: those fitted, and why others could not be."""
    models = results.models
    if isinstance(models, Refusal):
        return Part("models", _("Mixed models"), refused=models.refused)
    scale = scale_of(results)
    refused: list[str] = []
    tables = [
        posterior.of_model(models.bayes, "model_bayes", _("Bayesian mixed model of {score}").format(score=scale.name))
    ]
    if isinstance(models.bayes_clips, Refusal):
        refused.append(_why(_("Bayesian mixed model with clips and texts"), models.bayes_clips))
    else:
        title = _("Bayesian mixed model of {score}, with clips and texts").format(score=scale.name)
        tables.append(posterior.of_model(models.bayes_clips, "model_bayes_clips", title))
    fast = {"fast": models.fast, "clips": models.clips, "adjusted": models.adjusted}
    for key, fit in fast.items():
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
        likelihood=f"{model.log_likelihood:.2f}",
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
        _counts(fit),
        *(f"{formula} = {value:.3f}." for formula, value in fit.icc.items()),
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
    thresholds = listed([f"{value:.3f}" for value in model.thresholds])
    notes = (
        _counts(model),
        _("Log-odds are those of a typical rater; the scores are averaged over raters.")
        if model.scope
        else _("Log-odds are those of a typical rater; the scores are averaged over raters and clips."),
        *([_("Thresholds: {values}.").format(values=thresholds)] if thresholds else []),
        *posterior.scopes(model.scope),
        *model.notes,
    )
    return Table(f"model_{key}", str(TITLES[key, model.model]), columns, tuple(rows), notes)
