"""DNSMOS: the real model on some seconds of sound, the job around it, and what can't be scored."""

from __future__ import annotations

import io
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from analysis.metrics import dnsmos, sets
from analysis.metrics import queries as metrics_queries
from analysis.metrics.models import ClipMetric, DnsmosRun, MetricSet
from core import jobs
from core.errors import Conflict
from core.files import storage
from studies.models import Clip, Study
from tests.analysis.sounds import WINDOW, tone, wav
from tests.world import make_study


@pytest.fixture
def study(db: None, files: Path, now: datetime) -> Study:
    """Return a study of four clips: two to score, one silent, one whose file is gone."""
    study = make_study(now=now, systems=("alpha",), texts=2, flawed=1, humans=1)
    sound = storage.put("renditions", wav(tone(WINDOW)).read())
    clips = list(Clip.objects.filter(study=study).order_by("pk"))
    for clip, name in zip(clips, [sound, sound, clips[2].rendition, "renditions/gone"], strict=True):
        Clip.objects.filter(pk=clip.pk).update(rendition=name)
    return study


class Ticking:
    """A clock that moves whenever it is looked at."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def test_a_tone_is_no_good_speech(scores: dict[str, float]) -> None:
    assert list(scores) == ["ovrl", "sig", "bak", "p808"]
    assert scores == pytest.approx({"ovrl": 0.961, "sig": 1.236, "bak": 0.989, "p808": 2.262}, abs=0.02)


def test_two_channels_and_another_rate_are_brought_to_what_the_model_hears() -> None:
    stereo = np.stack([tone(rate=48_000), np.zeros(48_000)], axis=1)
    sound = dnsmos.model_input(wav(stereo, 48_000))
    assert sound.shape == (16_000,)
    assert sound.dtype == np.float32
    inner = slice(1000, 15_000)
    assert sound[inner] == pytest.approx(tone()[inner] / 2, abs=0.003)


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (wav(np.zeros(0)), "shorter than"),
        (wav(tone(0.05)), "shorter than"),
        (wav(np.zeros(16_000)), "silent"),
        (wav(np.ones(601 * 1000) / 2, 1000), "longer than"),
        (io.BytesIO(b"<html>"), "can't be read"),
    ],
)
def test_what_would_hang_the_model_or_mean_nothing_is_refused_before_it(file: io.BytesIO, reason: str) -> None:
    with pytest.raises(dnsmos.Unscored, match=reason):
        dnsmos.model_input(file)


def test_a_run_scores_every_clip_and_keeps_failures_with_their_reasons(
    study: Study, now: datetime, scores: dict[str, float]
) -> None:
    job = dnsmos.request_run(study_id=study.pk, by=None, now=now)
    assert dnsmos.request_run(study_id=study.pk, by=None, now=now) == job
    assert metrics_queries.sets(study.pk) == []
    assert dnsmos.run(pk=job.pk, clock=Ticking(now))

    job.refresh_from_db()
    assert (job.state, job.done, job.total) == (jobs.DONE, 4, 4)
    made = {each.name: each for each in metrics_queries.sets(study.pk)}
    assert set(made) == {"DNSMOS OVRL", "DNSMOS SIG", "DNSMOS BAK", "DNSMOS P.808"}
    overall = made["DNSMOS OVRL"]
    assert list(metrics_queries.values(overall.pk).values()) == pytest.approx([scores["ovrl"]] * 2, abs=0.01)
    assert sorted(metrics_queries.failures(overall.pk).values()) == [
        "Its file is not in the store.",
        "The clip is silent.",
    ]
    assert (overall.source, overall.low, overall.high, overall.direction) == ("dnsmos", 1, 5, "higher")
    assert overall.provenance["speechmos"]
    assert not dnsmos.run(pk=job.pk, clock=Ticking(now))


def test_a_killed_run_goes_on_with_the_clips_that_have_no_value(
    study: Study, now: datetime, scores: dict[str, float]
) -> None:
    job = dnsmos.request_run(study_id=study.pk, by=None, now=now)
    # What a worker leaves behind that was killed after the first clip.
    assert jobs.claim(DnsmosRun, job.pk, now) is not None
    made = {
        part: sets.create_set(study_id=study.pk, name=name, now=now, active=False).pk
        for part, name in dnsmos.PARTS.items()
    }
    first = Clip.objects.filter(study=study).order_by("pk").first()
    assert first is not None
    for pk in made.values():
        sets.put(set_id=pk, values=[sets.Given(first.pk, -1.0)])
    DnsmosRun.objects.filter(pk=job.pk).update(sets=made)

    assert not dnsmos.run(pk=job.pk, clock=Ticking(now)), "its lease has not run out"
    assert dnsmos.run(pk=job.pk, clock=Ticking(now + jobs.LEASE))
    assert MetricSet.objects.count() == 4
    assert metrics_queries.values(made["sig"])[first.pk] == -1.0, "it was not scored again"
    assert ClipMetric.objects.filter(metric_set=made["sig"]).count() == 4


def test_a_run_whose_metrics_are_removed_meanwhile_ends_and_says_so(study: Study, now: datetime) -> None:
    job = dnsmos.request_run(study_id=study.pk, by=None, now=now)
    clock = Ticking(now)

    def removing() -> datetime:
        if MetricSet.objects.count() == 4:
            for each in MetricSet.objects.all():
                sets.remove(metric_set=each)
        return clock()

    dnsmos.run(pk=job.pk, clock=removing)
    job.refresh_from_db()
    assert (job.state, job.error) == (jobs.FAILED, "Its metrics were removed while it ran.")
    again = dnsmos.request_run(study_id=study.pk, by=None, now=now)
    assert (again.pk, again.state, again.error) == (job.pk, jobs.QUEUED, "")


def test_where_it_is_not_installed_everybody_is_told_the_command(
    study: Study, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = dnsmos.request_run(study_id=study.pk, by=None, now=now)
    monkeypatch.setattr(dnsmos, "PACKAGES", ("earshot_has_no_such_package",))
    assert not dnsmos.is_installed()
    with pytest.raises(Conflict, match=r"\./run --with-dnsmos"):
        dnsmos.request_run(study_id=study.pk, by=None, now=now)
    with pytest.raises(CommandError, match=r"\./run --with-dnsmos"):
        call_command("score_dnsmos", study.slug)
    assert dnsmos.run(pk=job.pk, clock=Ticking(now))
    job.refresh_from_db()
    assert (job.state, "--with-dnsmos" in job.error) == (jobs.FAILED, True)


def test_the_command_scores_and_lists_what_failed(
    study: Study, scores: dict[str, float], capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("score_dnsmos", study.slug)
    said = capsys.readouterr().out
    assert "DNSMOS P.808: 2 values, 2 failed." in said
    assert "The clip is silent." in said
