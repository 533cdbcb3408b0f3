"""The strict leak test: one byte or one telling name blocks the launch and names the clip."""

from __future__ import annotations

import io
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.files import storage
from studies.audit import queries
from studies.audit.findings import findings
from studies.audit.strict_leak import StoredRendition, StrictLeaks, strict_leaks
from studies.imports.ingest import rates
from studies.launch import checks
from studies.models import Clip, Study
from tests.studies.audit.material import ALIKE, DIFFERENT, clip_set, measured, study_of

files = pytest.mark.usefixtures("files")
NAME = "clips/7/ab/ab" + "0" * 30
FINE = StrictLeaks((), (), ())


def stored(file: str, *, rate: int = 48_000, more: int = 0, name: str = NAME, seconds: float = 1.3) -> StoredRendition:
    return StoredRendition(file, name, rates.size(seconds, 44_100, 1, rate) + more, seconds, 44_100)


def test_renditions_of_any_duration_at_one_rate_are_fine() -> None:
    rows = [stored(str(frames), seconds=frames / 44_100) for frames in range(4_410, 90_000, 997)]
    assert strict_leaks(rows, 1, None) == strict_leaks(rows, 1, 48_000) == FINE
    assert strict_leaks([], 1, None) == FINE


@pytest.mark.parametrize("more", [-1, 1, 2, 44])
def test_one_byte_more_or_less_names_the_clip(more: int) -> None:
    rows = [stored("a.wav"), stored("b.wav", more=more), stored("c.wav")]
    assert strict_leaks(rows, 1, None) == FINE._replace(sizes=("b.wav",))


def test_clips_at_another_rate_than_the_study_or_than_most_clips_are_named() -> None:
    rows = [stored("a.wav"), stored("b.wav", rate=24_000), stored("c.wav", rate=24_000)]
    assert strict_leaks(rows, 1, None) == FINE._replace(rates=("a.wav",))
    assert strict_leaks(rows, 1, 48_000) == FINE._replace(rates=("b.wav", "c.wav"))
    assert strict_leaks(rows, 1, 16_000) == FINE._replace(rates=("a.wav",))


@pytest.mark.parametrize(
    "name",
    [
        "clips/7/human/1.wav",
        "clips/human/ab/ab" + "0" * 30,
        NAME + "_human",
        NAME + ".wav",
        "clips/7/ab/cd" + "0" * 30,
        "",
    ],
)
def test_a_stored_name_that_could_mean_something_names_the_clip(name: str) -> None:
    assert strict_leaks([stored("a.wav"), stored("b.wav", name=name)], 1, None) == FINE._replace(names=("b.wav",))


def test_names_that_the_storage_makes_are_fine() -> None:
    names = [storage.opaque(kind) for kind in ("renditions", "clips/1", "clips/4711")]
    assert strict_leaks([stored("a.wav", name=name) for name in names], 1, None) == FINE


@pytest.fixture
def draft(tmp_path: Path, now: datetime) -> Study:
    return measured(study_of(tmp_path / "clips", now, *clip_set(**ALIKE)), now)


def messages(study: Study, level: str) -> list[str]:
    study.refresh_from_db()
    return [
        each.message for each in checks.findings(study) if each.level == level and each.message.startswith("Audit: ")
    ]


@files
@pytest.mark.django_db
def test_an_import_of_different_sources_leaks_nothing(tmp_path: Path, now: datetime) -> None:
    study = study_of(tmp_path / "clips", now, *clip_set(**DIFFERENT))
    assert not any(each.is_blocking for each in findings(study, queries.clips(study)))
    heads = set()
    for clip in Clip.objects.all():
        with storage.open_sound(clip.rendition, clip.rendition_bytes) as file:
            content = file.read()
        assert len(content) == clip.rendition_bytes
        # Without the two lengths.
        heads.add((content[:4], content[8:40]))
    assert len(heads) == 1


@files
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"rendition_bytes": 48_001}, "1 clip has more or fewer bytes than its duration explains: human/t3.wav."),
        ({"rendition": "clips/human/t3.wav"}, "1 clip is stored under a name that isn’t random: human/t3.wav."),
    ],
)
def test_a_leak_blocks_the_launch_of_a_draft_and_warns_later(draft: Study, change: dict[str, Any], text: str) -> None:
    assert messages(draft, "blocking") == []
    Clip.objects.filter(file="human/t3.wav").update(**change)
    [message] = messages(draft, "blocking")
    assert message.startswith(f"Audit: {text}")
    Study.objects.update(state=Study.State.LIVE)
    assert messages(draft, "blocking") == []
    assert message in messages(draft, "warning")
    Study.objects.update(state=Study.State.DRAFT)
    Clip.objects.filter(file="human/t3.wav").update(withdrawn_at=draft.created_at)
    assert messages(draft, "blocking") == []


@files
@pytest.mark.django_db
def test_a_clip_at_another_rate_blocks_where_the_study_sets_its_rate(draft: Study) -> None:
    clip = Clip.objects.get(file="beta/t1.wav")
    size = rates.size(clip.duration, clip.sample_rate, 1, 24_000)
    Clip.objects.filter(pk=clip.pk).update(rendition_bytes=size)
    # The job that converts clips to one rate comes first.
    assert messages(draft, "blocking") == []
    draft.draft["audio"]["sample_rate"] = 16_000
    draft.save()
    [message] = messages(draft, "blocking")
    assert message.startswith("Audit: 1 clip is sent at another sample rate than the others: beta/t1.wav.")


@files
@pytest.mark.django_db
def test_the_test_costs_no_query_of_its_own(draft: Study) -> None:
    clips = queries.clips(draft)
    with CaptureQueriesContext(connection) as context:
        findings(draft, clips)
    assert not any("rendition" in query["sql"] for query in context.captured_queries)


@files
@pytest.mark.django_db
def test_the_command_names_the_clip_in_text_and_in_json(draft: Study, tmp_path: Path) -> None:
    Clip.objects.filter(file="human/t3.wav").update(rendition_bytes=48_001)
    out, written = io.StringIO(), tmp_path / "audit.json"
    with pytest.raises(CommandError, match="1 of 1 findings block the launch"):
        call_command("audit_study", draft.slug, json=written, stdout=out)
    assert "blocking: 1 clip has more or fewer bytes than its duration explains: human/t3.wav." in out.getvalue()
    [finding] = json.loads(written.read_text())["findings"]
    assert finding["level"] == "blocking"
    assert "human/t3.wav" in finding["text"]
