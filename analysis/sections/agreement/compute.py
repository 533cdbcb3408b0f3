"""Agreement between raters: Krippendorff's alpha, kappas, and the order of systems in two halves (rule D8)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from analysis.sections.agreement import Agreement, Alpha
from analysis.sections.inputs import AnalysisInput, called, coded, design_of, texts
from analysis.stats import agreement, ranking, refusals
from analysis.stats.agreement import Metric
from analysis.stats.design import Codes, Floats, NotEstimable
from analysis.stats.figures import Distance
from core.text.words import say, say_list

if TYPE_CHECKING:
    from pandas import DataFrame

    from studies.task_types.base import Measure

# With more distinct scores, answers count as a scale.
MOST_ORDERED = 12
# Cohen's kappa of two raters needs at least this many units that both rated.
LEAST_SHARED = 5
# How the distance of two answers is measured.
METRICS: dict[Measure, Metric] = {
    "score": "interval",
    "ordered": "ordinal",
    "category": "nominal",
    "preference": "nominal",
    "count": "ratio",
}


def compute(inputs: AnalysisInput) -> Agreement:
    """Return alpha of all clips and of each system, kappas if they can be computed, and the distance of the halves."""
    rows = inputs.tests
    if not len(rows):
        raise NotEstimable(say("No rating counts yet."))
    metric = METRICS[inputs.kind.measure]
    notes: list[str] = []
    # The names of groups without an interval, by the reason.
    refused: dict[str, list[str]] = {}
    unit, values = _units(rows), _values(rows, metric)
    alphas = [_alpha(inputs, ("", ""), rows, unit, values, metric, refused)]
    # Answers on a pair belong to two systems.
    codes, labels = coded(rows, ("system", "kind")) if inputs.sides is None else (unit, [])
    for at, (name, kind) in enumerate(labels):
        try:
            alphas.append(
                _alpha(inputs, (name, kind), rows[codes == at], unit[codes == at], values[codes == at], metric, refused)
            )
        except NotEstimable as error:
            notes.append(say("{name}: {note}", name=called(name), note=str(error)))
    notes += [
        say("{name}: no interval of alpha. {why}", name=say_list(*names), why=why) for why, names in refused.items()
    ]
    fleiss = cohen = halves = None
    try:
        fleiss = _fleiss(unit, values)
    except NotEstimable as error:
        notes.append(str(error))
    pairs = 0
    try:
        cohen, pairs = _cohen(rows, unit, values)
    except NotEstimable as error:
        notes.append(str(error))
    try:
        halves = _halves(inputs)
    except NotEstimable as error:
        notes.append(str(error))
    return Agreement(
        alpha=tuple(alphas),
        fleiss=fleiss,
        cohen=cohen,
        cohen_pairs=pairs,
        halves=halves,
        notes=tuple(notes),
    )


def _units(rows: DataFrame) -> Codes:
    """Return a code (n,) of the rated unit: item, clip (one of several on a screen) and question."""
    columns = rows[["item", "clip", "question"]].to_numpy()
    return np.unique(columns, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _values(rows: DataFrame, metric: Metric) -> Floats:
    # Two raters who chose different wrong answers disagree, although both score zero.
    return rows["code"].cat.codes.to_numpy().astype(np.float64) if metric == "nominal" else rows["score"].to_numpy()


def _alpha(
    inputs: AnalysisInput,
    name: tuple[str, str],
    rows: DataFrame,
    unit: Codes,
    values: Floats,
    metric: Metric,
    refused: dict[str, list[str]],
) -> Alpha:
    """Return a group's alpha; with too little data it has no interval, and its name is added to `refused`."""
    raters = np.unique(rows["rater"].to_numpy(), return_inverse=True)[1].reshape(-1)
    rng = inputs.rng(f"alpha/{name}")
    alpha = agreement.krippendorff(np.asarray(values), unit, raters, metric, rng, text=texts(rows))
    low, high = alpha.low, alpha.high
    refusal = refusals.of_alpha(int(raters.max()) + 1, alpha.texts)
    if refusal is not None:
        low = high = None
        label = called(name[0]) if name[0] or name[1] else say("All")
        refused.setdefault(refusal.sentence, []).append(label)
    return Alpha(
        name=name[0],
        kind=name[1],
        metric=metric,
        alpha=alpha.alpha,
        low=low,
        high=high,
        units=alpha.units,
        ratings=alpha.ratings,
    )


def _fleiss(unit: Codes, values: Floats) -> float | None:
    levels, codes = np.unique(np.asarray(values), return_inverse=True)
    if len(levels) > MOST_ORDERED:
        raise NotEstimable(say("Kappas are for a few categories; on this scale alpha and the ICC speak of agreement."))
    counts = np.zeros((int(unit.max()) + 1, len(levels)))
    np.add.at(counts, (unit, codes.reshape(-1)), 1)
    return agreement.fleiss(counts)


def _cohen(rows: DataFrame, unit: Codes, values: Floats) -> tuple[float | None, int]:
    """Return the mean of Cohen's kappas over pairs of raters with at least five common units, and the pairs' number."""
    levels, codes = np.unique(np.asarray(values), return_inverse=True)
    if len(levels) > MOST_ORDERED:
        return None, 0
    raters = np.unique(rows["rater"].to_numpy(), return_inverse=True)[1].reshape(-1)
    order = np.lexsort((raters, unit))
    unit, raters, codes = unit[order], raters[order], codes.reshape(-1)[order]
    if not (unit[1:] == unit[:-1]).any():
        raise NotEstimable(say("No clip has two ratings, so that no two raters can be compared."))
    ends = np.searchsorted(unit, unit, side="right")
    kappas: list[float] = []
    # Rater by rater to save memory: the number of all pairs grows with the square of a clip's ratings.
    for mine in np.split(np.argsort(raters, kind="stable"), np.cumsum(np.bincount(raters))[:-1]):
        kappas += _kappas(mine, ends, raters, codes)
    if not kappas:
        raise NotEstimable(
            say("No two raters have {n} clips in common, so there is no kappa of pairs.", n=LEAST_SHARED)
        )
    return float(np.mean(kappas)), len(kappas)


def _kappas(mine: Codes, ends: Codes, raters: Codes, codes: Codes) -> Iterator[float]:
    """Yield a rater's kappas with each rater who comes later in the same units.

    `mine` are the rater's rows, sorted by unit. Rows of a unit are consecutive and end before `ends`.
    """
    later = ends[mine] - mine - 1
    others = np.arange(later.sum()) + np.repeat(mine + 1 - (np.cumsum(later) - later), later)
    order = np.argsort(raters[others], kind="stable")
    others, own = others[order], np.repeat(codes[mine], later)[order]
    bounds = [0, *(np.flatnonzero(np.diff(raters[others])) + 1), len(others)]
    for start, end in pairwise(bounds):
        if end - start >= LEAST_SHARED:
            estimate = agreement.cohen(own[start:end], codes[others[start:end]])
            if estimate is not None:
                yield estimate


def _halves(inputs: AnalysisInput) -> Distance:
    """Compare the systems' order between two random halves of the raters."""
    design, names = design_of(inputs.compared if inputs.sides is None else inputs.by_system)
    if len(names) < 2:
        raise NotEstimable(say("Only one system was rated, so there is no order to agree about."))
    half = inputs.rng("halves").permutation(design.raters) < design.raters / 2
    side = half[design.rater]
    sizes = np.stack([np.bincount(design.system[side == part], minlength=len(names)) for part in (True, False)])
    if not sizes.all():
        raise NotEstimable(say("There are too few raters to compare the systems' order between two halves of them."))
    first, second = (
        np.bincount(design.system[side == part], design.score[side == part], minlength=len(names))
        for part in (True, False)
    )
    return ranking.kendall(first / sizes[0], second / sizes[1], inputs.rng("halves/p"))
