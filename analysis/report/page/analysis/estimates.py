"""Scores, comparisons and models as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from analysis.plots.charts import Axis
from analysis.report.page.analysis.blocks import (
    Block,
    Table,
    axis,
    change,
    changes,
    fixed,
    interval,
    name_of,
    probability,
    refusal,
    share,
    whole,
)
from analysis.sections.stored import section as part
from analysis.sections.words import BY

Results = Mapping[str, Any]


def scores(results: Results) -> Block:
    """Return a table for each grouping, and those of systems × benchmark and the like."""
    section = results["scores"]
    title = _("Scores ({name})").format(name=results["study"]["scale"]["name"])
    if reason := refusal(section):
        return Block("scores", title, reason)
    of = axis(results)
    tables = [_groups(of, by, groups) for by, groups in section["by"].items() if by != "cells"]
    tables += [_crossed(of, by, table) for by, table in section["crossed"].items()]
    return Block("scores", title, lines=section["notes"], tables=tables)


def _groups(of: Axis, by: str, groups: list[dict[str, Any]]) -> Table:
    compared = ["raters only", "paper", "naive"]
    asks = any("first" in group for group in groups)
    columns = [
        str(BY[by]),
        _("Score"),
        _("95 % interval"),
        _("Ratings"),
        _("Raters"),
        _("Clips"),
        _("Mean of clip means"),
        _("Voices × dimensions alike"),
        _("Without the trap rule"),
        *([_("First raters"), _("Mean over raters")] if asks else []),
        _("For comparison: raters only"),
        _("For comparison: the papers’ formula"),
        _("For comparison: naive"),
    ]
    rows = []
    for group in groups:
        others = {each["label"]: each for each in group["comparisons"]}
        mark = " †" if group["is_apart"] else ""
        rows.append(
            [
                f"{name_of(group)} · {group['system']}" if by == "voice" and group["system"] else name_of(group),
                of.show(group["mean"], 1) + mark,
                interval(of, group),
                whole(group["ratings"]),
                whole(group["raters"]),
                whole(group["clips"]),
                of.show(group["clip_mean"], 1),
                of.show(group["equal_mean"], 1),
                of.show(group["without_traps"], 1),
                *([of.show(group["first"], 1), of.show(group["rater_mean"], 1)] if asks else []),
                *(interval(of, others[label]) if label in others else "–" for label in compared),
            ]
        )
    notes = sorted({group["note"] for group in groups if group["note"]})
    return Table(_("By {by}").format(by=str(BY[by]).lower()), columns, rows, " ".join(notes))


def _crossed(of: Axis, by: str, table: dict[str, Any]) -> Table:
    rows = [
        [
            name_of(row),
            *("–" if cell is None else f"{of.show(cell['mean'], 1)} ({interval(of, cell)})" for cell in row["cells"]),
            of.show(row["mu"], 1),
        ]
        for row in table["rows"]
    ]
    columns = [_("System"), *(column or _("not given") for column in table["columns"]), "μ"]
    return Table(_("Systems by {by}").format(by=str(BY[by]).lower()), columns, rows)


def baseline(results: Results) -> Block:
    """Return the human baseline, and each system's difference with its verdict."""
    section = results["baseline"]
    title = _("Against human speech")
    if reason := refusal(section):
        return Block("baseline", title, reason)
    of, human = axis(results), section["human"]
    source = _("human test clips") if section["source"] == "test" else _("human traps")
    lines = [
        _("Human baseline, from {source}: {mean} ({interval}), {n} ratings.").format(
            source=source, mean=of.show(human["mean"], 1), interval=interval(of, human), n=whole(human["ratings"])
        )
    ]
    if section["margin"] is not None:
        lines.append(_("Margin fixed before the launch: {margin}.").format(margin=fixed(section["margin"])))
    if section["note"]:
        lines.append(section["note"])
    verdicts = {
        "non_inferior": _("not inferior"),
        "inferior": _("inferior"),
        "undecided": _("undecided"),
        "": "–",
    }
    rows = [
        [row["name"], change(of, row["difference"]), changes(of, row), verdicts[row["verdict"]]]
        for row in section["systems"]
    ]
    columns = [_("System"), _("Less human speech"), _("95 % interval"), _("At the margin")]
    tables = [Table(_("Systems less human speech"), columns, rows)] if rows else []
    return Block("baseline", title, lines=lines, tables=tables)


def contrasts(results: Results) -> Block:
    """Return tiers with rank probabilities, and all pairs."""
    section = results["contrasts"]
    title = _("Comparisons of systems")
    if reason := refusal(section):
        return Block("contrasts", title, reason)
    of = axis(results)
    places = range(1, len(section["tiers"]) + 1)
    tiers = Table(
        _("Tiers: systems that share a letter don’t differ"),
        [_("System"), _("Score"), _("Tier"), *(_("P(rank {n})").format(n=place) for place in places)],
        [
            [name_of(tier), of.show(tier["mean"], 1), tier["letters"], *(share(each) for each in tier["ranks"])]
            for tier in section["tiers"]
        ],
        _("Ranks are from {source}.").format(source=section["ranks_from"]),
    )
    pairs = Table(
        _("All pairs"),
        [
            _("Pair"),
            _("Difference"),
            _("95 % interval"),
            _("Interval for all pairs at once"),
            _("p, adjusted for all pairs"),
        ],
        [
            [
                f"{pair['first']} − {pair['second']}",
                change(of, pair["difference"]),
                changes(of, pair),
                changes(of, pair, ("low_all", "high_all")),
                probability(pair["p"]),
            ]
            for pair in section["pairs"]
        ],
    )
    left = ", ".join(section["left_out"])
    lines = [_("Left out, for too few raters or clips: {systems}.").format(systems=left)] if left else []
    # Analyses of earlier releases don't say.
    lines += [section["scope"]] if section.get("scope") else []
    return Block("contrasts", title, lines=lines, tables=[tiers, pairs])


def fast(results: Results, section: dict[str, Any]) -> Block:
    """Return the fast model, as a study's page shows it while answers come in."""
    return _fast(axis(results), "model-fast", _("Mixed model, fast (REML)"), section)


def models(results: Results) -> list[Block]:
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
