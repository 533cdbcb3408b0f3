"""Plans against textbook power, simulated studies, and what no number of raters can do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t
from statsmodels.stats.power import TTestPower

from analysis.stats.contrasts import all_pairs
from analysis.stats.design import Design, NotEstimable
from analysis.stats.latent import Curve
from analysis.stats.planning import (
    LatentSpread,
    Plan,
    Spread,
    closed,
    half_width,
    limit,
    raters_for_power,
    raters_for_width,
    simulated,
    study,
)
from analysis.stats.twoway import means

PLAN = Plan(raters=40, clips=24, per_rater=8)
# SDs of scores as the fast model finds them in such studies.
ATT = Spread(rater=0.234, slope=0.108, clip=0.09, residual=0.32)


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def ternary(quality: float, rng: np.random.Generator) -> float:
    """Return the score of Human, Unclear or Machine."""
    return 1.0 if rng.random() < quality else 0.5 if rng.random() < 0.1 else 0.0


def places(low: float, high: float) -> tuple[float, float]:
    """Return the log-odds at which two systems' expected ternary scores are these."""
    grades = np.linspace(0.0, 1.0, 101)
    curve = Curve(grades, grades + 0.05 * (1 - grades), np.zeros(101))
    return curve.place(LatentSpread(), low), curve.place(LatentSpread(), high)


def test_the_power_where_clips_are_alike_is_little_below_that_of_a_paired_t_test() -> None:
    spread = Spread(rater=0.0, slope=0.0, clip=0.0, residual=1.0)
    found = closed(spread, Plan(raters=30, clips=1000, per_rater=1), 0.5)
    # Deleting one rater at a time enlarges the variance by 30 / 29.
    wanted = TTestPower().power(effect_size=0.5 / np.sqrt(2 * 30 / 29), nobs=30, alpha=0.05)
    # Where clips are alike, the largest of three variances is a little too large.
    assert wanted - 0.05 < found.power < wanted


def test_the_error_of_a_difference_forgets_how_raters_differ_in_general() -> None:
    assert replace(ATT, rater=9.0).error_of_difference(PLAN) == ATT.error_of_difference(PLAN)
    assert replace(ATT, rater=9.0).error_of_mean(PLAN) > ATT.error_of_mean(PLAN)


def test_the_fewest_raters_are_found() -> None:
    raters = raters_for_power(ATT, PLAN, 0.1)
    assert raters is not None
    assert closed(ATT, replace(PLAN, raters=raters), 0.1).power >= 0.8
    assert closed(ATT, replace(PLAN, raters=raters - 1), 0.1).power < 0.8
    enough = raters_for_width(ATT, PLAN, 0.06)
    assert enough is not None
    assert half_width(ATT, replace(PLAN, raters=enough)) <= 0.06 < half_width(ATT, replace(PLAN, raters=enough - 1))


@pytest.mark.parametrize(("systems", "power"), [(2, 0.80), (3, 0.67), (5, 0.51), (8, 0.38)])
def test_raters_enough_for_one_pair_are_too_few_for_all_pairs(systems: int, power: float) -> None:
    spread, plan = Spread(0.234, 0.108, 0.1, 0.32), Plan(53, 66, 8)
    assert raters_for_power(spread, plan, 0.1) == 55
    found = closed(spread, plan, 0.1, systems=systems)
    assert found.power == pytest.approx(0.80, abs=0.01)
    assert found.all_pairs == pytest.approx(power, abs=0.015)


@pytest.mark.parametrize("systems", [2, 3, 5])
def test_planning_adjusts_for_all_pairs_as_the_page_does(systems: int) -> None:
    """Raters and clips that give every pair the same degrees of freedom."""
    rater, system, clip = (column.ravel() for column in np.indices((24, systems, 30)))
    score = 0.5 + 0.1 * rng().standard_normal(len(rater))
    [first, *_] = all_pairs(means(Design.of(score, rater, system, system * 30 + clip)), low=0, high=1)
    reach = (first.high_all - first.difference) / first.error
    assert reach == pytest.approx(limit(np.array([first.df]), 0.95, systems)[0], rel=1e-4)


@pytest.mark.parametrize("plan", [Plan(30, 20, 20), Plan(40, 12, 6), Plan(12, 40, 10)])
def test_planned_errors_and_degrees_of_freedom_are_those_that_studies_get(plan: Plan) -> None:
    crowd = LatentSpread(rater=1.0, slope=0.6, clip=0.8)
    grades = np.linspace(0.0, 1.0, 101)
    spread = Curve(grades, grades, grades * (1 - grades)).spread(crowd, (0.0, 0.0))

    def answer(quality: float, draw: np.random.Generator) -> float:
        return float(draw.random() < quality)

    estimates = [
        means(study(answer, crowd, plan, (0.0, 0.0), rng(seed))).estimate(np.array([1.0, -1.0])) for seed in range(60)
    ]
    errors, df, probability = spread.of_difference(plan).draws()
    assert probability.sum() == pytest.approx(1)
    assert np.mean([each.error for each in estimates]) == pytest.approx(probability @ errors, rel=0.06)
    assert np.mean([each.df for each in estimates]) == pytest.approx(probability @ df, rel=0.15)


def test_the_fewest_raters_for_all_pairs_are_more() -> None:
    plan = replace(PLAN, clips=60)
    raters = raters_for_power(ATT, plan, 0.1, systems=4)
    assert raters is not None
    assert raters > (raters_for_power(ATT, plan, 0.1) or 0)
    assert closed(ATT, replace(plan, raters=raters), 0.1, systems=4).all_pairs >= 0.8
    assert closed(ATT, replace(plan, raters=raters - 1), 0.1, systems=4).all_pairs < 0.8


@pytest.mark.parametrize("clips", [24, 48, 96])
def test_a_larger_difference_never_takes_more_raters(clips: int) -> None:
    spread, plan = Spread(0.234, 0.108, 0.1, 0.32), Plan(10, clips, 8)
    needed = [raters_for_power(spread, plan, hundredths / 100) for hundredths in range(6, 60)]
    found = [raters for raters in needed if raters is not None]
    assert found == sorted(found, reverse=True)
    assert None not in needed[needed.index(found[0]) :]
    assert found[-1] == 5, "an interval needs five raters, however large the difference is"


def test_more_raters_do_not_help_where_clips_are_too_few() -> None:
    assert raters_for_width(ATT, replace(PLAN, clips=4), 0.06) is None
    assert raters_for_power(ATT, replace(PLAN, clips=4), 0.05) is None
    with pytest.raises(NotEstimable, match="Two raters and two clips"):
        closed(ATT, Plan(1, 5, 2), 0.1)


def test_more_clips_and_more_raters_never_lower_the_power() -> None:
    task = Spread(rater=0.255, slope=0.105, clip=0.111, residual=0.37)
    for clips in (12, 24, 96, 400):
        plan = Plan(raters=20, clips=clips, per_rater=6)
        powers = [closed(task, replace(plan, raters=raters), 0.2).power for raters in (10, 20, 40, 500, 5_000, 100_000)]
        assert powers == sorted(powers)
        assert powers[-1] > 0.96
    needed = [raters_for_power(task, Plan(20, clips, 6), 0.2) for clips in (12, 24, 48, 96)]
    assert needed == sorted((found or 0 for found in needed), reverse=True)


def test_systems_are_placed_where_their_expected_score_is_the_target() -> None:
    crowd = LatentSpread()
    found = study(ternary, crowd, Plan(raters=1500, clips=300, per_rater=4), places(0.4, 0.2), rng(2))
    mean = [found.score[found.system == system].mean() for system in range(2)]
    assert mean == pytest.approx([0.4, 0.2], abs=0.03)
    assert found.raters == 1500
    assert len(found.score) == 1500 * 2 * 4


def test_simulated_studies_find_large_differences_and_seldom_none() -> None:
    plan = Plan(raters=30, clips=12, per_rater=3)
    large = simulated(ternary, LatentSpread(), plan, places(0.6, 0.2), rng(), studies=40)
    none = simulated(ternary, LatentSpread(), plan, places(0.4, 0.4), rng(), studies=40)
    assert large.power > 0.9
    assert none.power < 0.2
    assert 0 < none.error < 0.08
    assert (none.studies, none.plan) == (40, plan)
    middling = simulated(ternary, LatentSpread(), plan, places(0.5, 0.25), rng(), studies=40, systems=8)
    assert 0 < middling.all_pairs < middling.power


def test_careless_raters_lower_the_power_as_the_formula_says() -> None:
    spread, plan, difference, chance = Spread(0.2, 0.1, 0.1, 0.3), Plan(30, 40, 8), 0.15, 0.3
    mixed = spread.with_careless(0.2, difference, chance)
    rng, found, studies = np.random.default_rng(5), 0, 300
    for _number in range(studies):
        careful = rng.random(plan.raters) >= 0.2
        who, which, clip = (part.ravel() for part in np.indices((plan.raters, 2, plan.clips)))
        is_heard = (np.argsort(rng.random((plan.raters, 2, plan.clips)), axis=2) < plan.per_rater).ravel()
        who, which, clip = who[is_heard], which[is_heard], clip[is_heard]
        heard = rng.normal(0, spread.clip, (2, plan.clips))[which, clip] + difference * which
        heard += rng.normal(0, spread.slope, (plan.raters, 2))[who, which] + rng.normal(0, spread.residual, len(who))
        score = rng.normal(0, spread.rater, plan.raters)[who]
        score += np.where(careful[who], heard, difference / 2 + rng.normal(0, chance, len(who)))
        estimate = means(Design.of(score, who, which, which * plan.clips + clip)).estimate(np.array([-1.0, 1.0]))
        found += abs(estimate.value / estimate.error) > t.ppf(0.975, estimate.df)
    expected = closed(mixed, plan, 0.8 * difference).power
    assert closed(spread, plan, difference).power - expected > 0.1
    assert found / studies == pytest.approx(expected, abs=0.07)
