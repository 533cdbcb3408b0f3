"""Everything beside scores and models as tables: exclusions, agreement, checks, times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from analysis.plots.charts import tenths
from analysis.report.page.analysis.blocks import (
    Block,
    Table,
    axis,
    change,
    changes,
    fixed,
    name_of,
    probability,
    refusal,
    share,
    span,
    whole,
)
from analysis.sections.words import BY

Results = Mapping[str, Any]


def design(results: Results) -> Block:
    """Return what was compared, and what the figures speak of."""
    section, title = results["design"], _("Design")
    if reason := refusal(section):
        return Block("design", title, reason)
    rows = [
        [
            name_of(thing),
            whole(thing["clips"]),
            whole(thing["texts"]),
            ", ".join(thing["voices"]) or "–",
            whole(thing["raters"]),
            whole(thing["ratings"]),
        ]
        for thing in section["systems"]
    ]
    head = [_("System"), _("Clips"), _("Texts"), _("Voices"), _("Raters"), _("Ratings")]
    return Block("design", title, lines=section["scope"], tables=[Table(_("What was heard"), head, rows)])


def exclusions(results: Results) -> Block:
    """Return what each rule takes out."""
    section, title = results["exclusions"], _("Exclusions")
    if reason := refusal(section):
        return Block("exclusions", title, reason)
    lines = [
        _("{counted} of {given} ratings of test clips count, of {raters} of {all} raters.").format(
            counted=whole(section["counted"]),
            given=whole(section["given"]),
            raters=whole(section["raters_counted"]),
            all=whole(section["raters_given"]),
        )
    ]
    if section["pending"]:
        lines.append(_("Experts have not decided {n} reasons yet; those count.").format(n=whole(section["pending"])))
    rows = [
        [row["label"], whole(row["ratings"]), whole(row["raters"]), whole(row["alone"])] for row in section["reasons"]
    ]
    head = [_("Rule"), _("Ratings"), _("Raters"), _("By this rule alone")]
    return Block("exclusions", title, lines=lines, tables=[Table(_("By reason"), head, rows)] if rows else [])


def detection(results: Results) -> Block:
    """Return d′, bias and AUC."""
    section, title = results["detection"], _("Telling human from machine")
    if reason := refusal(section):
        return Block("detection", title, reason)
    parts = [section["overall"], *section["systems"]]
    head = [_("System"), "d′", _("95 % interval"), _("Criterion"), "β", "AUC", _("95 % interval"), _("Answers")]
    rows = [
        [
            row["name"] or _("all"),
            fixed(row["d_prime"]),
            span(row, ("d_prime_low", "d_prime_high")),
            fixed(row["criterion"]),
            fixed(row["beta"]),
            fixed(row["auc"]),
            span(row, ("auc_low", "auc_high")),
            f"{whole(row['human'])} + {whole(row['synthetic'])}",
        ]
        for row in parts
    ]
    # Analyses of earlier releases have no notes.
    notes = {f"{row['name'] or _('all')}: {row['note']}" for row in parts if row.get("note")}
    source = _("human test clips") if section["human_from"] == "test" else _("human traps of every full batch")
    known = [value for value in section["raters"] if value is not None]
    lines = [
        _("Human against the rest of the answers; human speech from {source}.").format(source=source),
        _("{n} of {all} raters gave the 20 answers of each kind that a d′ of their own needs.").format(
            n=whole(len(known)), all=whole(len(section["raters"]))
        ),
        _("Intervals account for raters and for clips."),
        *sorted(notes),
    ]
    return Block("detection", title, lines=lines, tables=[Table(_("Sensitivity and bias"), head, rows)])


def boxes(results: Results) -> Block:
    """Return white less black."""
    section, title = results["boxes"], _("White box and black box")
    if reason := refusal(section):
        return Block("boxes", title, reason)
    of = axis(results)
    rows = [
        [
            row["name"] or _("all"),
            of.show(row["white"], 1),
            of.show(row["black"], 1),
            change(of, row["gap"]),
            changes(of, row),
        ]
        for row in [*section["systems"], section["overall"]]
    ]
    head = [_("System"), _("White"), _("Black"), _("Gap"), _("95 % interval")]
    lines = [] if section["ranks"] is None else [_("Order of the systems: ") + _distance(section["ranks"])]
    return Block("boxes", title, lines=lines, tables=[Table(_("White less black"), head, rows)])


def agreement(results: Results) -> Block:
    """Return alpha, kappas and the halves' order."""
    section, title = results["agreement"], _("Agreement of raters")
    if reason := refusal(section):
        return Block("agreement", title, reason)
    rows = [
        [name_of(row), row["metric"], fixed(row["alpha"]), span(row), whole(row["units"]), whole(row["ratings"])]
        for row in section["alpha"]
    ]
    head = [_("System"), _("Metric"), _("Krippendorff’s α"), _("95 % interval"), _("Clips"), _("Ratings")]
    # Where clips differ in their numbers of ratings there is none, and a note says so.
    fleiss = [_("Fleiss’ κ: {value}.").format(value=fixed(section["fleiss"]))] if section["fleiss"] is not None else []
    lines = [
        *fleiss,
        _("Cohen’s κ, mean of {n} pairs of raters: {value}.").format(
            n=whole(section["cohen_pairs"]), value=fixed(section["cohen"])
        ),
    ]
    if section["halves"] is not None:
        lines.append(_("Order of the systems in two halves of the raters: ") + _distance(section["halves"]))
    lines += section["notes"]
    return Block("agreement", title, lines=lines, tables=[Table(_("Over clips; traps are left out"), head, rows)])


def _distance(found: dict[str, Any]) -> str:
    words = _("Kendall’s distance {distance} of {n} systems, p {p} ({method}; the smallest possible is {least}).")
    return words.format(
        distance=fixed(found["distance"]),
        n=found["n"],
        p=probability(found["p"]),
        method=found["method"],
        least=fixed(found["smallest_p"], 4),
    )


def quality(results: Results) -> Block:
    """Return checks passed, and drift over the session."""
    section, title = results["quality"], _("Checks and drift")
    if reason := refusal(section):
        return Block("quality", title, reason)
    of, tables = axis(results), []
    if section["traps"]:
        rows = [
            [row["label"], share(row["share"]), f"{whole(row['right'])} / {whole(row['asked'])}"]
            for row in section["traps"]
        ]
        tables.append(Table(_("Checks, over every full batch"), [_("Check"), _("Passed"), _("Right of asked")], rows))
    if section["drift"]:
        rows = [
            [
                str(row["first"]) if row["first"] == row["last"] else f"{row['first']}–{row['last']}",
                of.show(row["score"], 1),
                "–" if row["response"] is None else tenths(row["response"]),
                whole(row["ratings"]),
            ]
            for row in section["drift"]
        ]
        head = [_("Trials of the session"), _("Mean score"), _("Median seconds"), _("Ratings")]
        tables.append(Table(_("Over the session"), head, rows))
    lines = []
    if section["guesser"] is not None:
        lines.append(
            _("{n} of {all} batches passed; a pure guesser passes {rate}.").format(
                n=whole(section["batches_valid"]), all=whole(section["batches_decided"]), rate=share(section["guesser"])
            )
        )
    if slope := section["slope"]:
        lines.append(
            _("Change of score by one place of the session, systems held equal: {slope} ({interval}).").format(
                slope=fixed(slope["mean"], 4), interval=span(slope, digits=4)
            )
        )
    return Block("quality", title, lines=[*lines, *section["notes"]], tables=tables)


def times(results: Results) -> Block:
    """Return seconds a clip."""
    section, title = results["times"], _("Time per clip")
    if reason := refusal(section):
        return Block("times", title, reason)
    names = ("response_median", "response_mean", "decision_median", "decision_mean")
    rows = [
        [name_of(row), whole(row["clips"]), *("–" if row[name] is None else tenths(row[name]) for name in names)]
        for row in section["rows"]
    ]
    head = [
        _("System"),
        _("Clips rated"),
        _("Response, median"),
        _("Response, mean"),
        _("Decision, median"),
        _("Decision, mean"),
    ]
    return Block("times", title, tables=[Table(_("Seconds"), head, rows)])


def breakdowns(results: Results) -> Block:
    """Return what was named, as shares."""
    section, title = results["breakdowns"], _("What was named")
    if reason := refusal(section):
        return Block("breakdowns", title, reason)
    tables = []
    for table in section["tables"]:
        for by in ("system", "domain"):
            groups = table["groups"].get(by)
            if not groups:
                continue
            rows = [
                [line["label"], *(share(group["counts"][at] / group["of"]) if group["of"] else "–" for group in groups)]
                for at, line in enumerate(table["lines"])
            ]
            head = [_("Named"), *(f"{name_of(group)} (n {whole(group['of'])})" for group in groups)]
            note = _("Of all usable answers of a group.") if not table["per"] else _("Of all rows that could be so.")
            by_what = _("{title}, by {by}").format(title=table["title"], by=str(BY[by]).lower())
            tables.append(Table(by_what, head, rows, note))
    return Block("breakdowns", title, tables=tables)


def multiverse(results: Results) -> Block:
    """Return the scores under all sets of exclusion rules."""
    section, title = results["multiverse"], _("If other answers were left out")
    if reason := refusal(section):
        return Block("multiverse", title, reason)
    of = axis(results)
    rows = [
        [
            ", ".join(each["rules"]) or _("no rule"),
            whole(sum(each["ratings"])),
            *(f"{of.show(score, 1)} (n {whole(n)})" for score, n in zip(each["scores"], each["ratings"], strict=True)),
        ]
        for each in section["universes"]
    ]
    line = _("The systems come in the same order as with all rules in {n} of {all} choices of rules.")
    lines = [
        line.format(n=section["same_order"], all=len(section["universes"])),
        _("Scores only: no interval is valid across choices."),
    ]
    head = [_("Rules applied"), _("Ratings"), *section["systems"]]
    return Block("multiverse", title, lines=lines, tables=[Table(_("All choices"), head, rows)])


def metrics(results: Results) -> Block:
    """Return external metrics beside the scores."""
    section, title = results["metrics"], _("Machines’ metrics")
    if reason := refusal(section):
        return Block("metrics", title, reason)
    of, tables = axis(results), []
    for table in section["tables"]:
        notes = []
        for unit, words in (("clip", _("Over clips")), ("system", _("Over systems"))):
            found = table[unit]
            text = refusal(found) or "Pearson r {r}, Spearman ρ {rho}, n {n}".format(
                r=fixed(found["pearson"]), rho=fixed(found["spearman"]), n=whole(found["n"])
            )
            notes.append(f"{words}: {text}")
        rows = [
            [name_of(row), fixed(row["mean"]), of.show(row["score"], 1), whole(row["clips"])]
            for row in table["systems"]
        ]
        head = [_("System"), table["name"], _("Raters’ score"), _("Clips")]
        tables.append(Table(table["name"], head, rows, " ".join(notes)))
    lines = [] if tables else [_("No metric was imported for this study.")]
    return Block("metrics", title, lines=lines, tables=tables)
