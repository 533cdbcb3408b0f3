"""Pre-registered looks (rule D10): due once, limited by what earlier looks spent, recorded, and shown."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from django.db.models import JSONField, Value
from django.test import Client
from django.urls import reverse
from scipy.stats import t

from accounts.models import User
from analysis.planning import look_checks, looks, stopping
from analysis.planning.models import Look
from analysis.planning.usable import Usable, usable
from analysis.sections.results import dump
from analysis.stats.design import Design
from analysis.stats.intervals import difference, pair
from analysis.stats.stopping import boundaries
from analysis.stats.twoway import means
from core.jobs import DONE, FAILED, QUEUED
from studies import task_types
from studies.hooks import LaunchFinding
from studies.launch import states
from studies.models import Study
from studies.rules.stopping import look as read_look
from studies.rules.stopping import looks as read_looks
from tests.analysis.world import World
from tests.researchers import logged_in, researcher, text
from tests.world import make_study

HALVES = {"results__looks": ["50%", "100%"], "results__contrasts": ["alpha vs beta"]}
HLS = task_types.get("ternary").score
# Ratings wanted of the world's 36 test clips, at two each.
WANTED = 72


@pytest.fixture
def planned(db: None, files: Path, now: datetime) -> World:
    """Return a live study with looks at half and at all of its ratings."""
    return World(now, {**HALVES, "protocol__ratings_wanted": 2})


def fill(world: World, raters: int, share: float = 0.5, labels: tuple[str, str] = ("human", "machine")) -> None:
    """Let people rate the first part of all test clips: alpha gets the first label, mostly, beta the second."""
    for number in range(raters):
        batch = world.batch(world.session(outcome="complete"), size=36)
        for system, label in (("alpha", labels[0]), ("beta", labels[1]), ("human", "human")):
            clips = world.clips(system)
            for place, clip in enumerate(clips[: round(len(clips) * share)]):
                world.rate(batch, clip, "unclear" if (number + place) % 4 == 0 else label)


def take(world: World, now: datetime) -> Look | None:
    """Queue what is due, and take it."""
    looks.queue_due(study_id=world.study.pk, now=now)
    row = Look.objects.filter(study=world.study, state=QUEUED).first()
    if row is not None:
        assert looks.take_look(pk=row.pk, clock=lambda: now)
        row.refresh_from_db()
    return row


def test_a_look_is_taken_when_its_share_is_reached_and_not_before(planned: World, now: datetime) -> None:
    fill(planned, 1)
    assert take(planned, now) is None
    fill(planned, 1)
    look = take(planned, now)
    assert look is not None
    assert (look.number, look.planned, look.state, look.ratings, look.fraction) == (1, "50%", DONE, 36, 0.5)
    assert take(planned, now) is None


def test_each_look_is_recorded_once_whatever_comes_later(planned: World, now: datetime) -> None:
    fill(planned, 2)
    first = take(planned, now)
    assert first is not None
    before = first.found
    fill(planned, 2, 1.0, ("machine", "human"))
    second = take(planned, now + timedelta(days=1))
    assert second is not None
    assert (second.number, second.fraction) == (2, 1.0)
    first.refresh_from_db()
    assert first.found == before
    assert first.found != second.found
    assert take(planned, now + timedelta(days=2)) is None
    assert not looks.take_look(pk=first.pk, clock=lambda: now)


def test_looks_that_come_due_together_are_one(planned: World, now: datetime) -> None:
    fill(planned, 2, 1.0)
    look = take(planned, now)
    assert look is not None
    assert (look.number, Look.objects.count()) == (2, 1)
    # Nothing was spent before, so that it is an ordinary test.
    assert look.found[0]["limit"] == pytest.approx(1.95996, abs=1e-4)


def test_limits_go_by_the_share_reached_and_by_the_number_of_contrasts(db: None, files: Path, now: datetime) -> None:
    world = World(
        now,
        {
            "protocol__ratings_wanted": 2,
            "results__looks": ["40", "72"],
            "results__contrasts": ["alpha vs beta", "alpha vs human"],
        },
    )
    fill(world, 2, 0.6)
    look = take(world, now)
    assert look is not None
    share = look.ratings / WANTED
    assert 0.5 < share < 0.7
    expected = boundaries((share,), contrasts=2)[0]
    assert [entry["limit"] for entry in look.found] == pytest.approx([expected.limit] * 2)
    assert [entry["p_limit"] for entry in look.found] == pytest.approx([expected.p] * 2)


def test_the_verdict_holds_p_against_the_limit(planned: World, now: datetime) -> None:
    fill(planned, 12)
    look = take(planned, now)
    assert look is not None
    [entry] = look.found
    assert (entry["first"], entry["second"]) == ("alpha", "beta")
    assert entry["difference"] > 0.5
    assert (entry["p"] <= entry["p_limit"]) == (entry["verdict"] == "crossed")
    assert abs(entry["z"]) >= entry["limit"] or entry["verdict"] == "open"


def test_a_system_without_ratings_is_said_to_have_none(planned: World, now: datetime) -> None:
    Study.objects.filter(pk=planned.study.pk)
    for _ in range(4):
        batch = planned.batch(planned.session())
        for clip in planned.clips("alpha") + planned.clips("human"):
            planned.rate(batch, clip, "human")
    look = take(planned, now)
    assert look is not None
    assert look.found[0]["verdict"] == "impossible"


def test_a_look_on_a_day_waits_for_it(db: None, files: Path, now: datetime) -> None:
    day = (now + timedelta(days=3)).date().isoformat()
    world = World(
        now, {"results__looks": [day], "results__contrasts": ["alpha vs beta"], "protocol__ratings_wanted": 2}
    )
    fill(world, 2)
    assert take(world, now + timedelta(days=2)) is None
    look = take(world, now + timedelta(days=3))
    assert look is not None
    assert (look.planned, look.state) == (day, DONE)


def test_the_sweep_takes_looks_of_running_studies_alone(planned: World, now: datetime) -> None:
    looks._counted.clear()
    fill(planned, 2)
    states.close(study=planned.study)
    assert looks.due_looks(now) == 0
    states.reopen(study=planned.study)
    assert looks.due_looks(now) == 1
    assert looks.due_looks(now) == 0


def test_a_look_without_new_ratings_says_so(planned: World, now: datetime) -> None:
    fill(planned, 2)
    take(planned, now)
    late = Look.objects.create(study=planned.study, number=2, planned="100%", due_at=now, queued_at=now)
    looks.take_look(pk=late.pk, clock=lambda: now)
    late.refresh_from_db()
    assert (late.state, late.error) == (FAILED, "There are no more ratings than at the look before.")


def owner(world: World) -> Client:
    rita = User.objects.filter(username="rita").first() or researcher("rita")
    Study.objects.filter(pk=world.study.pk).update(owner=rita)
    return logged_in(rita)


def shown(world: World) -> str:
    return text(owner(world).get(reverse("analysis:planning", args=[world.study.slug])))


def test_the_page_shows_every_look_with_its_limit_and_verdict(planned: World, now: datetime) -> None:
    fill(planned, 12)
    look = take(planned, now)
    assert look is not None
    page = shown(planned)
    for value in ("alpha − beta", f"{look.found[0]['z']:.3f}", f"{look.found[0]['limit']:.3f}", "50%", "not due yet"):
        assert value in page


@pytest.mark.parametrize("stored", [{"contrasts": []}, [{"first": "alpha", "verdict": "maybe"}], "later form", None])
def test_a_look_recorded_in_another_form_is_told_and_downloaded_as_it_is(
    planned: World, now: datetime, stored: Any
) -> None:
    fill(planned, 2)
    look = take(planned, now)
    assert look is not None
    Look.objects.filter(pk=look.pk).update(found=Value(stored, JSONField()))
    page = shown(planned)
    assert "taken, but this release can’t read what was recorded" in page
    assert "alpha − beta" not in page
    address = reverse("analysis:look_json", args=[planned.study.slug, look.number])
    assert address in page
    assert owner(planned).get(address).json() == stored
    # Neither the page nor a worker computes it again.
    assert not looks.take_look(pk=look.pk, clock=lambda: now)
    assert looks.queue_due(study_id=planned.study.pk, now=now) == 0
    look.refresh_from_db()
    assert (look.found, look.state) == (stored, DONE)


def test_the_record_of_a_look_is_for_those_who_may_see_scores(db: None, files: Path, now: datetime) -> None:
    world = World(now, {**HALVES, "protocol__ratings_wanted": 2, "results__hide_scores": True})
    fill(world, 2)
    look = take(world, now)
    assert look is not None
    Look.objects.filter(pk=look.pk).update(found={})
    address = reverse("analysis:look_json", args=[world.study.slug, look.number])
    assert "this release can’t read what was recorded" in shown(world)
    assert address not in shown(world)
    assert owner(world).get(address).status_code == 403


def test_hidden_scores_leave_the_verdicts_of_looks(db: None, files: Path, now: datetime) -> None:
    world = World(now, {**HALVES, "protocol__ratings_wanted": 2, "results__hide_scores": True})
    fill(world, 12)
    look = take(world, now)
    assert look is not None
    page = shown(world)
    assert "alpha − beta" in page
    assert f"{look.found[0]['limit']:.3f}" in page
    assert f"{look.found[0]['z']:.3f}" not in page
    assert f"{look.found[0]['difference']:+.3f}" not in page


def findings(**settings: Any) -> list[LaunchFinding]:
    study = make_study(now=datetime(2026, 3, 2, tzinfo=None).astimezone(), launch=False, **settings)
    return list(look_checks.findings(study))


def test_a_launch_is_refused_for_contrasts_of_unknown_systems_and_looks_in_the_past(db: None, files: Path) -> None:
    found = findings(results__looks=["2020-01-01"], results__contrasts=["alpha vs gamma"])
    said = [finding.message for finding in found if finding.level == "blocking"]
    assert any("“gamma”" in message for message in said)
    assert any("2020-01-01 is not in the future" in message for message in said)
    assert not [finding for finding in findings(**HALVES) if finding.level == "blocking"]
    assert any("scores are not hidden" in finding.message for finding in findings(**HALVES))
    assert findings() == []


def test_a_launch_is_refused_for_a_primary_contrast_of_an_unknown_system(db: None, files: Path) -> None:
    [found] = findings(results__primary="alpha vs gamma")
    assert (found.level, found.setting) == ("blocking", "results.primary")
    assert "“gamma”" in found.message


def test_a_margin_without_a_reason_is_a_warning(db: None, files: Path) -> None:
    [found] = findings(results__margin=0.1)
    assert (found.level, found.setting) == ("warning", "results.margin_reason")
    assert findings(results__margin=0.1, results__margin_reason="Nobody notices less.") == []


def test_a_launch_with_a_wrong_contrast_is_blocked(db: None, files: Path, now: datetime) -> None:
    study = make_study(now=now, launch=False, results__looks=["50%"], results__contrasts=["alpha vs gamma"])
    with pytest.raises(Exception, match="gamma"):
        states.launch(study=study, now=now, rng=Random(1))


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (("half",), "can’t be read"),
        (("0%",), "is not a share"),
        (("120%",), "is not a share"),
        (("2026-13-01",), "is not a date"),
        (("50%", "50%"), "in their order"),
        (("50%", "2000"), "in the same way"),
    ],
)
def test_looks_that_can_not_be_read_are_refused_in_words(lines: tuple[str, ...], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read_looks(lines)


def test_a_share_is_due_at_the_first_whole_number_of_ratings() -> None:
    assert read_look("70%").needed(10) == 7
    assert read_look("33.3 %").needed(10) == 4
    assert read_look("2000").needed(10) == 2000


def null_study(rng: np.random.Generator, raters: int, clips: int) -> Design:
    """Return a study of two equally good systems: every rater hears every clip of both."""
    who, which, what = np.indices((raters, 2, clips))
    score = (
        0.5
        + rng.normal(0, 0.23, raters)[who]
        + rng.normal(0, 0.11, (raters, 2))[who, which]
        + rng.normal(0, 0.1, (2, clips))[which, what]
        + rng.normal(0, 0.35, who.shape)
    )
    return Design.of(score.ravel(), who.ravel(), which.ravel(), (which * clips + what).ravel())


def test_null_studies_rarely_cross_and_naive_looks_do() -> None:
    """The looks of the product, with its own errors of raters and clips, at fifths of the raters.

    A guard; `python -m tests.bench.methods --null` asks thousands of studies.
    """
    rng, plan = np.random.default_rng(4), _plan()
    fifths, size = (0.2, 0.4, 0.6, 0.8, 1.0), 60
    planned, naive, studies_ = 0, 0, 300
    for _ in range(studies_):
        whole = null_study(rng, size, 20)
        seen = [_entry(plan, whole, round(size * share), fifths[: at + 1]) for at, share in enumerate(fifths)]
        planned += any(entry["verdict"] == "crossed" for entry in seen)
        naive += any(entry["p"] < 0.05 for entry in seen)
    # 5 % and about 14 % are expected; four standard deviations of chance away.
    assert planned / studies_ <= 0.10
    assert naive / studies_ >= 0.08


def _plan() -> stopping.LookPlan:
    return stopping.LookPlan(("20%",), (read_look("20%"),), (("alpha", "beta"),), 0.05)


def _entry(plan: stopping.LookPlan, whole: Design, raters: int, fractions: tuple[float, ...]) -> dict[str, Any]:
    found = Usable(whole.where(whole.rater < raters), ("alpha", "beta"), 0)
    return dump(stopping.look(plan, found, fractions, HLS)[0])


def test_a_looks_p_is_that_of_the_published_interval(planned: World, now: datetime) -> None:
    fill(planned, 12, 1.0)
    found = usable(planned.study.pk, "label")
    entry = dump(stopping.look(_plan(), found, (0.2,), HLS)[0])
    between = difference(means(found.design), pair(3, 0, 1), low=0, high=1)
    assert (entry["difference"], entry["error"]) == (between.estimate.value, between.estimate.error)
    assert entry["p"] == pytest.approx(2 * t.sf(between.t, between.estimate.df))
    assert entry["limit"] == pytest.approx(4.8769, abs=0.0005)


@pytest.mark.parametrize(
    ("raters", "labels", "why"),
    [
        (9, ("human", "machine"), "Too few raters: 9, and at least 10 are needed."),
        (10, ("unclear", "unclear"), "Every answer is the same, so there is nothing to tell systems apart by."),
    ],
)
def test_a_look_with_too_little_to_say_names_its_cause_and_tests_nothing(
    planned: World, now: datetime, raters: int, labels: tuple[str, str], why: str
) -> None:
    fill(planned, raters, 0.5, labels)
    look = take(planned, now)
    assert look is not None
    [entry] = look.found
    assert (entry["verdict"], entry["p"]) == ("impossible", None)
    assert f"can’t be tested yet: {why}" in shown(planned)
