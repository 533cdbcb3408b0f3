"""What the audit reports before a launch, and what a researcher can accept."""

from __future__ import annotations

import io
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import soundfile
from django.utils.translation import override

from accounts.models import User
from core.errors import Conflict
from studies.audit import accepting, measuring, queries, words
from studies.audit.comparing import Difference, Interval
from studies.audit.findings import AuditFinding, findings
from studies.audit.repairing import REPAIR_OF
from studies.imports import changes
from studies.launch import checks
from studies.models import AcceptedFinding, Clip, ClipAudit, Study, StudyAudit
from tests import audio
from tests.studies.audit.material import ALIKE, DIFFERENT, clip_set, measured, spoken, study_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def different(tmp_path: Path, now: datetime) -> Study:
    """Return a draft of stereo human clips at 44.1 kHz with a late start, and of a dull system among machines."""
    return measured(study_of(tmp_path / "clips", now, *clip_set(**DIFFERENT)), now)


def found(study: Study) -> dict[str, AuditFinding]:
    """Return {kind: finding}; each of the test's findings has its own kind."""
    return {each.key.partition(":")[0]: each for each in findings(study, queries.clips(study))}


def launch_findings(study: Study, level: str) -> list[str]:
    study.refresh_from_db()
    return [each.message for each in checks.findings(study) if each.level == level and "udit" in each.message]


def test_systems_that_are_alike_have_no_finding(tmp_path: Path, now: datetime) -> None:
    study = measured(study_of(tmp_path / "clips", now, *clip_set(**ALIKE)), now)
    assert found(study) == {}
    assert launch_findings(study, "note") == ["Audit: 15 clips were measured. No difference between systems was found."]


def test_each_difference_is_told_with_its_size_and_systems(different: Study) -> None:
    assert set(found(different)) == {"silence_before", "bandwidth", "sample_rate", "channels"}
    assert found(different)["silence_before"].text == (
        "Clips of human start with more silence than those of alpha and beta: 0.49 s, 95 % interval 0.47 to 0.50, "
        "paired by 5 texts."
    )
    assert found(different)["sample_rate"].text == (
        "The sources differ in sample rate: alpha and beta 16 kHz; human 44.1 kHz."
    )
    assert found(different)["channels"].text == "The sources differ in channels: alpha and beta mono; human stereo."
    assert "recognize the system before" in found(different)["silence_before"].why


def test_noise_before_human_speech_is_found_with_its_level(tmp_path: Path, now: datetime) -> None:
    noisy = {"human": {"lead": 0.9}, "alpha": {}, "beta": {}}
    study = measured(study_of(tmp_path / "clips", now, *clip_set(**noisy)), now)
    results = found(study)
    # Neither as silence nor as slow speech.
    assert set(results) == {"noise_before"}
    assert results["noise_before"].text.startswith(
        "Clips of human start with more audible noise than those of alpha and beta: 0.9"
    )
    assert results["noise_before"].text.endswith("Its level is −20 dB relative to the speech.")
    assert results["noise_before"].repair == "edges"
    study.draft["audit"] = {"edge_noise": 1.2}
    assert found(study) == {}


def test_noise_after_the_speech_of_one_system_is_found(tmp_path: Path, now: datetime) -> None:
    noisy = {"human": {}, "alpha": {"end": 0.5}, "beta": {}}
    study = measured(study_of(tmp_path / "clips", now, *clip_set(**noisy)), now)
    assert set(found(study)) == {"noise_after"}
    assert "Clips of alpha end with more audible noise" in found(study)["noise_after"].text


def test_clips_that_an_earlier_release_measured_are_measured_again(tmp_path: Path, now: datetime) -> None:
    noisy = {"human": {"lead": 0.9}, "alpha": {}, "beta": {}}
    study = measured(study_of(tmp_path / "clips", now, *clip_set(**noisy)), now)
    for row in ClipAudit.objects.all():
        row.version, row.measures = 1, {name: row.measures[name] for name in row.measures if "noise" not in name}
        row.save()
    assert found(study) == {}
    assert not measuring.is_done(study)
    assert launch_findings(study, "warning") == [
        "Audit: 0 of 15 clips measured; findings can still change. Open the page Audit and measure the clips."
    ]
    assert set(found(measured(study, now))) == {"noise_before"}


def test_the_launch_checks_have_one_short_sentence_for_each_kind_of_warning(different: Study) -> None:
    lines = [each for each in checks.findings(different) if each.level == "warning" and each.place == "audit"]
    assert [line.message for line in lines] == [
        "Audit: Clips of human start with more silence than those of alpha and beta: 0.49 s.",
        "Audit: Clips of human reach higher frequencies than those of alpha and beta: 15.7 kHz. "
        "1 more finding of this kind.",
        "Audit: The sources differ in sample rate: alpha and beta 16 kHz; human 44.1 kHz.",
        "Audit: The sources differ in channels: alpha and beta mono; human stereo.",
    ]
    assert lines[0].anchor == "finding-silence_before"


def test_many_systems_are_counted_and_not_named() -> None:
    found = Difference("loudness", tuple("abcde"), ("human",), Interval(6.2, 5.0, 7.4, 8))
    assert words.short_difference(found) == "Clips of 5 systems are louder than those of human: 6.2 LU."


def test_bandwidths_in_three_steps_are_told_in_two_sentences(different: Study) -> None:
    texts = [each.text for each in findings(different, queries.clips(different)) if each.measure == "bandwidth"]
    assert [text.split(": ")[0] for text in texts] == [
        "Clips of human reach higher frequencies than those of alpha and beta",
        "Clips of alpha reach higher frequencies than those of beta",
    ]


def test_a_threshold_of_the_study_decides(different: Study) -> None:
    assert "silence_before" in found(different)
    different.draft["audit"] = {"edge_silence": 0.6}
    assert "silence_before" not in found(different)


def test_before_the_clips_are_measured_there_is_a_warning_and_sources_are_compared(
    tmp_path: Path, now: datetime
) -> None:
    study = study_of(tmp_path / "clips", now, *clip_set(**DIFFERENT))
    assert set(found(study)) == {"sample_rate", "channels"}
    assert launch_findings(study, "blocking") == []
    assert any(
        "still running: 0 of 15 clips measured; findings can still change." in text
        for text in launch_findings(study, "warning")
    )
    StudyAudit.objects.all().delete()
    assert any("Open the page Audit and measure" in text for text in launch_findings(study, "warning"))


def test_flawed_traps_are_not_compared(tmp_path: Path, now: datetime) -> None:
    rows, files = clip_set(human={}, alpha={}, broken={"before": 0.9})
    for row in rows:
        if row["system"] == "broken":
            row["role"] = "trap_flawed"
    assert found(measured(study_of(tmp_path / "clips", now, rows, files), now)) == {}


def same_audio(files: dict[str, bytes], how: str, name: str = "human/t0.wav") -> bytes:
    """Return a clip: the same file, the same samples as FLAC, or nearly the same as MP3."""
    content = files[name]
    if how == "file":
        return content
    samples, rate = soundfile.read(io.BytesIO(content), always_2d=True)
    return audio.encoded(samples, rate, format=how)


@pytest.mark.parametrize("how", ["file", "FLAC"])
def test_the_same_audio_under_two_systems_blocks(tmp_path: Path, now: datetime, how: str) -> None:
    rows, files = clip_set(**ALIKE)
    files["alpha/t3.wav"] = same_audio(files, how)
    study = measured(study_of(tmp_path / "clips", now, rows, files), now)
    assert set(found(study)) == {"same"}
    [message] = launch_findings(study, "blocking")
    assert "alpha/t3.wav (alpha, Test clip), human/t0.wav (human, Test clip)" in message
    changes.withdraw(clips=[Clip.objects.get(file="alpha/t3.wav").pk], now=now)
    assert launch_findings(study, "blocking") == []


def test_after_the_launch_the_same_audio_is_a_warning(tmp_path: Path, now: datetime) -> None:
    rows, files = clip_set(**ALIKE)
    files["alpha/t3.wav"] = files["human/t0.wav"]
    study = study_of(tmp_path / "clips", now, rows, files)
    Study.objects.update(state=Study.State.LIVE)
    assert launch_findings(study, "blocking") == []
    assert any("The same audio" in text for text in launch_findings(study, "warning"))


def test_the_same_audio_in_two_roles_blocks(tmp_path: Path, now: datetime) -> None:
    rows, files = clip_set(**ALIKE)
    files["trap.wav"] = files["human/t0.wav"]
    rows.append({"file": "trap.wav", "system": "human", "role": "trap_human", "text_id": "x", "text": "X."})
    assert found(study_of(tmp_path / "clips", now, rows, files))["same"].is_blocking


def prompted(folder: Path, now: datetime, prompt: dict[str, str], sound: bytes | None = None, **labels: str) -> Study:
    """Return a draft where alpha/t1.wav (with these labels) was made from a prompt with the labels `prompt`."""
    rows, files = clip_set(**ALIKE)
    files["p/1.wav"] = sound or audio.encoded(spoken(2.5, rate=16_000, seed=99), 16_000, subtype="PCM_16")
    rows.append({"file": "p/1.wav", "system": "human", "role": "prompt", **prompt})
    target = next(row for row in rows if row["file"] == "alpha/t1.wav")
    target.update({"prompt_file": "p/1.wav", **labels})
    return measured(study_of(folder, now, rows, files), now)


def test_a_prompt_with_another_text_is_fine(tmp_path: Path, now: datetime) -> None:
    prompt = {"text_id": "p1", "text": "This is no text of the study."}
    assert found(prompted(tmp_path / "clips", now, prompt)) == {}


@pytest.mark.parametrize("prompt", [{"text_id": "t1", "text": ""}, {"text_id": "p1", "text": "“THIS is: text 1”"}])
def test_a_prompt_that_says_the_targets_own_text_blocks(tmp_path: Path, now: datetime, prompt: dict[str, str]) -> None:
    study = prompted(tmp_path / "clips", now, prompt)
    assert set(found(study)) == {"prompt_text"}
    [message] = launch_findings(study, "blocking")
    assert "1 clip has a speaker prompt that says the clip’s own text: alpha/t1.wav (prompt p/1.wav)." in message


def test_a_prompt_that_is_a_recording_of_the_targets_text_blocks_without_a_text_of_its_own(
    tmp_path: Path, now: datetime
) -> None:
    _rows, files = clip_set(**ALIKE)
    study = prompted(tmp_path / "clips", now, {}, same_audio(files, "FLAC", "human/t1.wav"))
    # One recording in two roles blocks by itself, too.
    assert set(found(study)) == {"prompt_text", "same"}
    assert "alpha/t1.wav (prompt p/1.wav)" in found(study)["prompt_text"].text


def test_a_prompt_with_the_targets_own_samples_blocks(tmp_path: Path, now: datetime) -> None:
    _rows, files = clip_set(**ALIKE)
    results = found(prompted(tmp_path / "clips", now, {}, same_audio(files, "FLAC", "alpha/t1.wav")))
    assert results["prompt_audio"].is_blocking
    assert results["prompt_audio"].text == (
        "1 clip is the same recording as its speaker prompt: alpha/t1.wav (prompt p/1.wav)."
    )
    assert "prompt_text" not in results


def test_a_clip_that_names_itself_as_its_prompt_blocks(tmp_path: Path, now: datetime) -> None:
    study = prompted(tmp_path / "clips", now, {}, prompt_file=".\\Alpha\\T1.wav")
    assert "alpha/t1.wav (prompt alpha/t1.wav)" in found(study)["prompt_audio"].text


def test_a_prompt_that_is_not_in_the_study_is_not_compared(tmp_path: Path, now: datetime) -> None:
    assert found(prompted(tmp_path / "clips", now, {}, prompt_file="elsewhere/1.wav")) == {}


def test_nearly_the_same_audio_is_a_warning(tmp_path: Path, now: datetime) -> None:
    rows, files = clip_set(**ALIKE)
    files["alpha/t3.wav"] = same_audio(files, "MP3")
    near = found(measured(study_of(tmp_path / "clips", now, rows, files), now))["near"]
    assert near.is_open
    assert "alpha/t3.wav and human/t0.wav" in near.text


def test_two_takes_of_one_text_may_sound_the_same(tmp_path: Path, now: datetime) -> None:
    rows, files = clip_set(**ALIKE)
    files["again.wav"] = files["alpha/t0.wav"]
    rows.append({**next(row for row in rows if row["file"] == "alpha/t0.wav"), "file": "again.wav", "take": "2"})
    assert found(measured(study_of(tmp_path / "clips", now, rows, files), now)) == {}


@pytest.mark.parametrize(("problem", "words"), [("silent", "1 clip is silent"), ("unreadable", "1 clip can’t be read")])
def test_a_silent_or_unreadable_clip_blocks(tmp_path: Path, now: datetime, problem: str, words: str) -> None:
    study = measured(study_of(tmp_path / "clips", now, *clip_set(**ALIKE)), now)
    ClipAudit.objects.filter(clip__file="beta/t2.wav").update(problem=problem, measures={}, fingerprint="")
    [message] = launch_findings(study, "blocking")
    assert f"{words}: beta/t2.wav." in message


def test_a_leak_is_told_with_the_measures_that_carry_it(tmp_path: Path, now: datetime) -> None:
    machines = {name: {"noise": -80.0} for name in ("alpha", "beta")}
    rows, files = clip_set(human={"noise": -65.0}, **machines)
    study = study_of(tmp_path / "clips", now, rows, files)
    assert found(measured(study, now)).keys() == {"pauses"}
    leak = {"area": 0.91, "p": 0.005, "clips": 15, "carriers": [["pauses", 0.97], ["true_peak", 0.7]]}
    StudyAudit.objects.update(leak=leak)
    assert found(study)["leak"].text == (
        "Human clips can be told from the others without listening to the voice: a program that sees only these "
        "measures sorts them right with area under the curve 0.91 (0.5 is guessing, 1 is always right), p = 0.005, "
        "15 clips. The strongest measures, with their own areas: Level in pauses (0.97) and True peak (0.70)."
    )
    assert found(study)["leak"].short == (
        "Measures tell human clips from the others: of a human clip and another one, a program finds the human one in "
        "91 % of cases (guessing: 50 %). Strongest: Level in pauses and True peak."
    )
    StudyAudit.objects.update(leak={**leak, "p": 0.02})
    assert "leak" not in found(study)


def test_the_job_tests_for_a_leak(tmp_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studies.audit.leak.LEAST", 4)
    rows, files = clip_set(human={"noise": -60.0}, alpha={"noise": -80.0}, beta={"noise": -80.0})
    study = measured(study_of(tmp_path / "clips", now, rows, files), now)
    leak = queries.leak(study)
    assert leak is not None
    assert leak.carriers[0] == ("pauses", 1.0)
    assert leak.area > 0.9


def test_an_accepted_finding_is_a_note_until_it_is_taken_back(different: Study, now: datetime) -> None:
    user = User.objects.create_user("rita")
    key = found(different)["silence_before"].key
    row = accepting.accept(study=different, key=key, user=user, now=now)
    assert (row.accepted_by, row.accepted_at, row.text) == (user, now, found(different)["silence_before"].text)
    assert accepting.accept(study=different, key=key, user=user, now=now) == row
    assert not any("start with more silence" in text for text in launch_findings(different, "warning"))
    assert any("part of what you compare: Clips of human start" in text for text in launch_findings(different, "note"))
    assert accepting.revoke(study=different, key=key, user=user, now=now)
    assert any("start with more silence" in text for text in launch_findings(different, "warning"))
    kept = AcceptedFinding.objects.get()
    assert (kept.revoked_by, kept.revoked_at) == (user, now)


def test_a_finding_between_other_systems_is_another_one(different: Study, now: datetime) -> None:
    key = found(different)["silence_before"].key
    accepting.accept(study=different, key=key, user=None, now=now)
    assert found(different)["silence_before"].accepted is not None
    changes.withdraw(clips=Clip.objects.filter(system__name="beta").values_list("pk", flat=True), now=now)
    assert found(different)["silence_before"].is_open


def test_after_all_findings_are_accepted_the_launch_list_names_them_as_the_only_ones(
    different: Study, now: datetime
) -> None:
    for each in findings(different, queries.clips(different)):
        accepting.accept(study=different, key=each.key, user=None, now=now)

    assert launch_findings(different, "note")[-1] == (
        "Audit: 15 clips were measured. The differences that you compare on purpose are the only ones found."
    )


@pytest.mark.parametrize("key", ["bandwidth:0", "same"])
def test_what_is_not_open_cannot_be_accepted(tmp_path: Path, now: datetime, key: str) -> None:
    rows, files = clip_set(**ALIKE)
    files["alpha/t3.wav"] = files["human/t0.wav"]
    study = measured(study_of(tmp_path / "clips", now, rows, files), now)
    given: Any = found(study)["same"].key if key == "same" else key
    with pytest.raises(Conflict):
        accepting.accept(study=study, key=given, user=None, now=now)


def test_findings_have_the_same_keys_in_every_language(different: Study) -> None:
    keys = [each.key for each in findings(different, queries.clips(different))]
    with override("zh-hans"):
        assert [each.key for each in findings(different, queries.clips(different))] == keys


@pytest.mark.parametrize("measure", words.MEASURES)
def test_each_finding_names_what_to_do(measure: str) -> None:
    assert re.search(r"(Make|Bring|Cut|Replace) (all|the) |edges of all clips", str(words.MEASURES[measure].why))
    assert ("Preview repair" in str(words.MEASURES[measure].why)) == (measure in REPAIR_OF)
