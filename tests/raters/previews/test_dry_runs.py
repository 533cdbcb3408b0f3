"""Simulated raters go through a draft, what they did is shown, and nothing else of it is left."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.urls import reverse

from core import clock
from raters.models import Batch, DryRun, Session
from raters.previews import dry_runs
from studies import task_types
from studies.launch.states import launch
from studies.members.models import Member
from studies.models import Clip, Study
from tests.raters.previews.test_way import counts, draft
from tests.researchers import logged_in, researcher, text
from tests.workers import work_at_once

pytestmark = pytest.mark.django_db
every_kind = pytest.mark.parametrize("kind", sorted(task_types.by_name()))


def ran(study: Study, raters: int = 10) -> DryRun:
    """Carry a dry run out, and return it."""
    row = dry_runs.request(study=study, raters=raters, now=clock.now())
    assert dry_runs.run(pk=row.pk, clock=clock.now)
    row.refresh_from_db()
    return row


@every_kind
def test_every_preset_can_be_run_dry_and_leaves_nothing_but_its_figures(kind: str, now: datetime) -> None:
    study, _browser = draft(kind, now)
    before = counts()
    row = ran(study)
    assert (row.state, row.error, row.done, row.total) == ("done", "", 10, 10)
    result = row.result
    assert result is not None
    assert result["raters"] == 10
    assert 0 < result["minutes"] <= result["longest_minutes"] < 30
    protocol = study.definition.protocol
    assert result["batches"] == 10
    assert result["traps"] == 10 * (protocol.flawed_traps + protocol.human_traps)
    assert 0 <= result["traps_passed"] <= result["traps"]
    assert sum(row["ratings"] for row in result["balance"]) > 0
    assert all(
        row["fewest"] * row["items"] <= row["ratings"] <= row["most"] * row["items"] for row in result["balance"]
    )
    assert counts() == {**before, "raters.DryRun": 1}


def test_who_answers_at_random_is_excluded_more_often_than_who_listens(now: datetime) -> None:
    study, _browser = draft("ternary", now)
    result = ran(study, 20).result
    assert result is not None
    assert result["careless"] == 4
    assert result["careless_excluded"] >= 2
    assert result["careful_excluded"] <= 4
    assert result["valid_batches"] == 20 - result["careless_excluded"] - result["careful_excluded"]


def test_a_dry_run_shows_that_systems_get_as_many_ratings_as_each_other(now: datetime) -> None:
    study, _browser = draft("hfr", now)
    result = ran(study, 12).result
    assert result is not None
    ratings = [row["ratings"] for row in result["balance"]]
    assert {row["system"] for row in result["balance"]} >= {"alpha", "beta"}
    assert max(ratings) - min(ratings) <= 3


def test_a_dry_run_that_breaks_says_so_and_leaves_no_copy(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    study, _browser = draft("ternary", now)
    before = counts()

    def breaks(**_arguments: Any) -> None:
        assert Study.with_previews.filter(preview_of=study).exists()
        raise RuntimeError

    monkeypatch.setattr(dry_runs, "simulate", breaks)
    row = ran(study)
    assert row.state == "failed"
    assert "RuntimeError" in row.error
    assert counts() == {**before, "raters.DryRun": 1}


def test_a_try_that_was_killed_leaves_no_copy_behind_the_next(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    study, _browser = draft("ternary", now)
    row = dry_runs.request(study=study, raters=3, now=clock.now())

    class Killed(BaseException):
        pass

    def killed(**_arguments: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(dry_runs, "simulate", killed)
        with pytest.raises(Killed):
            dry_runs.run(pk=row.pk, clock=clock.now)
    assert Study.with_previews.filter(preview_of=study).count() == 1
    later: Callable[[], datetime] = lambda: clock.now() + timedelta(hours=1)  # noqa: E731
    assert dry_runs.run(pk=row.pk, clock=later)
    row.refresh_from_db()
    assert row.state == "done"
    assert not Study.with_previews.filter(preview_of=study).exists()
    assert not Session.objects.exists()


def test_a_worker_that_was_too_slow_leaves_the_copy_of_the_next_one_alone(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, _browser = draft("ternary", now)
    row = dry_runs.request(study=study, raters=3, now=clock.now())

    def taken_over(**_arguments: Any) -> None:
        DryRun.objects.update(tries=2)
        raise RuntimeError

    monkeypatch.setattr(dry_runs, "simulate", taken_over)
    assert not dry_runs.run(pk=row.pk, clock=clock.now)
    assert Study.with_previews.filter(pk=DryRun.objects.get().copy).exists()


def test_a_dry_run_is_started_watched_and_read_on_its_page(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    study, browser = draft("ternary", now)
    page = reverse("previews:dry_run", args=[study.slug])
    progress = reverse("previews:dry_run_progress", args=[study.slug])
    assert page in text(browser.get(reverse("studies:launch", args=[study.slug])))
    assert "Raters to simulate" in text(browser.get(page))
    assert browser.get(progress).json()["over"] is True
    monkeypatch.setattr("core.nudge._send", lambda name, pk: None)
    assert browser.post(page, {"raters": "5"})["Location"] == page
    assert "Raters are being simulated" in text(browser.get(page))
    assert browser.get(progress).json() == {"percent": 0, "done": 0, "total": 5, "over": False}
    again = browser.post(page, {"raters": "5"})
    assert again.status_code == 409
    assert "A dry run of this study is under way." in text(again)
    work_at_once(DryRun.task_name, DryRun.objects.get().pk)
    assert browser.get(progress).json() == {"percent": 100, "done": 5, "total": 5, "over": True}
    shown = text(browser.get(page))
    assert "5 simulated raters" in shown
    assert "Usable ratings by system" in shown
    assert not Batch.objects.exists()


@pytest.mark.parametrize("raters", ["0", "201", "", "many", "-3"])
def test_an_impossible_number_of_raters_is_refused_at_its_field(now: datetime, raters: str) -> None:
    study, browser = draft("ternary", now)
    refused = browser.post(reverse("previews:dry_run", args=[study.slug]), {"raters": raters})
    assert refused.status_code == 422
    assert "Simulate 1 to 200 raters." in text(refused)
    assert not DryRun.objects.exists()


def test_a_draft_without_clips_is_not_run_dry(now: datetime) -> None:
    study, browser = draft("ternary", now)
    Clip.objects.filter(study=study).delete()
    refused = browser.post(reverse("previews:dry_run", args=[study.slug]), {"raters": "5"})
    assert refused.status_code == 409
    assert "There are no test clips yet" in text(refused)
    assert not DryRun.objects.exists()


def test_a_dry_run_is_shown_to_nobody_but_the_study_s_people(now: datetime) -> None:
    study, _browser = draft("ternary", now)
    other = logged_in(researcher("otto"))
    for name in ("previews:dry_run", "previews:dry_run_progress"):
        assert other.get(reverse(name, args=[study.slug])).status_code == 404
    assert other.post(reverse("previews:dry_run", args=[study.slug]), {"raters": "5"}).status_code == 404


def results_page(study: Study) -> str:
    return reverse("analysis:dry_run_results", args=[study.slug])


@every_kind
def test_the_results_page_is_shown_as_it_will_look_and_marked_in_every_heading(kind: str, now: datetime) -> None:
    study, browser = draft(kind, now)
    assert browser.get(results_page(study)).status_code == 404
    ran(study)
    assert results_page(study) in text(browser.get(reverse("previews:dry_run", args=[study.slug])))
    page = text(browser.get(results_page(study)))
    assert "Simulated raters: these scores say nothing about your clips." in page
    blocks = page.partition('class="dry-run"')[2]
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>", blocks, re.DOTALL)
    assert len(headings) >= 5
    assert all("Simulated raters" in heading for heading in headings)
    assert 'id="scores-title"' in blocks
    assert "alpha" in blocks


def test_scores_of_a_dry_run_are_on_no_other_page_and_in_no_endpoint(now: datetime) -> None:
    study, browser = draft("ternary", now)
    row = ran(study, 12)
    assert row.figures is not None
    [alpha] = [each for each in row.figures["scores"]["system"] if each["name"] == "alpha"]
    assert alpha["ratings"] > 0
    for address in (
        reverse("workspace:home"),
        reverse("workspace:overview", args=[study.slug]),
        reverse("workspace:live", args=[study.slug]),
        reverse("analysis:study", args=[study.slug]),
        reverse("analysis:figures", args=[study.slug]),
        f"/api/v1/studies/{study.slug}",
        f"/api/v1/studies/{study.slug}/results",
    ):
        page = browser.get(address)
        assert page.status_code == 200
        assert "whisker" not in text(page)
        assert '"scores":' not in text(page)
    assert browser.get(f"/api/v1/studies/{study.slug}/results").json()["figures"] == {}


def test_a_score_blinded_editor_sees_simulated_scores_which_say_nothing(now: datetime) -> None:
    study, _browser = draft("ternary", now, results__hide_scores=True)
    editor = researcher("bela")
    Member.objects.create(study=study, user=editor, role="blinded", added_at=now)
    launch(study=study, now=now)
    ran(study)
    assert logged_in(editor).get(results_page(study)).status_code == 200
    assert logged_in(researcher("otto")).get(results_page(study)).status_code == 404


def test_a_dry_run_is_deleted_by_who_may_change_the_study(now: datetime) -> None:
    study, browser = draft("ternary", now)
    viewer = researcher("vera")
    Member.objects.create(study=study, user=viewer, role="viewer", added_at=now)
    ran(study)
    address = reverse("previews:dry_run_delete", args=[study.slug])
    assert logged_in(viewer).post(address).status_code == 403
    assert DryRun.objects.exists()
    assert "The dry run was deleted." in text(browser.post(address, follow=True))
    assert not DryRun.objects.exists()
    assert browser.get(results_page(study)).status_code == 404


def test_a_dry_run_under_way_is_not_deleted(now: datetime) -> None:
    study, browser = draft("ternary", now)
    dry_runs.request(study=study, raters=3, now=clock.now())
    page = browser.post(reverse("previews:dry_run_delete", args=[study.slug]), follow=True)
    assert "A dry run of this study is under way." in text(page)
    assert DryRun.objects.exists()


def test_the_next_dry_run_takes_the_figures_of_the_last_one(now: datetime) -> None:
    study, browser = draft("ternary", now)
    ran(study)
    dry_runs.request(study=study, raters=3, now=clock.now())
    assert browser.get(results_page(study)).status_code == 404
    assert DryRun.objects.get().figures is None


def test_a_dry_run_vanishes_at_the_launch_and_after_a_week(now: datetime) -> None:
    study, browser = draft("ternary", now)
    ran(study)
    dry_runs.delete_outdated(now=clock.now() + timedelta(days=6))
    assert browser.get(results_page(study)).status_code == 200
    assert dry_runs.newest(study.pk, clock.now() + timedelta(days=8)) is None
    launch(study=study, now=clock.now())
    assert browser.get(results_page(study)).status_code == 404
    assert "10 simulated raters" not in text(browser.get(reverse("previews:dry_run", args=[study.slug])))
    dry_runs.delete_outdated(now=clock.now())
    assert not DryRun.objects.exists()
    ran(study)
    assert browser.get(results_page(study)).status_code == 200
    dry_runs.delete_outdated(now=clock.now() + timedelta(days=8))
    assert not DryRun.objects.exists()
