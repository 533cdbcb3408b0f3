"""Mixed models, on the page of an analysis."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots.charts import Axis, whole
from analysis.sections.blocks import Block, TextTable, axis, fixed, name_of
from analysis.sections.mixed_models.posterior import covariate, effect
from analysis.sections.mixed_models.result import Bayes, Coefficient, Fast, Ordinal, Posterior
from analysis.sections.results import Results
from analysis.sections.shared import Refusal


def fast(of: Axis, section: Fast | Refusal) -> Block:
    """Return the fast model, as a study's page shows it while answers come in."""
    return _fast(of, "model-fast", _("Mixed model, fast (REML)"), section)


def blocks(results: Results) -> list[Block]:
    """Return a block for each model."""
    section = results.models
    if isinstance(section, Refusal):
        return [Block("models", _("Mixed models"), section.refused)]
    of = axis(results)
    return [
        fast(of, section.fast),
        _fast(of, "model-clips", _("Mixed model with clips (REML)"), section.clips),
        _fast(of, "model-adjusted", _("Mixed model with dimension and position (REML)"), section.adjusted),
        _bayes(of, "model-bayes", _("Bayesian mixed model"), section.bayes),
        _bayes(of, "model-bayes-clips", _("Bayesian mixed model with clips"), section.bayes_clips),
        _answers(of, "model-answers", section.answers),
        _answers(of, "model-answers-clips", section.answers_clips),
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


def _fast(of: Axis, key: str, title: str, section: Fast | Refusal) -> Block:
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


def _bayes(of: Axis, key: str, title: str, section: Bayes | Refusal) -> Block:
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


def _answers(of: Axis, key: str, section: Ordinal | Refusal) -> Block:
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
