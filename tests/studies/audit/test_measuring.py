"""Clips are measured once, by a job that continues where it stopped, and again after their rendition changed."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from core import jobs
from core.jobs import DONE, FAILED, QUEUED
from studies.audit import measures, measuring
from studies.imports import changes
from studies.models import Clip, ClipAudit, Study, StudyAudit
from studies.tasks import audit_clips
from tests.studies.audit.material import ALIKE, DIFFERENT, add, clip_set, measured, study_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def study(tmp_path: Path, now: datetime) -> Study:
    return study_of(tmp_path / "clips", now, *clip_set(**ALIKE))


def test_an_import_queues_a_job_that_the_worker_finishes(study: Study) -> None:
    job = StudyAudit.objects.get()
    assert job.state == QUEUED
    audit_clips(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done, job.total) == (DONE, 15, 15)
    assert not measuring.missing(study).exists()
    clip = Clip.objects.get(file="human/t0.wav")
    assert set(clip.audit.measures) == set(measures.ClipMeasures.__slots__)
    assert clip.audit.measures["bandwidth"] == 8000
    assert clip.audit.measures["duration"] == pytest.approx(1.52)


def test_the_step_of_the_audit_is_done_once_the_clips_are_measured_as_they_are_now(study: Study, now: datetime) -> None:
    assert not measuring.is_done(study)
    audit_clips(StudyAudit.objects.get().pk)
    assert measuring.is_done(study)
    measuring.request(study, now)
    assert not measuring.is_done(study)
    StudyAudit.objects.filter(state=QUEUED).update(state=FAILED, error="The store is away.")
    assert not measuring.is_done(study)


def test_what_was_measured_is_not_measured_again(study: Study, now: datetime) -> None:
    measured(study, now)
    before = dict(ClipAudit.objects.values_list("pk", "measured_at"))
    measured(study, now + timedelta(hours=1))
    measuring.request(study, now)
    assert dict(ClipAudit.objects.values_list("pk", "measured_at")) == before
    assert StudyAudit.objects.filter(state=QUEUED).count() == 1


def test_a_job_that_was_killed_continues_where_it_stopped(
    study: Study, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    audit = measuring._audit

    def dies(clip: Clip, now: datetime) -> Any:
        if len(seen) == 4:
            raise SystemExit
        seen.append(clip.file)
        return audit(clip, now)

    monkeypatch.setattr(measuring, "COMMIT_SECONDS", 0.0)
    monkeypatch.setattr(measuring, "_audit", dies)
    job = StudyAudit.objects.get()
    with pytest.raises(SystemExit):
        measuring.run(pk=job.pk, now=lambda: now)
    assert ClipAudit.objects.count() == 4
    monkeypatch.setattr(measuring, "_audit", lambda clip, now: seen.append(clip.file) or audit(clip, now))
    later = now + 2 * jobs.LEASE
    assert (job.task_name, job.pk) in list(jobs.due(later))
    measuring.run(pk=job.pk, now=lambda: later)
    assert len(seen) == len(set(seen)) == 15
    assert ClipAudit.objects.count() == 15


def test_a_conversion_has_the_clips_measured_again(study: Study, now: datetime, tmp_path: Path) -> None:
    measured(study, now)
    rows, files = clip_set(gamma={"rate": 24_000})
    add(study, tmp_path / "more", now, rows, files)
    assert measuring.missing(study).count() == 20
    measured(study, now)
    assert not measuring.missing(study).exists()
    assert ClipAudit.objects.count() == 20


def test_a_clip_that_comes_back_is_measured(study: Study, now: datetime) -> None:
    clip = Clip.objects.get(file="alpha/t1.wav")
    changes.withdraw(clips=[clip.pk], now=now)
    measured(study, now)
    assert not ClipAudit.objects.filter(clip=clip).exists()
    StudyAudit.objects.all().delete()
    changes.restore(clips=[clip.pk], now=now)
    assert StudyAudit.objects.get().state == QUEUED
    assert list(measuring.missing(study)) == [clip]


def test_a_missing_file_is_a_problem_of_its_clip_until_it_is_back(study: Study, now: datetime, files: Path) -> None:
    path = files / Clip.objects.get(file="alpha/t1.wav").rendition
    path.rename(path.with_suffix(".away"))
    measured(study, now)
    assert list(ClipAudit.objects.exclude(problem="").values_list("clip__file", "problem")) == [
        ("alpha/t1.wav", "unreadable")
    ]
    path.with_suffix(".away").rename(path)
    measured(study, now)
    assert not ClipAudit.objects.exclude(problem="").exists()


def test_a_store_that_does_not_answer_fails_the_job_and_blames_no_clip(
    study: Study, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(*_arguments: Any) -> Any:
        raise OSError("down")

    monkeypatch.setattr(measuring.storage, "open_sound", down)
    job = measuring.run(pk=StudyAudit.objects.get().pk, now=lambda: now)
    assert job is not None
    assert job.state == FAILED
    assert not ClipAudit.objects.exists()


def test_the_source_is_described_as_it_was_uploaded(tmp_path: Path, now: datetime) -> None:
    rows, files = clip_set(**DIFFERENT)
    files["alpha/t0.wav"] = clip_set(alpha={"subtype": "PCM_24"})[1]["alpha/t0.wav"]
    study_of(tmp_path / "clips", now, rows, files)
    facts = ("sample_rate", "channels", "codec", "bit_depth", "clipped")
    assert Clip.objects.values_list(*facts).get(file="human/t0.wav") == (44_100, 2, "PCM", 16, 0.0)
    assert Clip.objects.values_list(*facts).get(file="alpha/t0.wav") == (16_000, 1, "PCM", 24, 0.0)
