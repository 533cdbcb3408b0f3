"""Planning during a study: the current interval widths, and the effort to reach the target width."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta
from math import ceil
from typing import TYPE_CHECKING

from analysis.planning.inputs import WidthInputs
from analysis.planning.result import Sds, SystemWidth, WidthResults
from analysis.planning.usable import Usable, usable
from raters.rating import monitor
from studies.definition import queries as definition_queries

if TYPE_CHECKING:
    from analysis.stats.planning import Plan, Spread
    from studies.definition.definition import Definition

# Beyond this, a date only means that the pace is too slow.
FARTHEST = timedelta(days=3650)
Report = Callable[[int, int], None]


def compute(inputs: WidthInputs, definition: Definition, study_id: int, report: Report, now: datetime) -> WidthResults:
    """Return each system's width, the ratings and raters needed for the target width, and the date it is reached.

    Raises NotEstimable, with a sentence for users, if there are no usable ratings.
    """
    from analysis.stats.intervals import intervals
    from analysis.stats.twoway import means

    report(0, 3)
    scale = definition.kind.score
    ratings = usable(study_id, scale.part)
    report(1, 3)
    group_means = means(ratings.design)
    spread, plan = _model(ratings)
    report(2, 3)
    pace = monitor.usable_since(study_id, now - timedelta(days=inputs.days)) / _days(study_id, inputs.days, now)
    systems = tuple(
        SystemWidth(
            name=name,
            ratings=each.ratings,
            raters=each.raters,
            clips=int(clips),
            width=None if each.low is None or each.high is None else each.high - each.low,
        )
        for name, each, clips in zip(
            ratings.systems, intervals(group_means, low=scale.low, high=scale.high), group_means.clips, strict=True
        )
    )
    widths = [row.width for row in systems if row.width is not None]
    has_all = len(widths) == len(systems)
    reached = has_all and max(widths) <= inputs.width
    needed = _raters(spread, plan, inputs.width, max(widths) if has_all else None)
    total = None if needed is None else ceil(len(ratings.design.score) * needed / plan.raters)
    left = 0 if reached else None if total is None else max(0, total - len(ratings.design.score))
    return WidthResults(
        systems=systems,
        widest=max(widths) if has_all else None,
        reached=reached,
        ratings=len(ratings.design.score),
        raters=plan.raters,
        raters_needed=needed,
        left=left,
        pace=pace,
        date=_date(left, pace * len(ratings.design.score) / ratings.answers, now),
        spread=Sds(**asdict(spread)),
    )


def _raters(spread: Spread, plan: Plan, wanted: float, widest: float | None) -> int | None:
    """Return the raters needed for the target width; None if more clips are needed instead.

    Scales the model's widths to the current one: the model only says how widths shrink with more raters.
    """
    from analysis.stats.planning import half_width, raters_for_width

    by_model = 2 * half_width(spread, plan)
    return raters_for_width(spread, plan, wanted / 2 * (by_model / widest if widest else 1.0))


def _model(ratings: Usable) -> tuple[Spread, Plan]:
    """Return the SDs of the ratings so far, and a plan with the study's mean numbers of clips and ratings per rater."""
    from analysis.stats.planning import Plan

    design = ratings.design
    assert design.clip is not None
    raters, systems = design.raters, design.systems
    clips = (int(design.clip.max()) + 1) / systems
    each = len(design.score) / (raters * systems)
    spread = _components(ratings)
    return spread, Plan(raters, max(2, round(clips)), max(1, round(each)))


def _components(ratings: Usable) -> Spread:
    """Return SDs by moments, which is fast: exact if every rater rates every system equally often, otherwise close."""
    import numpy as np

    from analysis.stats.mixed import reml
    from analysis.stats.mixed.terms import RATER, SLOPE
    from analysis.stats.planning import Spread

    fit = reml.fit(ratings.design, (RATER, SLOPE), least_cells=0)
    residual = fit.residual_sd**2
    design = ratings.design
    assert design.clip is not None
    left = design.score - fit.coefficients[design.system]
    count = np.bincount(design.clip)
    has_several = count > 1
    sums = np.bincount(design.clip, left)
    # Beyond the system, answers of two raters to the same clip share only the clip's effect.
    both = float((sums[has_several] ** 2 - np.bincount(design.clip, left**2)[has_several]).sum())
    pairs = float((count[has_several] * (count[has_several] - 1)).sum())
    clip = min(max(both / pairs, 0.0), residual) if pairs else 0.0
    sds = (fit.sds.get(RATER) or 0.0, fit.sds.get(SLOPE) or 0.0)
    return Spread(*sds, float(np.sqrt(clip)), float(np.sqrt(residual - clip)))


def _date(left: int | None, pace: float, now: datetime) -> str | None:
    """Return the date on which nothing is left at this pace; None if it is too far away."""
    if left is None or (left and pace <= 0):
        return None
    wait = timedelta(days=left / pace) if left else timedelta()
    return (now + wait).date().isoformat() if wait < FARTHEST else None


def _days(study_id: int, days: int, now: datetime) -> float:
    """Return the days for the pace: as requested, but not before launch, and at least one."""
    began = definition_queries.study_of(study_id).launched_at
    return days if began is None else min(days, max((now - began) / timedelta(days=1), 1.0))
