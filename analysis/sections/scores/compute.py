"""Scores of every grouping with their intervals, and the scores that others print (rules C1, C2, D1, D4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from analysis.data.groups import ACROSS_SYSTEMS, ANCHOR, HUMAN
from analysis.sections.inputs import AnalysisInput, called, coded, design_of
from analysis.sections.scores import Crossed, CrossedRow, Group, Scores
from analysis.stats import intervals
from analysis.stats.design import Codes, Design, Floats, NotEstimable
from analysis.stats.intervals import Interval
from analysis.stats.refusals import THESE_TEXTS
from analysis.stats.scores import mean_of_means
from core.text.words import say, say_list

if TYPE_CHECKING:
    from pandas import DataFrame

# Groupings, and the columns that identify their groups.
BY: dict[str, tuple[str, ...]] = {
    "system": ("system", "kind"),
    "voice": ("voice", "kind", "system"),
    "dimension": ("dimension",),
    "benchmark": ("benchmark",),
    "condition": ("condition",),
    "domain": ("domain", "kind"),
    "box": ("box",),
    "overall": ("kind",),
    "cells": ("voice", "kind", "system", "dimension"),
}
# Groupings that never pool two systems, which may have met each other.
OF_ONE = ("system", "voice", "cells")
ACROSS = ("benchmark", "condition", "dimension", "box")
# Two ways of averaging that differ by more than this share of the scale are pointed out (rule C1).
APART = 0.01


def compute(inputs: AnalysisInput) -> Scores:
    """Return all groupings that have named groups."""
    if not len(inputs.tests):
        raise NotEstimable(say("No rating counts yet: a batch counts once it is full and its checks are passed."))
    groupings = tuple(BY) if inputs.sides is None else OF_ONE
    by = {name: tuple(groups) for name in groupings if (groups := _groups(inputs, name))}
    across = {name: table for name in ACROSS if (table := _crossed(inputs, name))}
    notes = _notes(by, design_of(inputs.tests)[0])
    over = inputs.facts.over
    if over is None:
        return Scores(by=by, crossed=across, notes=tuple(notes))
    return Scores(by=by, crossed=across, notes=(_versus(inputs, over), *notes), over=over)


def _versus(inputs: AnalysisInput, over: str) -> str:
    """Return what the scores of a task that compares systems mean."""
    if inputs.scale.unit != "%":
        return (
            say("Scores are mean answers on each system next to {baseline}.", baseline=called(over))
            if over
            else say("Scores are mean answers on each system next to all that it met.")
        )
    return (
        say("Shares of answers that prefer a system to {baseline}; no preference counts half.", baseline=called(over))
        if over
        else say("Shares of answers that prefer a system to those that it met; no preference counts half.")
    )


def grouped(inputs: AnalysisInput, by: str) -> list[Group]:
    """Return one grouping's groups, best first."""
    return _groups(inputs, by)


def _kept(rows: DataFrame, by: str) -> DataFrame:
    """Leave out human recordings and anchors if they would change a mean over several systems."""
    if by == "system":
        return rows
    kinds = rows["kind"]
    return rows[((kinds == "") if by in ACROSS_SYSTEMS else (kinds != ANCHOR)).to_numpy()]


def _groups(inputs: AnalysisInput, by: str) -> list[Group]:
    rows = _kept(inputs.by_system, by)
    if not len(rows):
        return []
    codes, labels = coded(rows, BY[by])
    group_names = [_label(by, label) for label in labels]
    if by not in ("system", "overall") and not any(_tells(by, label) for label in group_names):
        return []
    everything = _with_invalid(_kept(inputs.tried_by_system, by), BY[by])
    design, _ = design_of(rows)
    part = codes if by in ACROSS_SYSTEMS else None
    of_groups = intervals.of_parts(design, codes, part, low=inputs.scale.low, high=inputs.scale.high)
    groups = [
        _group(inputs, rows[codes == code], label, interval, everything[labels[code]])
        for code, (label, interval) in enumerate(zip(group_names, of_groups, strict=True))
    ]
    return sorted(groups, key=lambda group: (-inputs.scale.sign * group.mean, group.name, group.system))


def _label(by: str, label: tuple[str, ...]) -> dict[str, str]:
    parts = dict(zip(BY[by], label, strict=True))
    name = "" if by == "overall" else parts.get("voice" if by in ("voice", "cells") else by, "")
    if by == "domain" and not name:
        name = parts["kind"]
    extra = {"dimension": parts["dimension"]} if by == "cells" else {}
    return {
        "name": name,
        "kind": parts.get("kind", ""),
        "system": parts.get("system", "") if by != "system" else "",
        **extra,
    }


def _tells(by: str, label: dict[str, str]) -> bool:
    """True if the group has a name and is not human speech."""
    return bool(label["name"]) and label["kind"] != HUMAN and (by != "cells" or bool(label["dimension"]))


def _with_invalid(rows: DataFrame, columns: tuple[str, ...]) -> dict[tuple[str, ...], tuple[float, int]]:
    """Return {group: (mean, number of ratings)}, including ratings that only the traps excluded."""
    ratings = rows[(rows["usable"] | (rows["reasons"] == "traps")).to_numpy()]
    codes, labels = coded(ratings, columns)
    sizes = np.bincount(codes, minlength=len(labels))
    sums = np.bincount(codes, ratings["score"].to_numpy(), minlength=len(labels))
    return {label: (float(sums[at] / sizes[at]), int(sizes[at])) for at, label in enumerate(labels)}


def _group(
    inputs: AnalysisInput,
    rows: DataFrame,
    label: dict[str, str],
    interval: Interval,
    invalid: tuple[float, int],
) -> Group:
    values = rows["score"].to_numpy()
    raters = np.unique(rows["rater"].to_numpy(), return_inverse=True)[1].reshape(-1)
    cells, _ = coded(rows, ("system", "kind", "voice", "dimension"))
    clip_mean, equal = mean_of_means(values, rows["clip"].to_numpy()), mean_of_means(values, cells)
    codes = inputs.scale.codes
    return Group.model_validate(
        {
            **label,
            **intervals.measured(interval),
            "clips": int(rows["clip"].nunique()),
            "sd": float(values.std(ddof=1)) if len(values) > 1 else 0.0,
            "clip_mean": clip_mean,
            "equal_mean": equal,
            "is_apart": bool(np.ptp([interval.mean, clip_mean, equal]) > APART * inputs.width),
            "comparisons": intervals.comparisons(values, raters) if len(values) > 1 else (),
            "without_traps": invalid[0],
            "without_traps_ratings": invalid[1],
            "shares": {code: float((rows["code"] == code).mean()) for code in codes},
            **_first(inputs, rows, values, raters),
        }
    )


def _first(inputs: AnalysisInput, rows: DataFrame, values: Floats, raters: Codes) -> dict[str, float | None]:
    """Return the score from only the first raters, if disagreement asks for more (rule C5)."""
    first = inputs.facts.first_trials
    if first is None:
        return {}
    early = values[np.isin(rows["trial"].to_numpy(), np.asarray(first, dtype=np.int64))]
    return {
        "first": float(early.mean()) if len(early) else None,
        "first_ratings": len(early),
        "rater_mean": mean_of_means(values, raters),
    }


def _crossed(inputs: AnalysisInput, by: str) -> Crossed | None:
    """Return systems by a column of the manifest, if the manifest has it (rule C2)."""
    rows = _kept(inputs.by_system, "voice")
    codes, labels = coded(rows, (by, "kind", "system"))
    if not any(label[0] and label[1] != HUMAN for label in labels):
        return None
    design, _ = design_of(rows)
    part, _ = coded(rows, (by,))
    of_groups = intervals.of_parts(design, codes, part, low=inputs.scale.low, high=inputs.scale.high)
    everything = _with_invalid(_kept(inputs.tried_by_system, "voice"), (by, "kind", "system"))
    columns = sorted({label[0] for label in labels})
    lines: dict[tuple[str, str], dict[str, Group]] = {}
    for code, (column, kind, system) in enumerate(labels):
        label = {"name": column, "kind": kind, "system": system}
        own = rows[codes == code]
        cell = _group(inputs, own, label, of_groups[code], everything[labels[code]])
        if by == "benchmark" and (own["seen"] == "yes").any():
            cell = cell.model_copy(update={"is_seen": True})
        lines.setdefault((system, kind), {})[column] = cell
    crossed = [
        CrossedRow(
            name=name,
            kind=kind,
            cells=tuple(cells.get(column) for column in columns),
            mu=float(np.mean([cell.mean for cell in cells.values()])),
            of=len(cells),
        )
        for (name, kind), cells in lines.items()
    ]
    in_order = sorted(crossed, key=lambda row: (-inputs.scale.sign * row.mu, row.name))
    return Crossed(columns=tuple(columns), rows=tuple(in_order))


def _notes(by: dict[str, tuple[Group, ...]], design: Design) -> list[str]:
    drawn = (
        say("Intervals account for raters and for texts.")
        if design.repeats_texts
        else say("Intervals account for raters and for clips.")
    )
    notes = [
        THESE_TEXTS if design.has_few_texts else drawn,
        say("Voices are nested in systems: intervals hold for these voices."),
    ]
    apart = [group.name for group in by["system"] if group.is_apart]
    if apart:
        notes.append(
            say(
                "The ways of averaging (every answer alike, every clip alike, every voice × dimension alike) differ by "
                "more than a hundredth of the scale for {systems}.",
                systems=say_list(*map(called, apart)),
            )
        )
    return notes
