"""Shared by the papers' tables: rows of several studies, counts of codes, means with both intervals (rule D1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.data.frame import counted
from analysis.data.groups import ANCHOR, HUMAN
from analysis.sections.breakdowns import Breakdown
from analysis.sections.shared import Refusal
from analysis.sections.tables import NAMED
from analysis.stats.design import Design, Floats
from analysis.stats.intervals import Interval, comparisons, interval
from analysis.stats.twoway import means

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.sections.results import Material

KEPT = (
    "rater", "clip", "trial", "item", "system", "kind", "voice", "dimension", "benchmark", "condition", "domain", "box",
    "seen",
)  # fmt: skip
SECONDS = ("response_seconds", "decision_seconds")
HONEST = "The interval (low, high) counts raters and clips as samples of many; it is the one to publish."
PAPER = (
    "± is the paper's own formula, t · s / √n over all answers. It takes the answers of one rater as independent "
    "and is far too narrow; it stands here for comparison."
)


def joined_rows(studies: Sequence[Material]) -> DataFrame:
    """Return the ratings that count, without anchors: a study's columns as text, plus `label` and `material`.

    `label` is Human for human speech, otherwise the system, with its condition in parentheses if it has several. The
    same text in two studies counts as two.
    """
    import pandas as pd

    parts = []
    for study in studies:
        frame = counted(study.frame)
        frame = frame[frame["kind"].to_numpy() != ANCHOR]
        part = pd.DataFrame({name: _plain(frame[name]) for name in (*KEPT, "score", *SECONDS)})
        names = {name: f"{study.slug}/{name}" if name else "" for name in frame["text"].unique()}
        part["material"] = [names[name] for name in frame["text"]]
        parts.append(part)
    joined = pd.concat(parts, ignore_index=True)
    joined["label"] = _labels(joined)
    return joined


def order(means: dict[str, float]) -> list[str]:
    """Return labels with Human first, then by mean, highest first."""
    return sorted(means, key=lambda name: (name != NAMED, -means[name], name))


def levels(column: Any, first: Sequence[str] = ()) -> list[str]:
    """Return the levels that occur, starting with those of `first`."""
    names = sorted({str(name) for name in column.unique()} - {""})
    return [*(name for name in first if name in names), *(name for name in names if name not in first)]


def slugs(studies: Sequence[Material]) -> str:
    return ", ".join(study.slug for study in studies)


def _plain(column: Any) -> Any:
    return column.astype(object).to_numpy() if column.dtype == "category" else column.to_numpy()


def _labels(joined: DataFrame) -> Any:
    label = joined["system"].where(joined["kind"] != HUMAN, NAMED)
    with_condition = joined[joined["condition"] != ""]
    several = with_condition.groupby(with_condition["system"])["condition"].nunique()
    split = joined["system"].isin(several[several > 1].index) & (joined["condition"] != "") & (label != NAMED)
    return label.where(~split, label + " (" + joined["condition"] + ")")


@dataclass(slots=True)
class Counts:
    """How often each code was given (`given`, by group), the totals (`of`, by group), and the codes' names."""

    labels: dict[str, str] = field(default_factory=dict)
    of: dict[str, int] = field(default_factory=dict)
    given: dict[str, dict[str, int]] = field(default_factory=dict)

    def share(self, group: str, code: str) -> float | None:
        """Return the percentage; None if the total is zero."""
        whole = self.of.get(group, 0)
        return 100 * self.given[group].get(code, 0) / whole if whole else None


def code_counts(studies: Sequence[Material], part: str, by: str) -> Counts:
    """Add up the breakdowns of `part` by a grouping; human speech is called Human, anchors are left out."""
    counts = Counts()
    for study in studies:
        breakdowns = study.results.breakdowns
        for table in () if isinstance(breakdowns, Refusal) else breakdowns.tables:
            if table.part == part:
                _add_breakdown(counts, table, by)
    return counts


def _add_breakdown(counts: Counts, table: Breakdown, by: str) -> None:
    codes = [line.code for line in table.lines]
    counts.labels |= {line.code: line.label for line in table.lines}
    for group in table.groups.get(by, ()):
        if group.kind == ANCHOR:
            continue
        name = NAMED if group.kind == HUMAN else group.name
        counts.of[name] = counts.of.get(name, 0) + group.of
        by_code = counts.given.setdefault(name, {})
        for code, number in zip(codes, group.counts, strict=True):
            by_code[code] = by_code.get(code, 0) + number


@dataclass(frozen=True, slots=True)
class Estimate:
    """A label's mean in each cell, their unweighted mean with its interval, and the paper's half-width."""

    cells: dict[str, float]
    whole: Interval
    half: float | None


def estimates(rows: DataFrame, by: str, *, low: float, high: float) -> dict[str, Estimate]:
    """Return {label: estimate} for `rows` from `joined_rows` (at least one), with cells by column `by`.

    The mean over cells is μ of the HFR paper's Table 1: each benchmark has the same weight (rule C2).
    """
    labels, label = np.unique(rows["label"].to_numpy(str), return_inverse=True)
    cells, cell = np.unique(rows[by].to_numpy(str), return_inverse=True)
    both, group = np.unique(label * len(cells) + cell, return_inverse=True)
    # A clip without a named text counts as a text of its own.
    texts = [text or f"\0{clip}" for text, clip in zip(rows["material"], rows["clip"], strict=True)]
    design = Design.of(rows["score"], rows["rater"], label, rows["clip"], texts)
    group_means = means(design, group)
    result = {}
    for number, name in enumerate(labels):
        mine = np.flatnonzero(both // len(cells) == number)
        weights = np.zeros(len(both))
        weights[mine] = 1 / len(mine)
        whole = interval(group_means, weights, low=low, high=high)
        scores = design.score[label == number]
        result[str(name)] = Estimate(
            {str(cells[both[index] % len(cells)]): float(group_means.mean[index]) for index in mine},
            whole,
            half_width(scores, design.rater[label == number]),
        )
    return result


def edges(by_label: dict[str, Estimate]) -> list[str]:
    """Return a note for each reason why an interval is missing or computed differently."""
    reasons: dict[str, list[str]] = {}
    for label, row in sorted(by_label.items()):
        if row.whole.note:
            reasons.setdefault(row.whole.note, []).append(label)
    return [f"{', '.join(labels)}: {reason}" for reason, labels in reasons.items()]


def half_width(scores: Floats, raters: Any) -> float | None:
    """Return the half-width that the HFR paper prints after ±; None for a single answer."""
    if len(scores) < 2:
        return None
    paper = next(comparison for comparison in comparisons(scores, raters) if comparison.label == "paper")
    return (paper.high - paper.low) / 2
