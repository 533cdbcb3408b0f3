"""The planned power of "not inferior" against the verdicts that simulated studies get."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analysis.stats.contrasts import against, all_pairs
from analysis.stats.latent import Curve
from analysis.stats.non_inferiority import raters_for_verdict, verdict_power
from analysis.stats.planning import LatentSpread, Plan, study
from analysis.stats.twoway import means

GRADES = np.linspace(0.0, 1.0, 101)
CURVE, CROWD = Curve(GRADES, GRADES, GRADES * (1 - GRADES)), LatentSpread()


def answer(quality: float, draw: np.random.Generator) -> float:
    return float(draw.random() < quality)


@pytest.mark.parametrize(
    ("human", "margin", "plan"),
    [
        (0.9, 0.1, Plan(10, 60, 10)),
        (0.95, 0.1, Plan(10, 24, 8)),
        (0.95, 0.05, Plan(10, 60, 10)),
        (0.7, 0.1, Plan(10, 60, 10)),
    ],
)
def test_as_many_studies_as_planned_find_an_equal_system_not_inferior(human: float, margin: float, plan: Plan) -> None:
    place = CURVE.place(CROWD, human)
    spread = CURVE.spread(CROWD, (place, place))
    raters = raters_for_verdict(spread, plan, margin, human)
    assert raters is not None
    at, rng, studies = replace(plan, raters=raters), np.random.default_rng(1), 100
    assert verdict_power(spread, at, margin, human) == pytest.approx(0.8, abs=0.05)
    found = 0
    for _number in range(studies):
        pairs = all_pairs(means(study(answer, CROWD, at, (place, place), rng)), low=0, high=1)
        found += against(1, pairs, margin)[0].verdict == "non_inferior"
    assert found / studies == pytest.approx(0.8, abs=0.1)


def test_a_wider_margin_takes_fewer_raters_and_too_few_texts_are_never_enough() -> None:
    place = CURVE.place(CROWD, 0.9)
    spread = CURVE.spread(CROWD, (place, place))
    narrow, wide = (raters_for_verdict(spread, Plan(10, 60, 10), margin, 0.9) for margin in (0.05, 0.1))
    assert (narrow or 0) > (wide or 10**6) >= 5
    assert raters_for_verdict(spread, Plan(10, 12, 8), 0.02, 0.9) is None
    assert raters_for_verdict(spread, Plan(10, 4, 4), 0.4, 0.9) is None, "an interval needs five texts"
