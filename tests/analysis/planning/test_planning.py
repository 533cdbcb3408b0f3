"""Plans before and during a study: their numbers, their refusals, their pages and their command."""

from __future__ import annotations

import io
import json
import re
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from analysis.planning import plans, underway
from analysis.planning.forms import power_initial
from analysis.planning.inputs import WidthInputs
from analysis.planning.models import PowerPlan
from analysis.sections.results import dump
from analysis.stats.design import NotEstimable
from core.errors import Invalid
from core.jobs import DONE, FAILED
from raters.models import Trial
from studies.launch import states
from studies.models import Study
from tests import screens
from tests.analysis.world import World
from tests.researchers import logged_in, researcher, text

QUICK = {"studies": 20, "difference": 0.4, "clips": 6, "per_rater": 3}


def silent(done: int, total: int) -> None:
    """Report to nobody."""


@pytest.mark.parametrize(
    ("raw", "field", "says"),
    [
        ({"difference": 0}, "difference", "greater than 0"),
        ({"difference": 1.2}, "difference", "ends of the scale"),
        ({"difference": 0.2, "level": 0.9}, "level", "ends of the scale"),
        ({"clips": 4, "per_rater": 5}, "value", "Nobody rates a clip twice"),
        ({"systems": 1}, "systems", "greater than or equal to 2"),
        ({"human": 1.2}, "human", "ends of the scale"),
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
    assert "Waiting to start" in text(page.get(where))
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
    assert "raters with usable answers, for one pair named in advance" in found
    assert "raters to compare all 3 pairs" in found
    assert (
        json.loads(said("power", world, "--set", "spread=scores", "--set", "difference=0.2", "--json"))["results"][
            "needed"
        ]
        > 1
    )


@pytest.mark.parametrize("clips", [16, 300])
def test_the_command_prints_every_answer_of_the_page(page: Client, world: World, clips: int) -> None:
    options = {"spread": "scores", "clips": clips, "systems": 5, "dimensions": 2}
    found = said("power", world, *(f"--set={name}={value}" for name, value in options.items()))
    row = PowerPlan.objects.get()
    shown = page.get(reverse("analysis:plan", args=[world.study.slug, row.pk]))
    parts = [*shown.context["power"]["answers"], *shown.context["power"]["more"]]
    assert [part.key for part in parts] == ["answer", "all", "dimensions", "clips"]
    for part in parts:
        for sentence in (part.title, *part.paragraphs, *part.items, *part.headers):
            assert sentence in found
            assert escape(sentence) in text(shown)
    assert ("no number is enough" in found) is (clips == 16)


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
