"""The page of machines against people, over HTTP: what it shows, takes, refuses and gives."""

from __future__ import annotations

import csv
import io
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from analysis.comparisons import comparing
from analysis.metrics import dnsmos, sets
from analysis.metrics.models import Comparison, DnsmosRun, MetricSet
from core import clock, jobs
from raters.models import ReviewItem
from studies.models import Study
from tests.analysis.comparisons.rated import GOOD, Heard
from tests.analysis.world import World
from tests.researchers import logged_in, researcher, text


@pytest.fixture
def study(db: None, files: Path, now: datetime, monkeypatch: pytest.MonkeyPatch) -> Heard:
    monkeypatch.setattr("core.nudge._send", lambda task, pk: None)
    return Heard(now, people=1)


@pytest.fixture
def rita(db: None) -> User:
    return researcher("rita")


def page(study: World, rita: User) -> Client:
    Study.objects.filter(pk=study.study.pk).update(owner=rita)
    return logged_in(rita)


def url(study: World, name: str = "machines", *args: Any) -> str:
    return reverse(f"analysis:{name}", args=[study.study.slug, *args])


def work() -> None:
    """Compute what waits, as a worker would."""
    for row in Comparison.objects.filter(state=jobs.QUEUED):
        assert comparing.compare(pk=row.pk, clock=clock.now)


def rows(response: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(response.getvalue().decode())))


def sent(study: World, rita: User, content: str, **fields: Any) -> Any:
    file = SimpleUploadedFile("m.csv", content.encode())
    return page(study, rita).post(url(study, "machines_import"), {"direction": "higher", **fields, "file": file})


def test_a_study_without_metrics_or_ratings_offers_both_ways_to_them(
    world: World, rita: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = text(page(world, rita).get(url(world)))
    assert "None yet. Score the clips by DNSMOS, or import a file." in shown
    assert "Score all clips" in shown
    assert "clip,metric,value" in shown
    assert 'id="against"' not in shown
    monkeypatch.setattr(dnsmos, "PACKAGES", ("earshot_has_no_such_package",))
    assert "./run --with-dnsmos" in text(page(world, rita).get(url(world)))


def test_figures_are_computed_by_a_worker_and_then_shown(study: Heard, rita: User) -> None:
    judge = study.machine("judge", GOOD, low=0, high=1)
    client = page(study, rita)
    assert "The figures are being computed" in text(client.get(url(study)))
    part = url(study, "machines_against")
    assert "data-over" not in text(client.get(part))
    work()
    shown = text(client.get(part))
    assert "data-over" in shown
    assert "<td>0.0000</td>" in shown, "Kendall's distance"
    assert "<td>0.0167 " in shown, "and its p"
    assert "F1 of always saying human" in shown
    assert "5 systems allow no higher one" in shown
    assert "seen in training" not in shown
    assert "judge" in text(client.get(url(study), {"first": judge.pk, "second": judge.pk}))
    assert Comparison.objects.count() == 1, "a machine is not held against itself"


def test_two_machines_stand_side_by_side(study: Heard, rita: User) -> None:
    old = study.machine("judge", GOOD)
    training = {"training": {"dimensions": ["poetry"], "clips": [study.clips("s1")[0].sha256]}}
    new = study.machine("judge", {name: worth + 0.1 for name, worth in GOOD.items()}, provenance=training)
    client, query = page(study, rita), {"first": new.pk, "second": old.pk}
    client.get(url(study), query)
    work()
    shown = text(client.get(url(study), query))
    assert "seen in training" in shown
    assert "was trained on 1 of these clips" in shown
    assert f"From {old.pk} to {new.pk}, two versions of one name, values changed by 0.1000" in shown
    figures = rows(client.get(url(study, "machines_figures"), query))
    assert {row["set"] for row in figures} == {str(old.pk), str(new.pk)}
    found = {(row["set"], row["section"], row["group"], row["figure"]): row["value"] for row in figures}
    assert found[str(old.pk), "kendall", "", "distance"] == "0"
    assert found[str(old.pk), "traps", "", "auc"] == "1"
    assert found[str(old.pk), "calibration", "", "level"] == "0.833333"
    clips = rows(client.get(url(study, "machines_clips"), query))
    assert len(clips) == 24 + 23
    assert clips[0].keys() >= {"clip", "system", "machine", "people", "ratings", "difference"}


def test_newer_figures_are_asked_for_when_they_are_old(study: Heard, rita: User) -> None:
    study.machine("judge", GOOD)
    client = page(study, rita)
    client.get(url(study))
    work()
    client.get(url(study))
    assert Comparison.objects.get().state == jobs.DONE
    Comparison.objects.update(ended_at=study.now)
    shown = text(client.get(url(study)))
    assert Comparison.objects.get().state == jobs.QUEUED
    assert "Newer figures are on their way" in shown


def test_a_metric_described_anew_is_computed_anew(study: Heard, rita: User) -> None:
    wer = study.machine("WER", GOOD)
    client = page(study, rita)
    client.get(url(study))
    work()
    address = url(study, "metric", wer.pk)
    assert "both ends" in text(client.post(address, {"name": "WER", "direction": "lower", "low": "1"}))
    response = client.post(address, {"name": "Words", "direction": "lower", "low": "0", "high": "1"})
    assert response.status_code == 302
    wer.refresh_from_db()
    assert (wer.name, wer.direction, wer.high) == ("Words", "lower", 1)
    assert not Comparison.objects.exists()


def test_a_metric_is_removed_after_a_second_question(study: Heard, rita: User) -> None:
    wer = study.machine("WER", GOOD)
    client, address = page(study, rita), url(study, "metric_remove", wer.pk)
    assert "36 values will be deleted" in text(client.get(address))
    assert MetricSet.objects.exists()
    assert "WER is removed." in text(client.post(address, follow=True))
    assert not MetricSet.objects.exists()
    assert client.get(url(study), {"first": wer.pk}).status_code == 404


def test_a_metric_tells_where_it_comes_from_and_which_clips_it_lacks(study: Heard, rita: User) -> None:
    provenance = {"weights_sha256": "abc", "versions": {"torch": "2.13"}, "training": {"clips": ["0" * 64] * 40}}
    made = sets.create_set(study_id=study.study.pk, name="judge", provenance=provenance, now=study.now)
    clip = study.clips("s1")[0]
    sets.put(set_id=made.pk, values=[sets.Given(clip.pk, None, "The clip is <too> short.")])
    shown = text(page(study, rita).get(url(study, "metric", made.pk)))
    assert "abc" in shown
    assert "versions: torch" in shown
    assert "40 entries" in shown
    assert "The clip is &lt;too&gt; short." in shown
    assert "0 clips of the study have a value, 1 were tried in vain, 35 are not in it." in shown


def test_a_file_is_imported_by_the_page(study: Heard, rita: User) -> None:
    one = study.clips("s1")[0].file
    response = sent(study, rita, f"clip,metric,value\n{one},mos,4.5", name="UTMOS", low="1", high="5", source="v2")
    assert response.status_code == 302
    made = MetricSet.objects.get()
    assert (made.name, made.low, made.source, made.created_by) == ("UTMOS", 1, "v2", rita)
    assert made.provenance["file"] == "m.csv"


def test_a_bad_file_is_answered_with_its_rows(study: Heard, rita: User) -> None:
    response = sent(study, rita, "clip,metric,value\n<b>.wav,mos,4.5\n" + "x.wav,mos,1\n" * 60)
    shown = text(response)
    assert response.status_code == 422
    assert "No clip of this study is called “&lt;b&gt;.wav”." in shown
    assert "… and 11 more." in shown
    assert not MetricSet.objects.exists()
    assert sent(study, rita, "clip,metric,value\n", low="5", high="1").status_code == 422
    empty = page(study, rita).post(url(study, "machines_import"), {"direction": "higher"})
    assert "This field is required." in text(empty)


def test_dnsmos_is_started_once_and_shows_how_far_it_is(study: Heard, rita: User) -> None:
    client = page(study, rita)
    for _ in range(2):
        assert client.post(url(study, "machines_dnsmos")).status_code == 302
    job = DnsmosRun.objects.get()
    assert job.created_by == rita
    progress = url(study, "machines_dnsmos_progress")
    assert "Waiting to start" in text(client.get(progress))
    DnsmosRun.objects.update(state=jobs.RUNNING, done=3, total=12)
    assert "clip 3 of 12" in text(client.get(progress))
    DnsmosRun.objects.update(state=jobs.FAILED, error="No room.")
    assert "No room." in text(client.get(progress))
    assert "Continue with it" in text(client.get(progress))


def test_clips_are_sent_to_the_experts(study: Heard, rita: User) -> None:
    judge = study.machine("judge", GOOD)
    clip = study.clips("s1")[0]
    client = page(study, rita)
    sent = {"clip": [clip.pk, "x", 10**9], "back": f"first={judge.pk}"}
    response = client.post(url(study, "machines_second_look"), sent, follow=True)
    assert "1 answers about 1 clips" in text(response)
    assert ReviewItem.objects.filter(flagged=True, draw__lt=0).count() == 1


def test_figures_that_can_not_be_computed_say_so(study: Heard, rita: User, monkeypatch: pytest.MonkeyPatch) -> None:
    study.machine("judge", GOOD)
    client = page(study, rita)
    client.get(url(study))
    monkeypatch.setattr("analysis.comparisons.figures.compute", lambda **_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        work()
    assert "The figures could not be computed." in text(client.get(url(study)))


def test_hidden_scores_stay_hidden_here_too(db: None, files: Path, now: datetime, rita: User) -> None:
    study = Heard(now, {"systems": ("human", "s1"), "texts": 1, "results__hide_scores": True}, people=1)
    study.machine("judge", GOOD)
    client = page(study, rita)
    assert 'id="against"' not in text(client.get(url(study)))
    assert "data-over" not in text(client.get(url(study, "machines_against")))
    for name in ("machines_figures", "machines_clips"):
        assert client.get(url(study, name)).status_code == 403
    assert client.post(url(study, "machines_second_look")).status_code == 403
    assert not Comparison.objects.exists()


def test_only_those_who_may_see_the_study_see_any_of_it(study: Heard, rita: User) -> None:
    made = study.machine("judge", GOOD)
    stranger = logged_in(researcher("otto"))
    page(study, rita)
    for name in ("machines", "machines_against", "machines_figures", "machines_clips", "machines_dnsmos_progress"):
        assert stranger.get(url(study, name)).status_code == 404
        assert Client().get(url(study, name)).status_code == 302
    for name in ("machines_dnsmos", "machines_import", "machines_second_look"):
        assert stranger.post(url(study, name)).status_code == 404
    for name in ("metric", "metric_remove"):
        assert stranger.post(url(study, name, made.pk)).status_code == 404
    assert MetricSet.objects.exists()


@pytest.mark.parametrize("first", ["x", "999999", "9" * 30, "-1"])
def test_a_metric_that_is_not_there_is_not_found(study: Heard, rita: User, first: str) -> None:
    study.machine("judge", GOOD)
    assert page(study, rita).get(url(study), {"first": first}).status_code == 404


def test_voices_and_takes_are_named_with_the_clips_that_differ_most_where_clips_have_them(
    study: Heard, rita: User
) -> None:
    study.machine("judge", GOOD, low=0, high=1)
    client, part = page(study, rita), url(study, "machines_against")
    client.get(url(study))
    work()
    study.study.clips.update(voice="", take="")
    plain = text(client.get(part))
    assert ">Ada</td>" not in plain
    assert ">Take</th>" not in plain
    study.study.clips.update(voice="Ada", take="2")
    shown = text(client.get(part))
    assert ">Ada</td>" in shown
    assert ">Take</th>" in shown
    assert ">2</td>" in shown
