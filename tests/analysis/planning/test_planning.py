"""Plans before and during a study: their numbers, their refusals, their pages and their command."""

from __future__ import annotations

import io
import json
import re
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from statsmodels.stats.proportion import proportion_confint

from analysis.planning import plans, power, underway
from analysis.planning.answers import learn
from analysis.planning.forms import power_initial
from analysis.planning.inputs import PowerInputs, WidthInputs
from analysis.planning.models import PowerPlan
from analysis.sections.results import dump
from analysis.stats.design import NotEstimable
from analysis.stats.planning import Plan, Spread, raters_for_power
from core.errors import Invalid
from core.jobs import DONE, FAILED
from raters.models import Trial
from studies.clips.figures import Group
from studies.definition import presets
from studies.launch import states
from studies.models import Study
from tests import screens
from tests.analysis.world import World
from tests.researchers import logged_in, researcher, text

QUICK = {"studies": 20, "difference": 0.4, "clips": 6, "per_rater": 3}
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
    inputs = PowerInputs(**QUICK)
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


@pytest.mark.parametrize(
    ("raw", "field", "says"),
    [
        ({"difference": 0}, "difference", "greater than 0"),
        ({"difference": 1.2}, "difference", "ends of the scale"),
        ({"difference": 0.2, "level": 0.9}, "level", "ends of the scale"),
        ({"clips": 4, "per_rater": 5}, "value", "Nobody rates a clip twice"),
        ({"systems": 1}, "systems", "greater than or equal to 2"),
        ({"power": 1.0}, "power", "less than or equal to 0.99"),
    ],
)
def test_what_can_not_be_planned_is_refused_beside_its_field(
    world: World, now: datetime, raw: dict[str, Any], field: str, says: str
) -> None:
    with pytest.raises(Invalid) as refused:
        plans.request_plan(study_id=world.study.pk, kind="power", raw=raw, user=None, now=now)
    assert says in refused.value.problems[field]
    assert not PowerPlan.objects.exists()


def rated(world: World, raters: int = 14, days: float = 7) -> World:
    """Let people rate all texts of two systems, with answers over the last days."""
    clips = world.clips("alpha") + world.clips("beta")
    for number in range(raters):
        batch = world.batch(world.session(outcome="complete"), size=len(clips))
        for place, clip in enumerate(clips):
            labels = ("human", "machine", "unclear") if clip.system.name == "alpha" else ("machine", "machine", "human")
            served = world.now - timedelta(days=days * (number + 0.5) / raters)
            world.rate(batch, clip, labels[(7 * number + 5 * place + number * place) % 3], served=served)
    return world


def test_the_width_reached_and_what_is_left_come_from_the_ratings(world: World, now: datetime) -> None:
    rated(world)
    now_wide = dump(underway.compute(WidthInputs(width=0.9), world.study.definition, world.study.pk, silent, now))[
        "widest"
    ]
    inputs = WidthInputs(width=0.9 * now_wide, days=7)
    found = dump(underway.compute(inputs, world.study.definition, world.study.pk, silent, now))
    assert [row["name"] for row in found["systems"]] == ["alpha", "beta"]
    assert found["ratings"] == 14 * 24
    assert found["widest"] == max(row["width"] for row in found["systems"])
    assert not found["reached"]
    assert found["raters_needed"] > 14
    assert found["left"] == pytest.approx(found["ratings"] * (found["raters_needed"] / 14 - 1), abs=1)
    assert found["pace"] == pytest.approx(Trial.objects.filter(usable=True).count()), (
        "over the one day since the launch"
    )
    days = found["left"] / found["pace"]
    assert date.fromisoformat(found["date"]) == (now + timedelta(days=days)).date()


def test_a_width_that_is_reached_leaves_nothing(world: World, now: datetime) -> None:
    rated(world)
    found = dump(underway.compute(WidthInputs(width=0.9), world.study.definition, world.study.pk, silent, now))
    assert (found["reached"], found["left"], found["date"]) == (True, 0, now.date().isoformat())


def test_without_a_pace_no_day_is_named(world: World, now: datetime) -> None:
    rated(world)
    later = now + timedelta(days=60)
    found = dump(underway.compute(WidthInputs(width=0.08), world.study.definition, world.study.pk, silent, later))
    assert (found["pace"], found["date"]) == (0, None)


@pytest.mark.parametrize(("raters", "says"), [(0, "no usable ratings yet"), (1, "no")])
def test_too_few_ratings_are_refused_in_words(world: World, now: datetime, raters: int, says: str) -> None:
    rated(world, raters)
    row = plans.request_plan(study_id=world.study.pk, kind="width", raw={}, user=None, now=now)
    assert plans.run_plan(pk=row.pk, clock=lambda: now)
    row.refresh_from_db()
    if raters:
        assert row.state == DONE
        assert row.results["widest"] is None
    else:
        assert (row.state, says in row.error) == (FAILED, True)


def test_answers_that_are_all_the_same_are_refused_in_words(world: World, now: datetime) -> None:
    for _ in range(12):
        batch = world.batch(world.session())
        for clip in world.clips("alpha")[:5] + world.clips("beta")[:5]:
            world.rate(batch, clip, "machine")
    with pytest.raises(NotEstimable, match="nothing varies"):
        dump(underway.compute(WidthInputs(), world.study.definition, world.study.pk, silent, now))


@pytest.fixture
def page(world: World) -> Client:
    rita = researcher("rita")
    Study.objects.filter(pk=world.study.pk).update(owner=rita)
    return logged_in(rita)


def sent(client: Client, world: World, kind: str, **changes: Any) -> Any:
    """Send a form as it is shown, with changes."""
    address = reverse("analysis:planning", args=[world.study.slug])
    form = client.get(address).context["forms"][kind]
    data = {form.add_prefix(name): "" if form[name].value() is None else form[name].value() for name in form.fields}
    return client.post(
        address, {**data, "kind": kind, **{form.add_prefix(key): value for key, value in changes.items()}}
    )


def test_a_plan_goes_from_the_form_to_its_page(page: Client, world: World, now: datetime) -> None:
    answer = sent(page, world, "power", **QUICK)
    plan = PowerPlan.objects.get()
    where = reverse("analysis:plan", args=[world.study.slug, plan.pk])
    assert answer.headers["Location"] == where
    assert "Waiting for a worker" in text(page.get(where))
    assert plans.run_plan(pk=plan.pk, clock=lambda: now)
    assert not plans.run_plan(pk=plan.pk, clock=lambda: now)
    shown = text(page.get(f"{where}?part=1"))
    plan.refresh_from_db()
    assert f"{plan.results['needed']} raters with usable answers" in shown
    assert "<svg" in shown
    assert shown.count("<tr") >= len(plan.results["points"])
    assert plan.inputs["difference"] == 0.4
    assert "for one pair named in advance" in shown
    assert f"{plan.results['needed_all']} raters to compare all 3 pairs" in shown
    assert "difference 0.4" in text(page.get(reverse("analysis:planning", args=[world.study.slug])))


def test_a_page_says_how_many_clips_help_where_no_number_of_raters_is_enough(
    page: Client, world: World, now: datetime
) -> None:
    raw = {"spread": "scores", "clips": 16, "systems": 5}
    row = plans.request_plan(study_id=world.study.pk, kind="power", raw=raw, user=None, now=now)
    plans.run_plan(pk=row.pk, clock=lambda: now)
    shown = text(page.get(reverse("analysis:plan", args=[world.study.slug, row.pk])))
    row.refresh_from_db()
    more = next(each for each in row.results["by_clips"] if each["raters"])
    assert row.results["needed"] is None
    assert f"With {more['clips']} clips of each, {more['raters']} raters are enough." in shown
    assert "Raters needed for all pairs" in shown


def test_a_page_says_what_the_raters_cost_and_what_careless_ones_do(page: Client, world: World, now: datetime) -> None:
    raw = {"spread": "scores", "difference": 0.2}
    row = plans.request_plan(study_id=world.study.pk, kind="power", raw=raw, user=None, now=now)
    plans.run_plan(pk=row.pk, clock=lambda: now)
    shown = text(page.get(reverse("analysis:plan", args=[world.study.slug, row.pk])))
    row.refresh_from_db()
    assert f"About {row.results['takes']['costs']['minutes']} minutes a session." in shown
    assert re.search(r"If 20 % of these raters answered at random .* of studies would find the difference", shown)


def test_a_plan_of_an_earlier_release_is_shown_for_its_one_pair(page: Client, world: World, now: datetime) -> None:
    row = plans.request_plan(
        study_id=world.study.pk, kind="power", raw={"spread": "scores", "systems": 3}, user=None, now=now
    )
    plans.run_plan(pk=row.pk, clock=lambda: now)
    row.refresh_from_db()
    for name in ("pairs", "needed_all", "takes_all", "best_all"):
        del row.results[name]
    for point in row.results["points"]:
        for name in ("formula_all", "power_all", "error_all"):
            del point[name]
    row.save()
    shown = text(page.get(reverse("analysis:plan", args=[world.study.slug, row.pk])))
    assert f"{row.results['needed']} raters with usable answers" in shown
    assert "all 3 pairs" not in shown


@pytest.mark.parametrize(
    ("kind", "broken"),
    [
        ("power", {"results": {"points": "many"}}),
        ("width", {"results": {}}),
        ("power", {"inputs": {"kind": "power", "difference": "large"}}),
        ("power", {"inputs": {}}),
    ],
)
def test_a_plan_stored_in_another_form_says_so_and_can_be_made_again(
    page: Client, world: World, now: datetime, kind: str, broken: dict[str, Any]
) -> None:
    row = plans.request_plan(study_id=world.study.pk, kind="power", raw={"spread": "scores"}, user=None, now=now)
    plans.run_plan(pk=row.pk, clock=lambda: now)
    PowerPlan.objects.filter(pk=row.pk).update(**{"inputs": {"kind": kind}, **broken})
    address = reverse("analysis:plan", args=[world.study.slug, row.pk])
    for shown in (text(page.get(address)), text(page.get(f"{address}?part=1"))):
        assert "This release can’t read the results of this plan. Plan again to see them." in shown
        assert "data-over" in shown
    assert page.get(reverse("analysis:planning", args=[world.study.slug])).status_code == 200


def test_the_form_is_filled_in_for_the_study(page: Client, world: World) -> None:
    form = page.get(reverse("analysis:planning", args=[world.study.slug])).context["forms"]["power"]
    assert (form["systems"].value(), form["clips"].value(), form["per_rater"].value()) == (3, 12, 7)


@pytest.mark.parametrize(("changes", "systems"), [({}, 4), ({"task__hidden_reference": False}, 3)])
def test_screens_give_each_rater_a_clip_of_every_system_and_their_hidden_reference_is_compared(
    files: Path, db: None, now: datetime, changes: dict[str, Any], systems: int
) -> None:
    study = screens.make_study(now=now, systems=("alpha", "beta", "gamma"), texts=5, **changes)
    found = power_initial(study, study.definition)
    assert (found["systems"], found["clips"], found["per_rater"]) == (systems, 5, 5)


def test_a_refusal_stands_beside_its_field_and_nothing_is_queued(page: Client, world: World) -> None:
    answer = sent(page, world, "power", difference="1.5")
    assert answer.status_code == 422
    assert "ends of the scale" in text(answer)
    assert not PowerPlan.objects.exists()


def test_single_systems_widths_are_not_shown_while_scores_are_hidden(db: None, files: Path, now: datetime) -> None:
    world = rated(World(now, {"results__hide_scores": True}))
    rita = researcher("rita")
    Study.objects.filter(pk=world.study.pk).update(owner=rita)
    row = plans.request_plan(study_id=world.study.pk, kind="width", raw={"width": 0.1}, user=rita, now=now)
    plans.run_plan(pk=row.pk, clock=lambda: now)
    shown = text(logged_in(rita).get(reverse("analysis:plan", args=[world.study.slug, row.pk])))
    assert "The widest interval spans" in shown
    assert "alpha" not in shown
    assert "width" in said("width", world, "--json")


def test_plans_of_others_are_not_shown(world: World, now: datetime) -> None:
    row = plans.request_plan(study_id=world.study.pk, kind="power", raw={}, user=None, now=now)
    sam = logged_in(researcher("sam"))
    assert sam.get(reverse("analysis:plan", args=[world.study.slug, row.pk])).status_code == 404
    assert sam.get(reverse("analysis:planning", args=[world.study.slug])).status_code == 404


def said(kind: str, world: World, *options: str) -> str:
    out = io.StringIO()
    call_command("plan_study", world.study.slug, kind, *options, stdout=out)
    return out.getvalue()


def test_the_command_says_what_is_needed(world: World) -> None:
    found = said("power", world, "--set", "spread=scores", "--set", "difference=0.2")
    assert "Needed for 80 %:" in found
    assert "For all 3 pairs at once:" in found
    assert (
        json.loads(said("power", world, "--set", "spread=scores", "--set", "difference=0.2", "--json"))["results"][
            "needed"
        ]
        > 1
    )


def test_the_command_refuses_in_words(world: World) -> None:
    with pytest.raises(CommandError, match="no usable ratings yet"):
        said("width", world)
    with pytest.raises(CommandError, match="ends of the scale"):
        said("power", world, "--set", "difference=2")
    with pytest.raises(CommandError, match="NAME=VALUE"):
        said("power", world, "--set", "difference")


@pytest.mark.parametrize(
    ("preset", "ends", "difference"), [("hfr", "from 0 to 100", "10"), ("att", "from 0 to 1", "0.1")]
)
def test_a_plan_is_asked_stored_and_printed_in_the_unit_that_pages_show(
    db: None, files: Path, now: datetime, preset: str, ends: str, difference: str
) -> None:
    rita = researcher("rita")
    study = states.create_study(slug="units", title="Units", preset=preset, owner=rita, changes={}, now=now)
    page = logged_in(rita)
    address = reverse("analysis:planning", args=[study.slug])
    form = text(page.get(address))
    assert ends in form
    assert f'value="{float(difference)}"' in form
    raw = {"difference": difference, "spread": "scores", "clips": 40, "sd_rater": 0.1, "sd_slope": 0.1, "sd_clip": 0.05}
    factor = study.definition.kind.score.factor
    scaled = {name: factor * value if name.startswith("sd_") else value for name, value in raw.items()}
    plan = plans.request_plan(
        study_id=study.pk, kind="power", raw={**scaled, "sd_residual": 0.32 * factor}, user=None, now=now
    )
    assert plans.run_plan(pk=plan.pk, clock=lambda: now)
    plan.refresh_from_db()
    # As many in both units.
    assert plan.results["needed"] == 44
    assert plan.results["expected"][1] - plan.results["expected"][0] == pytest.approx(float(difference))
    assert f"difference {float(difference)}, power" in text(page.get(address))
    # A plan that release 0.1 stored had the unit of stored scores.
    old = {name: value for name, value in plan.inputs.items() if name != "unit"}
    PowerPlan.objects.filter(pk=plan.pk).update(inputs={**old, "difference": float(difference) / factor})
    assert f"difference {float(difference)}, power" in text(page.get(address))


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
    assert found.at_ceiling == least
    # Wilson's interval of one rating less doesn't end above the limit, by statsmodels.
    for number, is_enough in ((least, True), (least - 1, False)):
        low, _high = proportion_confint(number, number, method="wilson")
        assert (1 - low < margin / 100) is is_enough


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
