"""What is checked before a launch, and what the command makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from core.jobs import QUEUED
from core.registry import Registry
from core.text import languages
from studies import hooks
from studies.definition import presets
from studies.definition.parsing import change, parse
from studies.definition.settings.crowd import CODES
from studies.hooks import CrowdSource, LaunchFinding
from studies.launch import checks, quota_checks
from studies.launch.plan import plan_of
from studies.models import Clip, ClipImport, Study
from tests import screens
from tests.world import make_study

pytestmark = pytest.mark.django_db


def messages(level: str, **options: Any) -> str:
    study = make_study(launch=False, **options)
    return "\n".join(finding.message for finding in checks.findings(study) if finding.level == level)


@pytest.fixture
def own_hooks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the test registries of its own."""
    monkeypatch.setattr(hooks, "launch_checks", Registry())
    monkeypatch.setattr(hooks, "crowd_sources", Registry())


def test_a_study_of_enough_clips_has_nothing_to_mend(now: datetime) -> None:
    assert messages("blocking", now=now, texts=21) == ""


def test_a_study_without_test_clips_is_blocked(now: datetime) -> None:
    assert "no test clips" in messages("blocking", now=now, systems=())


def test_too_few_traps_for_one_batch_block(now: datetime) -> None:
    assert "0 flawed and 8 human" in messages("blocking", now=now, flawed=0)
    assert "4 flawed and 1 human" in messages("blocking", now=now, humans=1)


def test_traps_for_fewer_batches_than_set_warn_with_their_number(now: datetime) -> None:
    assert "allow 1 batch for each rater, not 3" in messages("warning", now=now, flawed=1)
    assert "allow 2 batches for each rater, not 3" in messages("warning", now=now, humans=5)


def test_enough_traps_are_said_to_be_enough(now: datetime) -> None:
    assert "allow all 3 batches" in messages("note", now=now)


def test_a_batch_without_traps_is_pointed_out(now: datetime) -> None:
    none = {"protocol__flawed_traps": 0, "protocol__human_traps": 0, "protocol__human_traps_right": 0}
    assert "There are no traps, clips with a known answer" in messages("warning", now=now, **none)


def test_fewer_texts_than_a_batch_needs_block(now: datetime) -> None:
    assert "there are 6" in messages("blocking", now=now, texts=6)


def test_crossed_texts_may_fill_a_batch(now: datetime) -> None:
    assert messages("blocking", now=now, texts=6, protocol__repeat_text="crossed") == ""


def test_texts_for_fewer_batches_than_set_warn(now: datetime) -> None:
    assert "allow 1 batch for each rater, not 3, because nobody hears a text twice" in messages(
        "warning", now=now, texts=12
    )


def test_withdrawn_clips_do_not_count(now: datetime) -> None:
    study = make_study(now=now, launch=False)
    study.clips.filter(role="trap_flawed").update(withdrawn_at=now)
    assert any(finding.level == "blocking" for finding in checks.findings(study))


def test_the_human_share_is_stated(now: datetime) -> None:
    assert "Human recordings make 33 % of the test clips (12 of 36)" in messages("note", now=now)
    assert "make 20 % of each batch’s" in messages("note", now=now, protocol__human_share=0.2)


def test_a_human_share_without_human_recordings_blocks(now: datetime) -> None:
    assert "no test clip has the system" in messages("blocking", now=now, systems=("a",), protocol__human_share=0.2)
    assert "No test clip is a human recording" in messages("warning", now=now, systems=("a",))


def test_human_recordings_alone_compare_nothing(now: datetime) -> None:
    assert "there are no systems to compare" in messages("warning", now=now, systems=("human",))


def test_the_raters_needed_are_counted(now: datetime) -> None:
    # 36 clips × 10 ratings / (1 batch × 7 clips) = 51.4; 63 × 10 / (3 × 7) = 30.
    assert "need at least 52 raters with 1 valid" in messages("note", now=now, texts=12)
    assert "need at least 30 raters with 3 valid" in messages("note", now=now, texts=21)


def test_a_study_that_outgrows_sqlite_is_told_so(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "SQLite" not in messages("warning", now=now)
    monkeypatch.setattr(checks, "SQLITE_RATERS", 1)
    told = "move it to PostgreSQL" in messages("warning", now=now)
    assert told == (connection.vendor == "sqlite")


def test_the_guesser_rate_is_stated(now: datetime) -> None:
    assert "18.5 %" in messages("note", now=now)


def test_texts_that_raters_need_are_asked_for(now: datetime) -> None:
    assert "consent sentence is empty" in messages("blocking", now=now, texts__consent="")
    assert "information sheet is empty" in messages("warning", now=now, texts__information="")


def test_missing_and_shared_completion_codes_are_pointed_out(now: datetime) -> None:
    assert "no completion code" in messages("warning", now=now)
    shared = {"crowd__completion_code": "X", "crowd__declined_code": "X"}
    assert "share one code" in messages("warning", now=now, **shared)
    assert "completion code, declined code" in messages("warning", now=now, **shared)
    assert "no bad device code, screened out code" in messages("warning", now=now, **shared)
    each = {f"crowd__{name}": name for name in CODES.values()}
    assert " code" not in messages("warning", now=now, **each)


@pytest.mark.usefixtures("own_hooks")
def test_where_nobody_hands_in_a_code_none_is_missed(now: datetime) -> None:
    hooks.crowd_sources.register(CrowdSource("open", "Open link", codes=False))
    assert "code" not in messages("warning", now=now, crowd__source="open")


@pytest.mark.usefixtures("own_hooks")
def test_an_unknown_crowd_source_blocks(now: datetime) -> None:
    assert messages("blocking", now=now, crowd__source="carrier-pigeon") == ""
    hooks.crowd_sources.register(CrowdSource("prolific", "Prolific"))
    assert "carrier-pigeon" in messages("blocking", now=now, crowd__source="carrier-pigeon")


def test_a_running_import_is_mentioned(now: datetime) -> None:
    study = make_study(now=now, launch=False)
    ClipImport.objects.create(study=study, created_at=now, manifest_name="m.csv", state=QUEUED)
    assert any("still being imported" in finding.message for finding in checks.findings(study))


@pytest.mark.usefixtures("own_hooks")
def test_a_higher_app_may_block_a_launch_and_blocks_come_first(now: datetime) -> None:
    @hooks.launch_checks.register
    def no_mondays(study: Study) -> Iterator[LaunchFinding]:
        yield LaunchFinding("blocking", f"{study.title} begins on a Monday.")

    study = make_study(now=now, launch=False)
    first = checks.findings(study)[0]
    assert first == LaunchFinding("blocking", f"{study.title} begins on a Monday.")
    with pytest.raises(CommandError):
        call_command("launch_study", study.slug)


def test_the_command_prints_its_findings_and_launches(now: datetime, capsys: pytest.CaptureFixture[str]) -> None:
    study = make_study(now=now, launch=False)
    call_command("launch_study", study.slug)
    study.refresh_from_db()
    out = capsys.readouterr().out
    assert study.state == "live"
    assert "note: A rater who only guesses" in out
    assert "is live with version 1" in out
    assert f"http://testserver/studies/{study.slug}/launch/" in out
    assert f"Results: http://testserver/studies/{study.slug}/" in out


def test_the_command_fails_when_something_blocks(now: datetime, capsys: pytest.CaptureFixture[str]) -> None:
    study = make_study(now=now, launch=False, flawed=0)
    with pytest.raises(CommandError, match="Not launched") as failure:
        call_command("launch_study", study.slug)
    study.refresh_from_db()
    assert failure.value.returncode == 1
    assert study.state == "draft"
    assert "blocking: There are too few traps" in capsys.readouterr().out


def test_the_command_knows_no_study_that_is_not_there() -> None:
    with pytest.raises(CommandError, match="no study"):
        call_command("launch_study", "nowhere")


def with_quota(now: datetime, **settings: Any) -> Study:
    """Two systems and two benchmarks, of which one has half of the texts."""
    study = make_study(now=now, launch=False, texts=21, systems=("human", "alpha"), **settings)
    for clip in study.clips.filter(role="test", file__endswith="0.wav"):
        Clip.objects.filter(pk=clip.pk).update(benchmark="expressive")
    return study


def quota_of(study: Study) -> list[tuple[str, str]]:
    return [(found.level, found.message) for found in quota_checks.quota(plan_of(study))]


def test_screens_without_an_anchor_are_said_not_to_be_mushra(now: datetime) -> None:
    study = screens.make_study(now=now)
    [warning] = [found.message for found in checks.findings(study) if "BS.1534" in found.message]
    assert "Turn on anchors under Design" in warning
    with languages.speaking("zh-hans"):
        assert "ITU-R BS.1534 意义上的 MUSHRA" in " ".join(found.message for found in checks.findings(study))


def test_a_quota_of_utterances_names_each_system_and_benchmark_that_lacks_some(now: datetime) -> None:
    [found] = quota_checks.quota(plan_of(with_quota(now, protocol__quota_utterances=18)))
    assert found.level == "warning"
    assert found.message == "2 systems or benchmarks have too few utterances for the quota. Add clips."
    for message, system in zip(found.examples, ("alpha", "human"), strict=True):
        assert message == f"{system}, expressive: there are 3 utterances, but the quota is 18. Add clips."


def test_a_quota_of_raters_names_where_too_few_ratings_are_wanted(now: datetime) -> None:
    raters, ratings = quota_checks.quota(plan_of(with_quota(now, protocol__quota_raters=8, protocol__ratings_wanted=2)))
    assert "4 raters who finish all their batches give all ratings wanted, but the quota is 8." in raters.message
    assert ratings.message == "2 systems or benchmarks get too few ratings for the quota of raters."
    alpha, human = ratings.examples
    assert "alpha, expressive: its clips × the ratings wanted of each make 6 ratings" in alpha
    assert "human, expressive" in human


def test_a_quota_within_reach_is_said_to_be(now: datetime) -> None:
    [(level, message)] = quota_of(with_quota(now, protocol__quota_raters=20, protocol__quota_utterances=3))
    assert (level, message) == (
        "note",
        "Every system and benchmark can reach its quota: 20 raters, 3 utterances.",
    )


def test_without_a_quota_nothing_is_said_of_one(now: datetime) -> None:
    assert quota_of(with_quota(now)) == []


def test_sentences_that_are_to_be_shown_must_be_known_for_every_clip(now: datetime) -> None:
    study = make_study(now=now, launch=False, texts=21, flawed=0, humans=0, systems=("human", "alpha"))
    definition = presets.get("hfr-granular").definition.model_dump(mode="json")
    study.draft = parse(change(definition, {"task.show_text": True})).model_dump(mode="json")
    study.save()
    assert [found for found in checks.findings(study) if found.level == "blocking"] == []
    study.texts.filter(name="text-3").update(body="")
    blocking = [found.message for found in checks.findings(study) if found.level == "blocking"]
    assert blocking == ["The study shows the sentence, but this clip has no text."]
