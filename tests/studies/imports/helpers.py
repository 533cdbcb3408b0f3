"""Clips to import, and what to ask of an import."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from studies.definition import presets
from studies.definition.parsing import change, parse
from studies.imports import requests
from studies.models import Clip, ClipImport, Question, Study, System, Text
from tests import audio

ROWS = [
    {"file": "h/1.wav", "system": "human", "role": "test", "voice": "LJ", "text_id": "t1", "text": "One."},
    {"file": "a/1.flac", "system": "alpha", "role": "test", "voice": "v", "text_id": "t1", "text": ""},
    {"file": "f/1.wav", "system": "flawed", "role": "trap_flawed", "voice": "", "text_id": "", "text": ""},
]
LATE = [{"file": row["file"], "system": row["system"], "role": row["role"], "text_id": "late"} for row in ROWS]
FILES = {"h/1.wav": audio.wav(1.0, seed=1), "a/1.flac": audio.flac(1.2, seed=2), "f/1.wav": audio.wav(0.7, seed=3)}


PASSAGES = [
    {"file": f"{system}/{passage}.wav", "system": system, "role": "test", "text_id": passage}
    for passage in ("p1", "p2")
    for system in ("alpha", "beta")
]
SPOKEN = {row["file"]: audio.wav(0.5, seed=seed) for seed, row in enumerate(PASSAGES, start=10)}
QUESTIONS = """passage,question,correct,distractor_1,distractor_1_error,distractor_2,distractor_2_error
p1,How long?,Six hours,Sixteen hours,phonetic,Six days,semantic
p1,Which engine?,The left one,The last one,phonetic,The right one,semantic
p2,How many?,312,320,phonetic,132,syntax
p2,Who?,Anna,Hannah,phonetic,Peter,semantic
"""
GOLDEN = """question,correct,distractor_1,distractor_2
How many days are there in a week?,Seven,Eight,Five
What is ten plus five?,Fifteen,Fifty,Five
"""


def draft(preset: str = "att", **settings: Any) -> dict[str, Any]:
    raw = presets.get(preset).definition.model_dump(mode="json")
    return parse(change(raw, {key.replace("__", "."): value for key, value in settings.items()})).model_dump(
        mode="json"
    )


def done(job: ClipImport, now: datetime) -> ClipImport:
    """Run a queued import as a worker does, and read its row again."""
    requests.run_import(pk=job.pk, now=lambda: now)
    job.refresh_from_db()
    return job


def stored(files: Path) -> list[Path]:
    return [path for path in files.rglob("*") if path.is_file()]


def by_list(job: ClipImport) -> list[tuple[str, int, str]]:
    """Return (list, row, column) of every refusal."""
    return [(line["table"], line["row"], line["column"]) for line in job.report if not line["warning"]]


def refusals(job: ClipImport) -> list[tuple[int, str, str, str]]:
    return [(line["row"], line["file"], line["column"], line["reason"]) for line in job.report if not line["warning"]]


def assert_nothing_was_taken(study: Study, files: Path) -> None:
    assert not Clip.objects.filter(study=study).exists()
    assert not Question.objects.filter(study=study).exists()
    assert not System.objects.filter(study=study).exists()
    assert not Text.objects.filter(study=study).exists()
    assert stored(files) == []
