"""Mixed models, on the page of an analysis."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from analysis.plots.charts import Axis, whole
from analysis.sections.blocks import Block, Results, Table, axis, fixed, interval, name_of, refusal
from analysis.sections.stored import section as part


def fast(results: Results, section: dict[str, Any]) -> Block:
    """Return the fast model, as a study's page shows it while answers come in."""
    return _fast(axis(results), "model-fast", _("Mixed model, fast (REML)"), section)


def blocks(results: Results) -> list[Block]:
    """Return a block for each model."""
    section = results["models"]
    if reason := refusal(section):
        return [Block("models", _("Mixed models"), reason)]
    of = axis(results)
    return [
        fast(results, section["fast"]),
        _fast(of, "model-clips", _("Mixed model with clips (REML)"), section["clips"]),
        _fast(of, "model-adjusted", _("Mixed model with dimension and position (REML)"), section["adjusted"]),
        _bayes(of, "model-bayes", _("Bayesian mixed model"), section["bayes"]),
        _bayes(of, "model-bayes-clips", _("Bayesian mixed model with clips"), part(results, "models", "bayes_clips")),
        _answers(of, "model-answers", section["answers"]),
        _answers(of, "model-answers-clips", part(results, "models", "answers_clips")),
    ]


def _lines(section: dict[str, Any]) -> list[str]:
    scopes = {
        "for these clips only": _("It has no clip effect: its figures hold for these clips only."),
        "for these texts only": _("It has no text effect: its figures hold for these texts only."),
    }
    scope = [scopes[section["scope"]]] if section["scope"] else []
    counts = _("{n} ratings of {raters} raters.").format(n=whole(section["ratings"]), raters=whole(section["raters"]))
    return [f"{section['formula']}. {counts}", *scope, *section["notes"]]


def _fast(of: Axis, key: str, title: str, section: dict[str, Any]) -> Block:
    if reason := refusal(section):
        return Block(key, title, reason)
    head = [_("System"), _("Estimate"), _("Standard error"), _("df"), _("95 % interval")]
    tables = [Table(_("Systems"), head, [_row(of, row) for row in section["systems"]])]
    if section["covariates"]:
        head = [_("Covariate"), *head[1:]]
        rows = [
            [row["name"], fixed(row["mean"], 4), fixed(row["error"], 4), fixed(row["df"], 1), _ends(row)]
            for row in section["covariates"]
        ]
        tables.append(Table(_("Covariates"), head, rows))
    sds = [[term, _("not printed") if sd is None else fixed(sd, 4)] for term, sd in section["sds"].items()]
    sds.append([_("residual"), fixed(section["residual_sd"], 4)])
    sds += [[formula, fixed(value)] for formula, value in section["icc"].items()]
    tables.append(Table(_("Standard deviations and shares of variance"), [_("Effect"), _("Value")], sds))
    lines = [*_lines(section), _("Restricted log-likelihood {value}.").format(value=fixed(section["log_likelihood"]))]
    return Block(key, title, lines=lines, tables=tables)


def _row(of: Axis, row: dict[str, Any]) -> list[str]:
    return [
        name_of(row),
        of.show(row["mean"], 1),
        fixed(of.factor * row["error"], 4 if of.factor == 1 else 2),
        fixed(row["df"], 1),
        interval(of, row),
    ]


def _ends(row: dict[str, Any]) -> str:
    return f"{fixed(row['low'], 4)} … {fixed(row['high'], 4)}"


def _bayes(of: Axis, key: str, title: str, section: dict[str, Any]) -> Block:
    if reason := refusal(section):
        return Block(key, title, reason)
    head = [_("System"), _("Mean"), _("SD"), _("95 % HDI"), "R-hat", _("ESS, bulk"), _("ESS, tail")]

    def row(each: dict[str, Any], is_sd: bool) -> list[str]:
        mean = fixed(each["mean"], 4) if is_sd else of.show(each["mean"], 1)
        ends = _ends(each) if is_sd else interval(of, each)
        return [
            name_of(each),
            mean,
            fixed(each["sd"], 4),
            ends,
            fixed(each["rhat"], 4),
            whole(round(each["ess_bulk"])),
            whole(round(each["ess_tail"])),
        ]

    sds = [row(each, True) if each else [term, _("not printed"), *["–"] * 5] for term, each in section["sds"].items()]
    lines = [
        *_lines(section),
        _("Priors: {priors}. {n} draws of four chains.").format(priors=section["priors"], n=whole(section["draws"])),
    ]
    tables = [
        Table(_("Systems"), head, [row(each, False) for each in section["systems"]]),
        Table(_("Standard deviations"), [_("Effect"), *head[1:]], sds),
    ]
    return Block(key, title, lines=lines, tables=tables)


def _answers(of: Axis, key: str, section: dict[str, Any]) -> Block:
    titles = {
        ("model-answers", False): _("Ordinal mixed model"),
        ("model-answers", True): _("Logistic mixed model"),
        ("model-answers-clips", False): _("Ordinal mixed model with clips"),
        ("model-answers-clips", True): _("Logistic mixed model with clips"),
    }
    title = titles[key, section.get("model") == "logistic"]
    if reason := refusal(section):
        return Block(key, title, reason)
    averaged = _("Score, averaged over raters") if section["scope"] else _("Score, averaged over raters and clips")
    head = [_("System"), _("Log-odds"), _("Standard error"), averaged, _("95 % interval")]
    rows = [
        [name_of(row), fixed(row["location"]), fixed(row["error"]), of.show(row["score"], 1), interval(of, row)]
        for row in section["systems"]
    ]
    sds = [
        [
            f"{term} ({_('approximate')})" if term in section["approximate"] else term,
            _("not printed") if sd is None else fixed(sd, 4),
        ]
        for term, sd in section["sds"].items()
    ]
    tables = [
        Table(_("Systems"), head, rows),
        Table(_("Standard deviations, in log-odds"), [_("Effect"), _("Value")], sds),
    ]
    return Block(key, title, lines=_lines(section), tables=tables)
