"""Test–retest reliability of repeated trials (rule D14)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from analysis.sections.inputs import AnalysisInput, TwoRatings
from analysis.sections.repeats import RepeatedScale, Repeats
from analysis.stats import refusals, retest
from analysis.stats.design import NotEstimable
from analysis.stats.figures import Reliability
from core.text.words import say
from raters.rating import repeated
from raters.rating.monitor import Versions

if TYPE_CHECKING:
    from studies.task_types.base import AnyTaskType, ScoreScale

# With more distinct scores, answers count as a scale and have no kappa.
MOST_ORDERED = 12


def scales_of(kind: AnyTaskType) -> tuple[ScoreScale, ...]:
    """Return the scales of the parts of an answer that have a number."""
    return kind.outcomes or (kind.score,)


def collected(study_id: int, kind: AnyTaskType, which: bool | None, versions: Versions) -> tuple[TwoRatings, ...]:
    """Return the ratings of each part that were repeated."""
    parts = [scale.part for scale in scales_of(kind)]
    return tuple(_columns(part, list(repeated.rated_twice(study_id, part, which, versions))) for part in parts)


def _columns(part: str, rows: list[repeated.RatedTwice]) -> TwoRatings:
    rater, first, again, first_code, again_code = zip(*rows, strict=True) if rows else ((), (), (), (), ())
    return TwoRatings(part=part, rater=rater, first=first, again=again, first_code=first_code, again_code=again_code)


def compute(inputs: AnalysisInput) -> Repeats:
    """Compare first and second ratings of each scale; raises NotEstimable if there are none."""
    scales = {scale.part: scale for scale in scales_of(inputs.kind)}
    rated = [rows for rows in inputs.facts.repeats or () if rows.rater]
    if not rated:
        raise NotEstimable(say("No repeated trial counts yet."))
    return Repeats(
        distance=inputs.definition.protocol.repeat_distance,
        scales=tuple(_compared(scales[rows.part], inputs.kind.measure, rows) for rows in rated),
    )


def _compared(scale: ScoreScale, measure: str, rows: TwoRatings) -> RepeatedScale:
    rater, first, again = np.array(rows.rater), np.array(rows.first), np.array(rows.again)
    levels, codes = np.unique([*rows.first_code, *rows.again_code], return_inverse=True)
    one, other = np.split(codes.reshape(-1), 2)
    raters = len(np.unique(rater))
    refusal = refusals.too_few(raters, None, least_raters=refusals.MODEL_RATERS)
    is_category = measure == "category"
    is_scale = measure in ("score", "ordered", "count")
    if is_category:
        kappa = retest.kappa(one, other, rater)
    else:
        kappa = retest.weighted_kappa(first, again, rater) if len(levels) <= MOST_ORDERED else None
    figures = {
        "difference": None if is_category else retest.difference(first, again, rater),
        "icc": retest.icc(first, again, rater) if is_scale else None,
        "kappa": kappa,
    }
    return RepeatedScale(
        part=scale.part,
        name=scale.name,
        unit=scale.unit,
        high=scale.high,
        pairs=len(rater),
        raters=raters,
        alike=float((one == other).mean()),
        is_weighted=not is_category,
        notes=() if refusal is None else (say("No intervals. {why}", why=refusal.sentence),),
        **{name: _shown(figure, has_interval=refusal is None) for name, figure in figures.items()},
    )


def _shown(figure: Reliability | None, *, has_interval: bool) -> Reliability | None:
    return figure if figure is None or has_interval else Reliability(figure.value)
