"""Repairs of all clips: findings that go away, what is made again, and when nothing may change any more."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from scipy import signal

from core.errors import Conflict, Invalid
from core.files import storage
from core.jobs import DONE, FAILED
from studies.audit import before_launch, measuring, previewing, queries, repairing
from studies.audit.findings import findings
from studies.audit.strict_leak import StoredRendition, strict_leaks
from studies.imports import changes, renditions, requests
from studies.launch import checks, copies
from studies.launch.states import change_settings, launch
from studies.models import AppliedRepair, Clip, RepairPreview, Study
from tests import audio
from tests.studies.audit.material import add, clip_set, measured, study_of
from tests.studies.imports.conftest import InProcess
from tests.studies.imports.helpers import draft, stored
from tests.studies.ingest.test_edges import RATE, noise, quiet, recording, speech

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
# At one rate, so that only what is repaired differs.
DIFFERENT: dict[str, dict[str, Any]] = {"human": {"before": 0.5}, "alpha": {}, "beta": {"edge": 4000.0}}


@pytest.fixture(autouse=True)
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(previewing, "DecoderProcess", InProcess)


@pytest.fixture
def study(tmp_path: Path, now: datetime) -> Study:
    """Return a draft that can be launched with test clips alone."""
    settings = {f"protocol__{name}": 0 for name in ("flawed_traps", "human_traps", "human_traps_right")}
    settings |= {"protocol__tests_per_batch": 1, "protocol__batches_per_session": 1}
    study = Study.objects.create(slug="one", title="One", draft=draft(**settings))
    return measured(study_of(tmp_path / "clips", now, *clip_set(**DIFFERENT)), now) and study


@pytest.fixture
def repaired(now: datetime) -> Callable[..., Study]:
    """Return a function that applies repairs, makes the clips again and measures them, as a worker would."""

    def repair(study: Study, **values: float) -> Study:
        job = repairing.apply(study=study, values=values, user=None, now=now)
        assert job is not None
        requests.run_import(pk=job.pk, now=lambda: now)
        job.refresh_from_db()
        assert job.state == DONE, job.error
        return measured(study, now)

    return repair


def found(study: Study) -> set[str]:
    """Return the measures of all open findings."""
    return {each.measure for each in findings(study, queries.clips(study))} - {""}


def sounds() -> dict[str, bytes]:
    """Return what raters hear of each clip."""
    contents = {}
    for clip in Clip.objects.all():
        with storage.open_file(clip.rendition) as file:
            contents[clip.file] = file.read()
    return contents


def blocking(study: Study) -> str:
    return " ".join(each.message for each in checks.findings(study) if each.level == "blocking")


def test_each_repair_takes_its_finding_away(study: Study, repaired: Callable[..., Study]) -> None:
    assert {"silence_before", "bandwidth"} <= found(study)
    repaired(study, edges=0.2)
    assert "silence_before" not in found(study)
    assert "bandwidth" in found(study)
    assert repairing.proposed("band", queries.clips(study), study.definition.audio) == pytest.approx(4250, abs=250)
    repaired(study, band=4000)
    assert found(study) & {"silence_before", "bandwidth"} == set()


def test_noise_before_and_after_speech_is_cut_and_its_findings_go(
    tmp_path: Path, now: datetime, repaired: Callable[..., Study]
) -> None:
    noisy = {"human": {"lead": 0.9, "end": 0.4}, "alpha": {}, "beta": {}}
    study = measured(study_of(tmp_path / "clips", now, *clip_set(**noisy)), now)
    assert {"noise_before", "noise_after"} <= found(study)
    job = previewing.request(study=study, kind="edges", value=0.2, now=now)
    previewing.run(pk=job.pk, now=lambda: now)
    job.refresh_from_db()
    human = next(clip for clip in job.clips if clip["system"] == "human")
    assert human["before"]["noise_before"] == pytest.approx(0.9, abs=0.05)
    assert human["after"]["noise_before"] == human["after"]["noise_after"] == 0
    repaired(study, edges=0.2)
    assert found(study) == set()
    assert Clip.objects.get(file="human/t0.wav").trimmed_before == pytest.approx(0.7, abs=0.08)


def test_the_level_is_one_that_all_clips_reach(tmp_path: Path, now: datetime, repaired: Callable[..., Study]) -> None:
    rows, files = clip_set(human={}, alpha={})
    study = study_of(tmp_path / "clips", now, rows, files)
    Study.objects.update(draft=draft(audio__loudness=-12.0))
    study.refresh_from_db()
    Clip.objects.all().delete()
    measured(study_of(tmp_path / "again", now, rows, files), now)
    level = repairing.proposed("level", queries.clips(study), study.definition.audio)
    assert level < -12
    repaired(study, level=level)
    values = [clip.values["loudness"] for clip in queries.clips(study)]
    assert values == pytest.approx([level] * len(values), abs=0.15)
    assert all(clip.values["true_peak"] <= -0.95 for clip in queries.clips(study))


def test_bytes_tell_nothing_but_the_duration_and_are_the_same_again(
    study: Study, repaired: Callable[..., Study], now: datetime
) -> None:
    before = sounds()
    repaired(study, edges=0.2, band=4000, level=-25)
    once = sounds()
    assert all(once[file] != before[file] for file in once)
    facts = Clip.objects.values_list("file", "rendition", "rendition_bytes", "duration", "sample_rate")
    assert not any(strict_leaks([StoredRendition(*each) for each in facts], 1, 16_000))
    assert {(len(content) - 44) % (2 * 16_000 // 50) for content in once.values()} == {0}
    human = Clip.objects.get(file="human/t0.wav")
    assert human.trimmed_before == pytest.approx(0.3, abs=0.02)
    assert human.original_seconds == pytest.approx(2.0)
    assert human.recipe == "edges=0.2 band=4000 level=-25"
    undone(study, now, "edges", "band", "level")
    assert sounds() == before
    assert Clip.objects.get(file="human/t0.wav").duration == pytest.approx(2.0)
    repaired(study, edges=0.2, band=4000, level=-25)
    assert sounds() == once


def undone(study: Study, now: datetime, *kinds: str) -> None:
    job = repairing.undo(study=study, kinds=kinds, user=None, now=now)
    assert job is not None
    requests.run_import(pk=job.pk, now=lambda: now)


def test_originals_stay_and_old_renditions_go(
    study: Study, repaired: Callable[..., Study], files: Path, django_capture_on_commit_callbacks: Any
) -> None:
    originals = set(Clip.objects.values_list("original", flat=True))
    with django_capture_on_commit_callbacks(execute=True):
        repaired(study, edges=0.2)
    assert set(Clip.objects.values_list("original", flat=True)) == originals
    assert len(stored(files)) == 2 * len(originals)


def test_files_that_a_preview_of_the_study_plays_stay(
    study: Study, repaired: Callable[..., Study], now: datetime, django_capture_on_commit_callbacks: Any
) -> None:
    copy = copies.make(study=study, now=now, rng=Random(1))
    with django_capture_on_commit_callbacks(execute=True):
        repaired(study, edges=0.2)
    for name in Clip.objects.filter(study=copy).values_list("rendition", flat=True):
        storage.open_file(name).close()


def test_the_launch_waits_and_says_what_was_repaired(study: Study, now: datetime) -> None:
    job = repairing.apply(study=study, values={"edges": 0.2, "band": 4000}, user=None, now=now)
    assert job is not None
    assert "The clips are being repaired. Wait for it." in blocking(study)
    requests.run_import(pk=job.pk, now=lambda: now)
    assert "repaired" not in blocking(study)
    notes = [each.message for each in before_launch.findings(study) if each.level == "note"]
    assert notes[0] == (
        "2 repairs are applied to all clips: silence of 0.2 s at both edges and frequencies up to 4000 Hz."
    )


def test_after_the_launch_repairs_are_frozen_and_hold_for_clips_that_come_later(
    study: Study, repaired: Callable[..., Study], now: datetime, tmp_path: Path
) -> None:
    repaired(study, edges=0.2)
    version = launch(study=study, now=now, rng=Random(1))
    assert version.definition["audio"]["edges"] == 0.2
    with pytest.raises(Conflict):
        repairing.apply(study=study, values={"edges": 0.3}, user=None, now=now)
    with pytest.raises(Conflict):
        repairing.undo(study=study, kinds=["edges"], user=None, now=now)
    with pytest.raises(Conflict):
        previewing.request(study=study, kind="band", value=4000, now=now)
    rows, files = clip_set(gamma={"before": 0.7})
    assert add(study, tmp_path / "more", now, rows, files).clips_added == 5
    late = Clip.objects.get(file="gamma/t0.wav")
    assert (late.recipe, late.trimmed_before) == ("edges=0.2", pytest.approx(0.5, abs=0.02))
    assert renditions.outdated(study) is None


def test_clips_that_were_read_before_a_repair_and_come_after_the_launch_are_refused(
    study: Study, now: datetime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from studies.imports import working

    stage = working.stage

    def slow(*args: Any) -> Any:
        staged = stage(*args)
        other = Study.objects.get(pk=study.pk)
        job = repairing.apply(study=other, values={"edges": 0.2}, user=None, now=now)
        assert job is not None
        requests.run_import(pk=job.pk, now=lambda: now)
        launch(study=other, now=now, rng=Random(1))
        return staged

    monkeypatch.setattr(working, "stage", slow)
    job = add(study, tmp_path / "more", now, *clip_set(gamma={}))
    assert job.clips_added == 0
    assert "The repairs of the clips changed before the launch." in job.report[0]["reason"]


def test_clips_that_were_read_before_a_repair_are_made_again(
    study: Study, repaired: Callable[..., Study], now: datetime
) -> None:
    repaired(study, edges=0.2)
    Clip.objects.filter(file="beta/t1.wav").update(recipe="")
    changes.withdraw(clips=[Clip.objects.get(file="alpha/t1.wav").pk], now=now)
    job = renditions.waiting(study)
    assert job is not None
    requests.run_import(pk=job.pk, now=lambda: now)
    assert set(Clip.objects.values_list("recipe", flat=True)) == {"edges=0.2"}


def test_only_the_repair_changes_these_settings_once_there_are_clips(study: Study) -> None:
    for name, value in (("edges", 0.2), ("band", 4000), ("level", -25)):
        with pytest.raises(Invalid) as refusal:
            change_settings(study=study, changes={f"audio.{name}": value})
        assert "the page Audit changes this" in refusal.value.problems[f"audio.{name}"]


@pytest.mark.parametrize("value", [{"edges": 0.01}, {"band": 50}, {"level": -70}])
def test_values_out_of_bounds_change_nothing(study: Study, now: datetime, value: dict[str, float]) -> None:
    with pytest.raises(Invalid):
        repairing.apply(study=study, values=value, user=None, now=now)
    assert not AppliedRepair.objects.exists()
    assert renditions.waiting(study) is None


def test_clips_that_raters_switch_in_step_keep_their_edges(study: Study, now: datetime) -> None:
    study.draft = draft("mushra", task__switching="synchronous")
    study.save()
    with pytest.raises(Conflict, match="out of step"):
        repairing.apply(study=study, values={"edges": 0.2}, user=None, now=now)


def test_who_applied_and_undid_a_repair_is_kept(study: Study, repaired: Callable[..., Study], now: datetime) -> None:
    repaired(study, edges=0.2)
    repaired(study, edges=0.3)
    later = now + timedelta(hours=1)
    undone(study, later, "edges")
    rows = AppliedRepair.objects.order_by("pk").values_list("value", "applied_at", "undone_at")
    assert list(rows) == [(0.2, now, now), (0.3, now, later)]
    assert repairing.applied(study) == []


def test_a_preview_measures_some_clips_of_each_system_and_changes_none(study: Study, now: datetime) -> None:
    before = sounds()
    job = previewing.request(study=study, kind="edges", value=0.2, now=now)
    previewing.run(pk=job.pk, now=lambda: now)
    job.refresh_from_db()
    assert (job.state, job.error) == (DONE, "")
    assert {clip["system"]: 0 for clip in job.clips} == dict.fromkeys(("alpha", "beta", "human"), 0)
    assert len(job.clips) == 9
    human = next(clip for clip in job.clips if clip["system"] == "human")
    assert human["before"]["silence_before"] == pytest.approx(0.5, abs=0.15)
    assert human["after"]["silence_before"] == pytest.approx(0.2, abs=0.02)
    assert sounds() == before
    repairing.apply(study=study, values={"edges": 0.2}, user=None, now=now)
    conversion = renditions.waiting(study)
    assert conversion is not None
    heard = {}
    for clip in job.clips:
        with storage.open_file(clip["rendition"]) as file:
            heard[clip["file"]] = file.read()
    requests.run_import(pk=conversion.pk, now=lambda: now)
    after = sounds()
    assert heard == {file: after[file] for file in heard}


def test_a_study_keeps_the_files_of_its_newest_preview_alone(
    study: Study, now: datetime, files: Path, django_capture_on_commit_callbacks: Any
) -> None:
    count = len(stored(files))
    for value in (0.2, 0.3):
        with django_capture_on_commit_callbacks(execute=True):
            job = previewing.request(study=study, kind="edges", value=value, now=now)
        previewing.run(pk=job.pk, now=lambda: now)
        assert len(stored(files)) == count + 9
    assert RepairPreview.objects.count() == 1
    assert len(list(previewing.files(study.pk))) == 9
    with django_capture_on_commit_callbacks(execute=True):
        repairing.apply(study=study, values={"edges": 0.2}, user=None, now=now)
    assert len(stored(files)) == count
    # A worker that still has the old one leaves nothing behind.
    previewing.run(pk=job.pk, now=lambda: now)
    assert len(stored(files)) == count


def test_a_preview_that_fails_says_so_and_leaves_no_file(
    study: Study, now: datetime, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_args: Any) -> Any:
        raise PermissionError

    count = len(stored(files))
    job = previewing.request(study=study, kind="edges", value=0.2, now=now)
    monkeypatch.setattr(previewing, "_kept", full)
    previewing.run(pk=job.pk, now=lambda: now)
    job.refresh_from_db()
    assert job.state == FAILED
    assert "may not write" in job.error
    assert len(stored(files)) == count


def test_a_preview_names_the_clips_that_the_repair_does_not_change(study: Study, now: datetime, tmp_path: Path) -> None:
    def exceptions(kind: str, value: float) -> set[tuple[str, str]]:
        job = previewing.request(study=study, kind=kind, value=value, now=now)
        previewing.run(pk=job.pk, now=lambda: now)
        job.refresh_from_db()
        return {(each["file"], each["why"]) for each in job.exceptions}

    assert {file for file, why in exceptions("band", 6000) if why == "ends"} == {f"beta/t{n}.wav" for n in range(5)}
    assert exceptions("level", -30) == set()
    assert len(exceptions("level", -10)) == 15
    assert exceptions("edges", 0.2) == set()
    rows, files = clip_set(gamma={})
    files[rows[0]["file"]] = audio.encoded(
        recording(quiet(0.3), noise(0.5, 45, seed=4), quiet(0.1), speech()), RATE, subtype="PCM_16"
    )
    add(study, tmp_path / "more", now, rows[:1], files)
    measuring.measure_now(study=study, now=lambda: now)
    assert exceptions("edges", 0.2) == {(rows[0]["file"], "keeps")}


def test_anchors_are_made_again_in_step_with_their_references(
    tmp_path: Path, now: datetime, repaired: Callable[..., Study]
) -> None:
    settings = draft("mushra", task__anchors=["3.5 kHz"])
    study = Study.objects.create(slug="one", title="One", draft=settings)
    # The reference begins with a sound that its anchor lacks.
    hiss = signal.sosfilt(signal.butter(8, 6000, "high", fs=16_000, output="sos"), noise(1, 0)[:, 0])
    sound = recording(quiet(0.5), 0.2 * hiss[:3200, None], speech(), quiet(0.6))
    files = {"ref.wav": audio.encoded(sound, 16_000, subtype="PCM_16"), "a.wav": audio.wav(1.5, rate=16_000)}
    rows = [
        {"file": "ref.wav", "system": "human", "role": "reference", "text_id": "t"},
        {"file": "a.wav", "system": "alpha", "role": "test", "text_id": "t"},
    ]
    assert add(study, tmp_path / "clips", now, rows, files).clips_added == 3
    repaired(study, edges=0.2)
    reference, anchor = (Clip.objects.get(file=file) for file in ("ref.wav", "anchors/3500/ref.wav"))
    assert reference.trimmed_before == pytest.approx(0.3, abs=0.02)
    assert (anchor.trimmed_before, anchor.trimmed_after) == (reference.trimmed_before, reference.trimmed_after)
    assert anchor.rendition_bytes == reference.rendition_bytes
