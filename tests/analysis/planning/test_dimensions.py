"""Plans for a difference within each dimension of the texts."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.planning import power
from analysis.planning.dimensions import by_dimension
from analysis.planning.inputs import PowerInputs
from analysis.stats.contrasts import all_pairs
from analysis.stats.design import Design
from analysis.stats.planning import Plan, Spread, raters_for_power
from analysis.stats.twoway import means
from studies.definition import presets

ATT = presets.get("att").definition
SPREAD = Spread(0.1, 0.1, 0.05, 0.32)


def silent(done: int, total: int) -> None:
    """Report to nobody."""


def planned(**changes: float) -> PowerInputs:
    return PowerInputs.model_validate({"spread": "scores", "clips": 80, "per_rater": 8, "systems": 3, **changes})


def test_a_dimension_has_its_share_of_the_clips_and_results_adjust_nothing_for_dimensions() -> None:
    found = by_dimension(planned(dimensions=4), SPREAD, Plan(10, 80, 8), 80)
    assert found.clips == 20
    assert found.raters == raters_for_power(SPREAD, Plan(10, 20, 2), 0.1)
    assert found.raters_all == raters_for_power(SPREAD, Plan(10, 20, 2), 0.1, systems=3, level=1 - 0.05 / 4)
    assert (found.raters_all or 0) > (found.raters or 10**6)


def test_plans_of_one_dimension_have_no_such_answer_and_too_few_texts_are_never_enough() -> None:
    assert power.compute(planned(), ATT, silent).by_dimension == ()
    rows = power.compute(planned(dimensions=20), ATT, silent).by_dimension
    assert [row.clips for row in rows][:4] == [2, 4, 8, 16]
    assert rows[-1].raters_all is not None
    assert (rows[0].raters, rows[1].raters) == (None, None)


@pytest.mark.parametrize(("dimensions", "per_rater"), [(4, 8), (8, 4)])
def test_simulated_studies_find_the_difference_in_a_dimension_as_often_as_planned(
    dimensions: int, per_rater: int
) -> None:
    """In every second study of one clip in two dimensions, a rater hears only one of the two systems in it."""
    clips, difference, studies = 10 * dimensions, 0.15, 200
    inputs = planned(dimensions=dimensions, per_rater=per_rater, clips=clips, difference=difference)
    plan = by_dimension(inputs, SPREAD, Plan(10, clips, per_rater), clips)
    assert plan.raters is not None
    rng, found = np.random.default_rng(2), 0
    for _number in range(studies):
        rater, system, clip = (part.ravel() for part in np.indices((plan.raters, 2, plan.clips)))
        size = (plan.raters, 2, plan.clips)
        each = per_rater / dimensions
        heard = rng.random(size).argsort(axis=2).argsort(axis=2) < max(each, 1)
        if each < 1:
            heard &= rng.random(size[:2])[:, :, None] < each
        is_heard = heard.ravel()
        rater, system, clip = rater[is_heard], system[is_heard], clip[is_heard]
        score = difference * system + rng.normal(0, SPREAD.clip, (2, plan.clips))[system, clip]
        score += rng.normal(0, SPREAD.rater, plan.raters)[rater] + rng.normal(0, SPREAD.residual, len(rater))
        score += rng.normal(0, SPREAD.slope, (plan.raters, 2))[rater, system]
        [pair] = all_pairs(means(Design.of(score, rater, system, system * plan.clips + clip)), low=-2, high=2)
        found += pair.p < 0.05
    # Raters who hear one system only are counted as if all did, which is a little careful.
    assert 0.8 - 0.08 < found / studies < 0.8 + (0.08 if per_rater >= dimensions else 0.14)
