"""How many raters a plan asks for: its numbers, without a page or a study's data."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from analysis.planning import power
from analysis.planning.answers import learn
from analysis.planning.inputs import PowerInputs
from analysis.sections.results import dump
from analysis.stats.planning import Plan, Spread, raters_for_power
from studies.clips.figures import Group
from studies.definition import presets
from studies.definition.definition import Definition

ATT = presets.get("att").definition


def silent(done: int, total: int) -> None:
    """Report to nobody."""


@pytest.mark.parametrize("name", sorted(presets.by_name()))
def test_every_preset_tells_what_its_answers_are_worth(name: str) -> None:
    definition = presets.get(name).definition
    kind = definition.kind
    curve = learn(kind, definition.params, Random(1)).curve
    assert kind.score.sign * (curve.mean[-1] - curve.mean[0]) > 0
    assert (curve.mean >= kind.score.low).all()
    assert (curve.mean <= kind.score.high).all()
    # A better clip is never rated much lower, chance apart.
    assert np.diff(kind.score.sign * curve.mean[::8]).min() > -0.1 * (kind.score.high - kind.score.low)


def test_the_plan_names_the_fewest_raters_and_what_they_take() -> None:
    inputs = PowerInputs(spread="scores", difference=0.1, clips=24, per_rater=8, systems=3, lost=0.2, invalid=0.1)
    found = dump(power.compute(inputs, ATT, silent))
    spread = Spread(inputs.sd_rater, inputs.sd_slope, inputs.sd_clip, inputs.sd_residual)
    needed = raters_for_power(spread, Plan(10, 24, 8), 0.1, 0.8)
    assert found["needed"] == needed
    at = {point["raters"]: point["power"] for point in found["points"]}
    assert at[needed] >= 0.8
    assert not found["is_simulated"]
    takes = found["takes"]
    assert needed is not None
    assert takes["ratings"] == needed * 24
    assert takes["raters"] == -int(-needed / 0.9 // 1)
    assert takes["invited"] == -int(-needed / 0.9 / 0.8 // 1)
    # Ten answers for seven that test, and a tenth of all of them lost.
    assert takes["answers"] == pytest.approx(takes["ratings"] / 0.9 * 10 / 7, abs=1)
    assert takes["ratings_a_clip"] == pytest.approx(needed * 8 / 24)


def test_the_plan_answers_for_one_pair_and_for_all_pairs_that_the_page_compares() -> None:
    found = dump(power.compute(PowerInputs(spread="scores", clips=66, systems=5), ATT, silent))
    at = {point["raters"]: point for point in found["points"]}
    assert (found["pairs"], found["needed"]) == (10, 55)
    assert (at[55]["power"], at[55]["power_all"]) == (pytest.approx(0.80, abs=0.01), pytest.approx(0.51, abs=0.015))
    assert at[found["needed_all"]]["power_all"] >= 0.8
    assert found["takes_all"]["ratings"] == found["needed_all"] * 5 * 8


def test_simulated_studies_have_the_difference_that_was_asked_for() -> None:
    # Places found by asking again, at each number of raters, made it a fifth larger now and then.
    inputs = PowerInputs(clips=66, systems=4, studies=300)
    found = dump(power.compute(inputs, ATT, silent))
    for point in found["points"]:
        if point["raters"] <= 80:
            assert point["power"] == pytest.approx(point["formula"], abs=3.5 * point["error"]), point
            assert point["power_all"] == pytest.approx(point["formula_all"], abs=3.5 * point["error_all"]), point


def test_of_two_systems_one_pair_is_all_pairs() -> None:
    found = dump(power.compute(PowerInputs(spread="scores", systems=2), ATT, silent))
    assert found["needed"] == found["needed_all"]
    assert all(point["power"] == point["power_all"] for point in found["points"])


def test_more_clips_need_fewer_raters() -> None:
    rows = dump(power.compute(PowerInputs(spread="scores", clips=16), ATT, silent))["by_clips"]
    raters = [row["raters"] or 10**6 for row in rows]
    assert [row["clips"] for row in rows] == [8, 16, 32, 64]
    assert raters == sorted(raters, reverse=True)


def test_simulated_power_agrees_with_the_formula_and_repeats_by_its_seed() -> None:
    inputs = PowerInputs(studies=20, difference=0.4, clips=6, per_rater=3)
    found = dump(power.compute(inputs, ATT, silent))
    assert found == dump(power.compute(inputs, ATT, silent))
    assert found["is_simulated"]
    for point in found["points"]:
        assert point["power"] == pytest.approx(point["formula"], abs=max(4 * point["error"], 0.25))
    assert found != dump(power.compute(inputs.model_copy(update={"seed": 2}), ATT, silent))


def test_where_clips_are_too_few_no_number_of_raters_is_named() -> None:
    inputs = PowerInputs(spread="scores", difference=0.03, clips=4, per_rater=4)
    found = dump(power.compute(inputs, ATT, silent))
    assert found["needed"] is None
    assert found["takes"] is None
    assert found["best"] < 0.8


def test_more_clips_are_planned_for_all_pairs_too() -> None:
    found = power.compute(PowerInputs(spread="scores", clips=66, systems=5), ATT, silent)
    same = next(row for row in found.by_clips if row.clips == 66)
    assert (same.raters, same.raters_all) == (found.needed, found.needed_all)
    assert all(row.raters_all > row.raters for row in found.by_clips if row.raters and row.raters_all)


def test_a_plan_says_what_careless_raters_cost() -> None:
    found = power.compute(PowerInputs(spread="scores", clips=66), ATT, silent)
    assert found.careless == pytest.approx(0.67, abs=0.02)


@pytest.mark.parametrize(("margin", "least"), [(10.0, 35), (5.0, 73)])
def test_a_margin_says_how_many_raters_and_texts_perfect_speech_takes(margin: float, least: int) -> None:
    definition = ATT.model_copy(update={"results": ATT.results.model_copy(update={"margin": margin})})
    width = definition.kind.score.width
    scaled = definition.results.model_copy(update={"margin": margin / 100 * width})
    found = power.compute(PowerInputs(spread="scores"), definition.model_copy(update={"results": scaled}), silent)
    assert found.verdict is not None
    assert found.verdict.at_ceiling == least
    # Wilson's interval of one rating less doesn't end above the limit, by statsmodels.
    for number, is_enough in ((least, True), (least - 1, False)):
        low, _high = proportion_confint(number, number, method="wilson")
        assert (1 - low < margin / 100) is is_enough


def with_margin(name: str, share: float) -> Definition:
    definition = presets.get(name).definition
    results = definition.results.model_copy(update={"margin": share * definition.kind.score.width})
    return definition.model_copy(update={"results": results})


def test_a_margin_says_how_many_raters_find_a_system_as_good_as_human_speech_not_inferior() -> None:
    found = power.compute(PowerInputs(clips=60, studies=20), with_margin("att", 0.1), silent).verdict
    assert found is not None
    assert found.human == pytest.approx(0.9)
    assert [row.clips for row in found.by_clips] == [30, 60, 120, 240]
    raters = [row.raters for row in found.by_clips if row.raters]
    assert len(raters) == 4
    assert raters == sorted(raters, reverse=True)
    lower = power.compute(PowerInputs(clips=60, studies=20, human=0.7), with_margin("att", 0.1), silent).verdict
    assert lower is not None
    assert (lower.by_clips[1].raters or 0) > raters[1]


def test_human_speech_that_nearly_always_passes_takes_the_floor_of_perfect_speech() -> None:
    inputs = PowerInputs(clips=60, studies=20, human=0.995)
    found = power.compute(inputs, with_margin("att", 0.1), silent).verdict
    assert found is not None
    assert [row.raters for row in found.by_clips] == [None, 35, 35, 35]


def test_a_table_of_clips_goes_on_until_a_number_of_raters_is_enough() -> None:
    rows = power.compute(PowerInputs(spread="scores", clips=6, per_rater=3, systems=5), ATT, silent).by_clips
    assert [row.clips for row in rows[:5]] == [3, 6, 12, 24, 48]
    assert all(row.raters_all is None for row in rows[:-1])
    assert rows[-1].raters_all is not None


def test_scales_on_which_human_speech_is_no_baseline_have_no_such_plan() -> None:
    assert power.compute(PowerInputs(studies=20), with_margin("cmos", 0.1), silent).verdict is None
    assert power.compute(PowerInputs(spread="scores"), ATT, silent).verdict is None


def test_where_listeners_never_give_the_usual_score_human_speech_needs_one() -> None:
    margin = with_margin("mushra", 0.1)
    unknown = power.compute(PowerInputs(difference=10, studies=20), margin, silent).verdict
    assert unknown is not None
    assert (unknown.human, unknown.by_clips) == (None, ())
    known = power.compute(PowerInputs(difference=10, human=80, studies=20), margin, silent).verdict
    assert known is not None
    assert known.human == 80


def test_a_plan_costs_what_its_sessions_are_paid_with_the_fee() -> None:
    payment = ATT.payment.model_copy(update={"rate": 2.5, "minutes": 12, "fee_percent": 30.0, "currency": "EUR"})
    definition = ATT.model_copy(update={"payment": payment})
    groups = [Group("alpha", "test", "", False, 24, 24 * 6.0)]
    takes = power.takes(PowerInputs(), definition, 50, groups)
    sessions = takes.raters * takes.sessions_each
    bonus = payment.bonus_per_valid_batch * ATT.protocol.batches_per_session
    assert takes.costs is not None
    assert takes.costs.pay == pytest.approx(sessions * (2.5 + bonus))
    assert takes.costs.with_fee == pytest.approx(1.3 * takes.costs.pay, abs=0.005)
    assert (takes.costs.minutes, takes.costs.currency) == (12, "EUR")
    assert power.takes(PowerInputs(), definition, 50).costs is None
