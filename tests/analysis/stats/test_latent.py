"""SDs of scores reckoned from latent ones, against studies simulated one answer at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analysis.stats.design import NotEstimable
from analysis.stats.latent import Curve
from analysis.stats.planning import LatentSpread, Plan, closed, simulated, study

GRADES = np.linspace(0.0, 1.0, 101)
# Human or Machine: a clip's score is 1 with the probability with which it passes.
BINARY = Curve(GRADES, GRADES, GRADES * (1 - GRADES))
CROWD = LatentSpread()


def answer(quality: float, rng: np.random.Generator) -> float:
    return float(rng.random() < quality)


def places(low: float, high: float) -> tuple[float, float]:
    return BINARY.place(CROWD, low), BINARY.place(CROWD, high)


def test_the_parts_of_the_variance_add_up_to_that_of_a_single_answer() -> None:
    found = BINARY.spread(CROWD, places(0.4, 0.4))
    total = found.rater**2 + found.slope**2 + found.clip**2 + found.residual**2
    assert total == pytest.approx(0.4 * 0.6, abs=1e-4)


def test_without_differences_between_people_and_clips_chance_is_all() -> None:
    found = BINARY.spread(LatentSpread(0.0, 0.0, 0.0), (0.0, 0.0))
    assert (found.rater, found.slope, found.clip) == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)
    assert found.residual == pytest.approx(0.5, abs=1e-4)


def test_the_error_of_a_difference_is_that_of_simulated_studies() -> None:
    rng, plan, where = np.random.default_rng(1), Plan(raters=40, clips=16, per_rater=6), places(0.35, 0.5)
    differences = []
    for _ in range(250):
        found = study(answer, CROWD, plan, list(where), rng)
        differences.append(found.score[found.system == 1].mean() - found.score[found.system == 0].mean())
    assert np.mean(differences) == pytest.approx(0.15, abs=0.012)
    expected = BINARY.spread(CROWD, where).error_of_difference(plan)
    assert np.std(differences, ddof=1) == pytest.approx(expected, rel=0.12)


def test_the_formula_tells_the_power_of_simulated_studies() -> None:
    plan, where = Plan(raters=60, clips=24, per_rater=6), places(0.35, 0.48)
    found = simulated(answer, CROWD, plan, where, np.random.default_rng(2), studies=400, systems=4)
    by_formula = closed(BINARY.spread(CROWD, where), plan, 0.13, systems=4)
    assert found.power == pytest.approx(by_formula.power, abs=3 * found.error)
    assert found.all_pairs == pytest.approx(by_formula.all_pairs, abs=3 * found.all_pairs_error)


def test_more_alike_raters_leave_less_to_average() -> None:
    alike = BINARY.spread(replace(CROWD, rater=0.2, slope=0.1), places(0.4, 0.5))
    assert alike.rater < BINARY.spread(CROWD, places(0.4, 0.5)).rater
    assert alike.slope < 0.05


@pytest.mark.parametrize("target", [0.0, 1.0, 1.5, -0.1])
def test_a_score_at_an_end_or_beyond_is_refused_in_words(target: float) -> None:
    with pytest.raises(NotEstimable, match="No quality of a system"):
        BINARY.place(CROWD, target)
