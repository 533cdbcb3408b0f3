"""Plans of tasks that compare systems: numbers against a hand computation, words, and refusals."""

from __future__ import annotations

import io
import re
from datetime import datetime
from math import sqrt
from random import Random
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse
from scipy.stats import norm

from analysis.planning import look_checks, plans, power
from analysis.planning.answers import learn
from analysis.planning.forms import power_initial
from analysis.planning.inputs import PowerInputs
from analysis.planning.usable import usable
from analysis.stats.planning import LatentSpread, Plan, Spread, closed, simulated
from analysis.stats.preferences import paired
from analysis.stats.preferences.answers import Preferences
from core.errors import Invalid
from studies.definition import presets
from studies.definition.definition import Definition
from studies.definition.parsing import change, parse
from studies.task_types import get
from tests import kinds
from tests.analysis.rated import Rated
from tests.researchers import logged_in, researcher, text

NOBODY_DIFFERS = LatentSpread(0.0, 0.0, 0.0)


def silent(done: int, total: int) -> None:
    """Report to nobody."""


def definition(**task: Any) -> Definition:
    changes = {f"task.{name}": value for name, value in task.items()}
    return parse(change(presets.get("ab").definition.model_dump(mode="json"), changes))


def by_hand(share: float, answers: int) -> float:
    """Return the power of a two-sided test of a share against ½ by independent answers, at 5 %."""
    return float(norm.cdf((share - 0.5) / sqrt(share * (1 - share) / answers) - norm.ppf(0.975)))


def test_the_formula_stays_a_little_below_the_binomial_power_where_neither_raters_nor_pairs_differ() -> None:
    for share in (0.54, 0.56, 0.6):
        spread = Spread(0.0, 0.0, 0.0, sqrt(share * (1 - share)))
        found = closed(spread, Plan(100, 100, 8, is_pair=True), share - 0.5)
        # The published error is the larger of those by raters and by texts, so its test is a little more careful.
        assert by_hand(share, 800) - 0.1 < found.power < by_hand(share, 800)


def test_raters_and_pairs_that_differ_add_their_variance_once() -> None:
    spread, plan = Spread(0.1, 0.05, 0.08, 0.45), Plan(400, 300, 10, is_pair=True)
    error = sqrt((0.1**2 + 0.05**2) / 400 + 0.08**2 / 300 + 0.45**2 / 4000)
    expected = float(norm.cdf(0.03 / error - norm.ppf(0.975)))
    assert closed(spread, plan, 0.03).power == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("answer", ["forced", "tie"])
def test_simulated_studies_have_the_power_of_the_formula(answer: str) -> None:
    kind = get("compare").of({"answer": answer})
    answers = learn(kind, kind.params({"answer": answer}), Random(1))
    place = answers.curve.place(NOBODY_DIFFERS, 0.6)
    plan = Plan(25, 20, 8, is_pair=True)
    found = simulated(answers, NOBODY_DIFFERS, plan, (place,), np.random.default_rng(1), studies=300, null=0.5)
    quality = 1 / (1 + np.exp(-place))
    sd = sqrt(float(np.interp(quality, answers.curve.grades, answers.curve.variance)))
    assert found.power == pytest.approx(closed(Spread(0.0, 0.0, 0.0, sd), plan, 0.1).power, abs=0.08)


def test_all_pairs_of_a_comparison_are_planned_with_the_adjustment_of_results() -> None:
    sds = {"sd_rater": 0.1, "sd_slope": 0.05, "sd_clip": 0.05, "sd_residual": 0.48}
    inputs = PowerInputs(spread="scores", difference=0.1, clips=60, per_rater=6, systems=4, **sds)
    found = power.compute(inputs, definition(pairs="all"), silent)
    assert found.needed is not None
    assert found.needed_all is not None
    assert (found.pairs, found.needed < found.needed_all) == (6, True)
    assert found.takes_all is not None
    assert found.takes_all.ratings == found.needed_all * 6 * 6
    assert all(row.raters_all > row.raters for row in found.by_clips if row.raters and row.raters_all)


def test_simulated_studies_of_four_systems_find_a_preference_as_often_as_planned() -> None:
    """Each study is tested as on Results: strengths from all six pairs, adjusted for all of them."""
    spread, plan, systems, difference = Spread(0.0, 0.0, 0.0, 0.49), Plan(16, 20, 5, is_pair=True), 4, 0.1
    pairs = np.array([(first, second) for first in range(systems) for second in range(first + 1, systems)])
    rng, found, studies = np.random.default_rng(3), 0, 60
    for _number in range(studies):
        heard = rng.random((plan.raters, len(pairs), plan.clips)).argsort(axis=2)[:, :, : int(plan.per_rater)]
        rater, pair, _place = (part.ravel() for part in np.indices(heard.shape))
        # System 0 is preferred to each other one by this much; the others are equal.
        is_first = rng.random(len(pair)) < 0.5 + difference * (pairs[pair, 0] == 0)
        outcome = np.where(is_first, "first", "second")
        names = np.array(list("abcd"))[pairs[pair]]
        compared = paired.compare(Preferences.of(rater, heard.ravel(), names[:, 0], names[:, 1], outcome))
        assert compared.strengths is not None
        found += compared.strengths.pairs[0].p < 0.05
    # The other pairs add to what is known of one.
    assert found / studies > closed(spread, plan, difference, systems=systems).all_pairs - 0.1


def test_ties_need_fewer_raters_than_forced_choices() -> None:
    inputs = PowerInputs(difference=0.15, clips=40, per_rater=20, studies=20)
    forced, tie = (power.compute(inputs, definition(answer=answer), silent) for answer in ("forced", "tie"))
    assert forced.expected == tie.expected == (0.5, 0.65)
    assert forced.needed is not None
    assert tie.needed is not None
    assert tie.needed <= forced.needed
    assert (forced.pairs, forced.takes_all) == (1, forced.takes)


@pytest.mark.parametrize(("pairs", "compared"), [("baseline", 3), ("all", 6), ("incomplete", 6)])
def test_the_effort_counts_all_pairs_of_systems(pairs: str, compared: int) -> None:
    inputs = PowerInputs(systems=4, per_rater=5, clips=20, lost=0, invalid=0)
    takes = power.takes(inputs, definition(pairs=pairs), 10)
    assert takes.tests_each == 5 * compared
    assert takes.ratings == takes.answers == 10 * 5 * compared
    assert takes.ratings_a_clip == 10 * 5 / 20


@pytest.mark.parametrize("baseline", ["human", "beta", "zeta", "alpha", None])
@pytest.mark.parametrize("pairs", ["baseline", "all", "incomplete"])
def test_answers_are_learnt_whatever_the_baseline(pairs: str, baseline: str | None) -> None:
    kind = get("compare").of({})
    curve = learn(kind, kind.params({"pairs": pairs, "baseline": baseline}), Random(1)).curve
    assert curve.mean[0] < 0.2
    assert curve.mean[-1] > 0.8


@pytest.mark.django_db
def test_a_preference_beyond_the_scale_is_refused(now: datetime) -> None:
    study = kinds.make("compare", now=now, launched=False)
    with pytest.raises(Invalid):
        plans.request_plan(study_id=study.pk, kind="power", raw={"difference": 50}, user=None, now=now)
    assert plans.request_plan(study_id=study.pk, kind="power", raw={"difference": 10}, user=None, now=now).pk


@pytest.mark.django_db
def test_the_pages_speak_of_pairs_and_no_preference(now: datetime) -> None:
    study = kinds.make("compare", now=now, launched=False)
    rita = researcher("rita")
    study.owner = rita
    study.save()
    client = logged_in(rita)
    page = text(client.get(reverse("analysis:planning", args=[study.slug])))
    assert "Preference to find" in page
    assert "Clip pairs for each pair of systems" in page
    assert "Expected score" not in page
    initial = power_initial(study, study.definition)
    assert (initial["clips"], initial["systems"], initial["difference"]) == (3, 2, 10)
    raw = {"spread": "scores", "difference": 20, "clips": 60, "per_rater": 20, "sd_rater": 10, "sd_slope": 5}
    plan = plans.request_plan(
        study_id=study.pk, kind="power", raw={**raw, "sd_clip": 5, "sd_residual": 48}, user=None, now=now
    )
    assert plans.run_plan(pk=plan.pk, clock=lambda: now)
    shown = text(client.get(reverse("analysis:plan", args=[study.slug, plan.pk])))
    assert "To tell a preference of 70 % from none (50 %) in 80 % of studies" in shown
    assert "ratings of each pair" in shown


@pytest.mark.django_db
def test_the_command_says_how_many_clip_pairs_help_where_no_number_of_raters_is_enough(now: datetime) -> None:
    study = kinds.make("compare", now=now, launched=False)
    raw = {"spread": "scores", "difference": 10, "clips": 10, "per_rater": 5, "sd_slope": 5, "sd_clip": 15}
    out = io.StringIO()
    options = [f"--set={name}={value}" for name, value in {**raw, "sd_rater": 5, "sd_residual": 48}.items()]
    call_command("plan_study", study.slug, "power", *options, stdout=out)
    assert "No number of raters is enough" in out.getvalue()
    assert "pairs differ too much. Use more texts." in out.getvalue()
    assert re.search(r"With \d+ clip pairs, \d+ raters are enough.", out.getvalue())


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_widths_of_all_pairs_are_those_of_pairs_from_each_answer_once(now: datetime) -> None:
    world = Rated(now, kind="compare", human_tests=True, options={"task__pairs": "all"}).everybody(30)
    found = usable(world.study.pk, "preference")
    assert found.systems == ("alpha – beta", "alpha – human", "beta – human")
    assert len(found.design.score) == found.answers == len(list(world.counting()))
    wins = [row for row in world.counting() if {row.clip and row.clip.system.name} <= {"alpha", "beta"}]
    assert wins


@pytest.mark.django_db
def test_looks_are_refused_where_systems_meet_several_others(now: datetime) -> None:
    looks = {"results__looks": ["50%", "100%"], "results__contrasts": ["alpha vs beta"]}
    study = kinds.make("compare", now=now, launched=False, **looks)
    assert [each.setting for each in look_checks.findings(study) if each.level == "blocking"] == ["results.looks"]
    against = kinds.make("compare", now=now, launched=False, task__pairs="baseline", **looks)
    assert not [each for each in look_checks.findings(against) if each.level == "blocking"]
