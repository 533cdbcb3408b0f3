"""The pages of planning in Chinese: no English but names, formulas and what researchers wrote themselves."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from analysis.planning import plans
from studies.models import Study
from tests.analysis.planning.test_looks import HALVES, fill, take
from tests.analysis.planning.test_planning import rated
from tests.analysis.report.test_chinese import english, own, words
from tests.analysis.world import World
from tests.researchers import logged_in, researcher, text

CHINESE = {"Accept-Language": "zh-CN"}
# Systems, people, choices that are codes, and the names of papers and methods.
NAMES = words("alpha beta rita UTC task scores ATT Bonferroni Lan DeMets Brien Fleming Everitt Kappa JavaScript")


@pytest.fixture
def page(world: World) -> Client:
    rita = researcher("rita")
    Study.objects.filter(pk=world.study.pk).update(owner=rita)
    return logged_in(rita)


def untranslated(
    client: Client, world: World, *, plan: int | None = None, data: dict[str, Any] | None = None
) -> set[str]:
    """Return the English words of the page of planning, or of one plan."""
    slug = world.study.slug
    address = reverse("analysis:plan", args=[slug, plan]) if plan else reverse("analysis:planning", args=[slug])
    shown = text(client.post(address, data, headers=CHINESE) if data else client.get(address, headers=CHINESE))
    assert 'lang="zh-hans"' in shown
    return english(shown, own(world.study.definition, world.study.title) | NAMES)


def planned(world: World, now: datetime, kind: str, **raw: Any) -> int:
    """Return the number of a plan that a worker computed."""
    row = plans.request_plan(study_id=world.study.pk, kind=kind, raw=raw, user=None, now=now)
    assert plans.run_plan(pk=row.pk, clock=lambda: now)
    return int(row.pk)


@pytest.mark.parametrize(
    "raw",
    [
        {"studies": 20, "difference": 0.4, "clips": 6, "per_rater": 3, "systems": 3},
        {"spread": "scores", "difference": 0.2},
        {"spread": "scores", "difference": 0.03, "clips": 4, "per_rater": 4, "systems": 3},
        {"spread": "scores", "difference": 0.2, "clips": 300, "per_rater": 300},
        {"spread": "scores", "systems": 3, "dimensions": 4},
    ],
)
def test_no_english_is_left_in_a_plan_of_raters(page: Client, world: World, now: datetime, raw: dict[str, Any]) -> None:
    assert untranslated(page, world, plan=planned(world, now, "power", **raw)) == set()


@pytest.mark.parametrize(("raters", "width"), [(0, 0.1), (1, 0.1), (14, 0.49), (14, 0.2), (14, 0.001)])
def test_no_english_is_left_in_a_plan_of_a_width(
    page: Client, world: World, now: datetime, raters: int, width: float
) -> None:
    rated(world, raters)
    assert untranslated(page, world, plan=planned(world, now, "width", width=width)) == set()


def test_no_english_is_left_on_the_page_of_planning(page: Client, world: World, now: datetime) -> None:
    assert untranslated(page, world) == set()
    planned(world, now, "power", spread="scores")
    planned(world, now, "width")
    waiting = plans.request_plan(study_id=world.study.pk, kind="power", raw={}, user=None, now=now)
    assert untranslated(page, world) == set()
    assert untranslated(page, world, plan=waiting.pk) == set()


@pytest.mark.parametrize(
    "changes",
    [
        {"difference": "0"},
        {"difference": "1.5"},
        {"level": "0.95", "difference": "0.2"},
        {"clips": "4", "per_rater": "5"},
        {"systems": "x", "power": "1", "lost": ""},
    ],
)
def test_no_english_is_left_in_what_is_wrong_with_a_form(page: Client, world: World, changes: dict[str, str]) -> None:
    form = page.get(reverse("analysis:planning", args=[world.study.slug])).context["forms"]["power"]
    fields = {form.add_prefix(name): form[name].value() or "" for name in form.fields}
    data = fields | {form.add_prefix(name): value for name, value in changes.items()} | {"kind": "power"}
    assert untranslated(page, world, data=data) == set()


@pytest.mark.parametrize("is_hidden", [False, True])
def test_no_english_is_left_in_interim_analyses(db: None, files: Path, now: datetime, is_hidden: bool) -> None:
    world = World(now, {**HALVES, "protocol__ratings_wanted": 2, "results__hide_scores": is_hidden})
    rita = researcher("rita")
    Study.objects.filter(pk=world.study.pk).update(owner=rita)
    client = logged_in(rita)
    assert untranslated(client, world) == set()
    fill(world, 2)
    assert take(world, now) is not None
    assert untranslated(client, world) == set()
