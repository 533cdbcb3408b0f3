"""A study's pages about its judge: with one, without one, with one that is down; and what they let a researcher do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.core.management import CommandError, call_command
from django.test import Client, override_settings
from django.urls import reverse

from core.jobs import DONE, FAILED, QUEUED
from judge.client import configured, transport
from judge.prescreening.models import Hold
from judge.runs import run_jobs
from judge.runs.models import JudgeRun
from judge.schemas import TrainingRecord
from studies.models import Clip, Study
from tests.judge.fake_judge import FakeJudge, refusal
from tests.judge.prescreening.test_screening import by_system, scored
from tests.judge.world import clips, heard_study
from tests.researchers import logged_in, researcher, text, url


@pytest.fixture
def study(db: None, files: Path, now: datetime) -> Study:
    study = heard_study(now)
    study.owner = researcher("rita")
    study.save()
    return study


@pytest.fixture
def page(study: Study) -> Client:
    assert study.owner
    return logged_in(study.owner)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeJudge]:
    """Let a judge answer at the address of the settings."""
    judge, client = FakeJudge(), httpx.Client

    def routed(**options: Any) -> httpx.Client:
        return client(**{**options, "transport": httpx.MockTransport(judge)})

    monkeypatch.setattr(transport.httpx, "Client", routed)
    with override_settings(JUDGE_URL="http://judge"):
        yield judge


def address(study: Study, name: str = "judge", *args: Any) -> str:
    return reverse(f"judge:{name}", args=[study.slug, *args])


def ran(study: Study, fake: FakeJudge, now: datetime) -> JudgeRun:
    run = run_jobs.request_run(study_id=study.pk, profile="", user=study.owner, now=now)
    run_jobs.work(pk=run.pk, clock=lambda: now, judge=fake.client())
    run.refresh_from_db()
    return run


def test_without_a_judge_the_page_says_so_and_nothing_else_is_missing(page: Client, study: Study) -> None:
    shown = text(page.get(address(study)))
    assert "No judge is set up" in shown
    assert "Start run" not in shown
    sent = page.post(address(study), follow=True)
    assert "nothing can be started" in text(sent)
    assert not JudgeRun.objects.exists()
    assert page.get(address(study, "prescreening")).status_code == 200
    assert page.get(url("launch", study.slug)).status_code == 200


def test_a_judge_that_is_down_is_told_and_a_run_may_wait_for_it(page: Client, study: Study, fake: FakeJudge) -> None:
    fake.always = httpx.ConnectError("Connection refused")
    shown = text(page.get(address(study)))
    assert "doesn’t answer at the moment" in shown
    assert "Start run" in shown
    fake.always = httpx.Response(200, text="<html>")
    assert "is not set up correctly" in text(page.get(address(study)))


def test_the_page_tells_who_answers_and_what_it_was_trained_on(page: Client, study: Study, fake: FakeJudge) -> None:
    seen = [clip.sha256 for clip in clips(study)[:2]]
    training = TrainingRecord(clips=(*seen, "f" * 64), dimensions=("poetry",), held_out=("alpha/one",))
    fake.info = lambda info=fake.info: info().model_copy(update={"training": training})  # type: ignore[method-assign]
    shown = text(page.get(address(study)))
    assert "earshot-1" in shown
    assert fake.weights[:16] in shown
    assert "Human 1, Unclear 0.5, Machine 0" in shown
    assert "3 clips · poetry · held out: alpha/one" in shown
    assert "2 clips of this study were used to train this judge" in shown


def test_a_press_of_the_button_queues_a_run_and_shows_it(page: Client, study: Study, fake: FakeJudge) -> None:
    sent = page.post(address(study))
    run = JudgeRun.objects.get()
    assert sent.headers["Location"] == address(study, "run", run.pk)
    assert (run.state, run.created_by) == (QUEUED, study.owner)
    assert "Waiting to start" in text(page.get(address(study, "run", run.pk)))
    page.post(address(study, "cancel", run.pk))
    assert "This run was cancelled." in text(page.get(address(study, "run", run.pk)))
    assert "already ended" in text(page.post(address(study, "cancel", run.pk), follow=True))


def test_a_finished_run_lists_each_failure_with_its_reason_and_what_to_do(
    page: Client, study: Study, fake: FakeJudge, now: datetime
) -> None:
    silent = clips(study)[0]
    fake.faults[silent.sha256] = [refusal("silent")]
    Clip.objects.filter(study=study, system__name="alpha").update(language="en")
    run = ran(study, fake, now)
    shown = text(page.get(address(study, "run", run.pk)))
    assert "9 of 10 clips have a score." in shown
    assert silent.file in shown
    assert "It is silent." in shown
    assert "Withdraw the clip, or export it again." in shown
    assert "3 clips:" in shown
    assert "isn’t made for the clip’s language" in shown
    part = text(page.get(address(study, "run", run.pk), {"part": 1}))
    assert "<html" not in part
    assert "data-over" in part
    assert run.metric_set
    assert run.metric_set.name in text(page.get(address(study)))


def test_a_run_whose_judge_is_down_says_why_it_waits(
    page: Client, study: Study, fake: FakeJudge, now: datetime
) -> None:
    fake.always = httpx.ConnectError("Connection refused")
    run = ran(study, fake, now)
    shown = text(page.get(address(study, "run", run.pk)))
    assert "continues automatically" in shown
    assert "Connection refused" in shown
    assert "waits for the judge" in text(page.get(address(study)))


def test_a_label_mass_near_zero_is_said_in_large_letters(
    page: Client, study: Study, fake: FakeJudge, now: datetime
) -> None:
    fake.label_mass = 0.0004
    run = ran(study, fake, now)
    shown = text(page.get(address(study, "run", run.pk)))
    assert "This judge’s answers are mostly none of the labels." in shown
    assert "0.0004" in shown
    assert "For 10 clips the judge mostly" in text(page.get(address(study, "prescreening")))


def test_nobody_else_sees_or_starts_anything(page: Client, study: Study, fake: FakeJudge, now: datetime) -> None:
    run = ran(study, fake, now)
    other = logged_in(researcher("otto"))
    for name, args in (("judge", ()), ("run", (run.pk,)), ("prescreening", ())):
        assert other.get(address(study, name, *args)).status_code == 404
        assert Client().get(address(study, name, *args)).status_code == 302
    assert other.post(address(study)).status_code == 404
    assert other.post(address(study, "cancel", run.pk)).status_code == 404
    assert other.post(address(study, "hold"), {"metric": run.metric_set_id}).status_code == 404
    assert page.get(address(study, "run", run.pk + 1)).status_code == 404


def test_prescreening_works_from_any_metric_without_a_judge(page: Client, study: Study, now: datetime) -> None:
    assert "No machine has listened to these clips yet." in text(page.get(address(study, "prescreening")))
    scored(study, now, by_system(human=0.9, alpha=0.4, broken=0.7), name="dnsmos ovrl")
    shown = text(page.get(address(study, "prescreening")))
    assert "Uncalibrated" in shown
    assert "A flawed trap that sounds human to the machine" in shown
    flawed = Clip.objects.filter(study=study, role="trap_flawed")[0]
    assert reverse("admin:studies_clip_audio", args=[flawed.pk]) in shown
    assert page.get(reverse("admin:studies_clip_audio", args=[flawed.pk])).status_code == 200


def test_a_rule_is_shown_first_then_confirmed_and_can_be_undone(page: Client, study: Study, now: datetime) -> None:
    metric = scored(study, now, by_system(human=0.9, alpha=0.4, broken=0.1))
    where = address(study, "prescreening")
    rule = {"metric": metric.pk, "below": "0.5", "system": "alpha"}
    listed = text(page.get(where, {**rule, "preview": 1}))
    assert "3 clips match this rule" in listed
    assert not Hold.objects.exists()
    form = listed.split(reverse("judge:hold", args=[study.slug]))[1].split("</form>")[0]
    told = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
    assert float(told["below"]) == 0.5
    sent = page.post(address(study, "hold"), told, follow=True)
    assert "3 clips are held back." in text(sent)
    assert Clip.objects.filter(study=study, system__name="alpha", withdrawn_at=None).count() == 0
    assert "0.40" in text(sent)
    hold = Hold.objects.get()
    assert hold.made_by == study.owner
    back = page.post(address(study, "undo", hold.pk), follow=True)
    assert "3 clips are restored." in text(back)
    assert Clip.objects.filter(study=study).exclude(withdrawn_at=None).count() == 0


def test_a_list_that_nobody_was_shown_is_never_held_back(page: Client, study: Study, now: datetime) -> None:
    metric = scored(study, now, by_system(alpha=0.4))
    for told in ({"below": "0.5", "shown": "x" * 64}, {"below": "abc"}, {}):
        page.post(address(study, "hold"), {"metric": metric.pk, **told})
    assert not Hold.objects.exists()
    assert page.get(address(study, "prescreening"), {"metric": "x"}).status_code == 404
    assert page.post(address(study, "hold"), {"metric": metric.pk + 1}).status_code == 404


def test_the_pages_lie_on_the_way_of_a_study(page: Client, study: Study, now: datetime) -> None:
    launch = text(page.get(url("launch", study.slug)))
    assert address(study, "prescreening") in launch
    tabs = text(page.get(address(study)))
    assert f'href="{address(study, "prescreening")}"' in tabs
    assert f'href="{address(study)}" aria-current="page"' in tabs


def test_the_command_lets_the_judge_listen_and_lists_what_it_could_not_score(
    study: Study, fake: FakeJudge, capsys: pytest.CaptureFixture[str]
) -> None:
    fake.faults[clips(study)[0].sha256] = [refusal("too_long")]
    call_command("judge_study", study.slug)
    said = capsys.readouterr().out
    assert "It is too_long. (too_long)" in said
    assert "9 of 10 clips have a score (10 asked now): auto-att" in said
    assert JudgeRun.objects.get().state == DONE


def test_the_command_ends_with_a_sentence_when_there_is_no_judge_or_it_is_down(study: Study) -> None:
    with pytest.raises(CommandError, match="EARSHOT_JUDGE_URL"):
        call_command("judge_study", study.slug)
    with override_settings(JUDGE_URL="http://127.0.0.1:9"), pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            configured, "judge", lambda: configured.client("earshot", "http://127.0.0.1:9", patience=transport.BRIEF)
        )
        with pytest.raises(CommandError, match="can't be reached"):
            call_command("judge_study", study.slug, give_up=True)
        with pytest.raises(CommandError, match="no study"):
            call_command("judge_study", "nowhere")
    assert JudgeRun.objects.get().state != FAILED
