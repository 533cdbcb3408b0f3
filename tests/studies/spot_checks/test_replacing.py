"""Another recording in the place of a clip that failed: as all clips come in, and checked as all clips are."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from core.errors import Conflict, Invalid
from studies.imports import replacing
from studies.imports.requests import run_import
from studies.models import Clip, ClipImport, SpotDecision, SpotItem, Study
from studies.spot_checks import checking as spot_checking
from studies.spot_checks import overview
from tests import audio
from tests.raters.experts.people import expert
from tests.researchers import logged_in, researcher, text
from tests.studies.imports.conftest import quick  # noqa: F401
from tests.studies.spot_checks.checking import decide_all, draft, with_takes
from tests.workers import work_at_once

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files", "quick")]
SOUND = audio.wav(0.6, seed=5)


@pytest.fixture
def study(now: datetime) -> Study:
    study = with_takes(draft(now, texts=4, spot_check__share=1.0, spot_check__experts=1, audio__sample_rate=16000))
    described = {"benchmark": "B", "box": "black", "domain": "human", "prompt_file": "p.wav", "seen": "yes"}
    Clip.objects.filter(study=study).update(language="en", **described)
    study.owner = researcher("rita")
    study.save()
    return study


@pytest.fixture
def failed(study: Study, now: datetime) -> Clip:
    """Return the one clip that an expert has found wanting."""
    spot_checking.fill(study=study)
    bad = SpotItem.objects.filter(kind="success", clips__clip__take="").order_by("pk").first()
    assert bad is not None
    decide_all(study, expert("eva", study), now, lambda item: "incomplete" if item == bad else "")
    return Clip.objects.get(spot_clips__item=bad)


def send(name: str = "new take.WAV", content: bytes = SOUND) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def replaced(study: Study, clip: Clip, now: datetime, upload: SimpleUploadedFile | None = None) -> ClipImport:
    """Replace a clip, and let a worker take the new one in."""
    job = replacing.replace(study=study, clip_id=clip.pk, upload=upload or send(), user=None, now=now)
    run_import(pk=job.pk, now=lambda: now)
    job.refresh_from_db()
    return job


def test_the_new_file_takes_the_place_and_is_checked_again(study: Study, failed: Clip, now: datetime) -> None:
    assert replaced(study, failed, now).report == []
    new = Clip.objects.latest("pk")
    stem = failed.file.removesuffix(".wav")
    assert new.file == f"{stem}-2.wav"
    described = ("language", "box", "benchmark", "condition", "domain", "take", "prompt_file", "seen")
    same = ("system", "text", "voice", "role", "dimension", *described)
    assert [getattr(new, name) for name in same] == [getattr(failed, name) for name in same]
    # Decoded, measured and made alike as every clip is.
    assert (new.duration, new.sample_rate, new.rendition_bytes) == (0.6, 16000, 44 + 2 * 9600)
    assert new.loudness is not None
    assert new.gain == pytest.approx(-23 - new.loudness, abs=0.2)
    failed.refresh_from_db()
    assert (failed.withdrawn_at, new.withdrawn_at) == (now, None)
    # What was decided stays with the old file.
    [decision] = SpotDecision.objects.filter(code="incomplete")
    assert decision.item.clips.get().clip == failed
    assert spot_checking.fill(study=study) == 1
    item = SpotItem.objects.get(clips__clip=new)
    assert (item.is_replacement, item.state) == (True, "open")
    assert [rate.drawn for rate in overview.rates(study.pk, "success") if rate.failed] == [5]
    assert decide_all(study, expert("otto", study), now) == 1


def test_a_replacement_that_fails_is_replaced_once_more(study: Study, failed: Clip, now: datetime) -> None:
    replaced(study, failed, now)
    spot_checking.fill(study=study)
    decide_all(study, expert("otto", study), now, lambda item: "incomplete")
    second = Clip.objects.latest("pk")
    replaced(study, second, now, send("x.flac", audio.flac(0.7, seed=9)))
    assert Clip.objects.latest("pk").file == f"{second.file.removesuffix('.wav')}-2.flac"
    assert study.clips.filter(withdrawn_at=None, text=failed.text, system=failed.system, take="").count() == 1


def test_a_name_that_is_taken_is_not_used(study: Study, failed: Clip, now: datetime) -> None:
    stem = failed.file.removesuffix(".wav")
    Clip.objects.filter(study=study, role="trap_flawed", file="flawed/0.wav").update(file=f"{stem}-2.WAV")
    replaced(study, failed, now)
    assert Clip.objects.latest("pk").file == f"{stem}-3.wav"


def test_the_old_clip_stays_if_the_new_file_is_unreadable(study: Study, failed: Clip, now: datetime) -> None:
    job = replaced(study, failed, now, send("x.wav", b"no sound at all"))
    assert (job.clips_added, [line["column"] for line in job.report]) == (0, ["file"])
    failed.refresh_from_db()
    assert failed.withdrawn_at is None
    # The clip can be replaced by the next recording.
    assert replaced(study, failed, now).report == []
    failed.refresh_from_db()
    assert failed.withdrawn_at == now


def test_until_the_new_file_is_checked_the_old_clip_stays_and_is_replaced_once(
    study: Study, failed: Clip, now: datetime
) -> None:
    job = replacing.replace(study=study, clip_id=failed.pk, upload=send(), user=None, now=now)
    failed.refresh_from_db()
    assert failed.withdrawn_at is None
    with pytest.raises(Conflict) as refused:
        replacing.replace(study=study, clip_id=failed.pk, upload=send(), user=None, now=now)
    assert refused.value.code == "replacing"
    # Launched meanwhile: raters hear the old clip.
    Study.objects.filter(pk=study.pk).update(state=Study.State.LIVE)
    run_import(pk=job.pk, now=lambda: now)
    job.refresh_from_db()
    failed.refresh_from_db()
    assert (job.clips_added, failed.withdrawn_at) == (0, None)
    assert "launched" in job.report[0]["reason"]


@pytest.mark.parametrize("content", [b"", b"x" * 11])
def test_an_empty_or_enormous_file_changes_nothing(
    study: Study, failed: Clip, now: datetime, content: bytes, monkeypatch: pytest.MonkeyPatch, files: Path
) -> None:
    monkeypatch.setattr(replacing, "LARGEST", 10)
    with pytest.raises(Invalid):
        replacing.replace(study=study, clip_id=failed.pk, upload=send(content=content), user=None, now=now)
    failed.refresh_from_db()
    assert failed.withdrawn_at is None
    assert not ClipImport.objects.exists()
    assert not list((files / "uploads").rglob("*.*"))


def test_after_the_launch_and_for_strangers_clips_nothing_is_replaced(
    study: Study, failed: Clip, now: datetime
) -> None:
    other = Clip.objects.filter(study=draft(now, texts=1))[0]
    with pytest.raises(Conflict):
        replacing.replace(study=study, clip_id=other.pk, upload=send(), user=None, now=now)
    study.state = Study.State.LIVE
    with pytest.raises(Conflict) as refused:
        replacing.replace(study=study, clip_id=failed.pk, upload=send(), user=None, now=now)
    assert refused.value.code == "launched"


def test_the_researcher_replaces_on_the_page_of_results(
    study: Study, failed: Clip, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.nudge._send", work_at_once)
    assert study.owner
    rita, address = logged_in(study.owner), reverse("experts:spot_check_overview", args=[study.slug])
    assert f"Replace {failed.file}" in text(rita.get(address))
    empty = text(rita.post(address, {"replace": failed.pk}, follow=True))
    assert "Choose a recording first" in empty
    done = rita.post(address, {"replace": failed.pk, "replacement": send()})
    job = ClipImport.objects.get()
    assert done["Location"] == reverse("studies:import", args=[study.slug, job.pk])
    assert "otherwise that clip stays" in text(rita.get(done["Location"]))
    run_import(pk=job.pk)
    shown = text(rita.get(address))
    assert "withdrawn" in shown
    assert f"Replace {failed.file}" not in shown
    well = Clip.objects.filter(study=study, withdrawn_at=None).first()
    assert well
    assert rita.post(address, {"replace": well.pk, "replacement": send()}).status_code == 404
    assert (
        logged_in(expert("mia", study)).post(address, {"replace": failed.pk, "replacement": send()}).status_code == 404
    )
