"""Clips to import, and what to ask of an import."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from studies import presets
from studies.models import Clip, ClipImport, Study, System, Text
from studies.presets.definition import change, parse
from studies.services import imports
from tests import audio

ROWS = [
    {"file": "h/1.wav", "system": "human", "role": "test", "voice": "LJ", "text_id": "t1", "text": "One."},
    {"file": "a/1.flac", "system": "alpha", "role": "test", "voice": "v", "text_id": "t1", "text": ""},
    {"file": "f/1.wav", "system": "flawed", "role": "trap_flawed", "voice": "", "text_id": "", "text": ""},
]
LATE = [{"file": row["file"], "system": row["system"], "role": row["role"], "text_id": "late"} for row in ROWS]
FILES = {"h/1.wav": audio.wav(1.0, seed=1), "a/1.flac": audio.flac(1.2, seed=2), "f/1.wav": audio.wav(0.7, seed=3)}


def draft(**settings: Any) -> dict[str, Any]:
    raw = presets.get("att").DEFINITION.model_dump(mode="json")
    return parse(change(raw, {key.replace("__", "."): value for key, value in settings.items()})).model_dump(
        mode="json"
    )


def done(job: ClipImport, now: datetime) -> ClipImport:
    """Run a queued import as a worker does, and read its row again."""
    imports.run_import(pk=job.pk, now=lambda: now)
    job.refresh_from_db()
    return job


def stored(files: Path) -> list[Path]:
    return [path for path in files.rglob("*") if path.is_file()]


def refusals(job: ClipImport) -> list[tuple[int, str, str, str]]:
    return [(line["row"], line["file"], line["column"], line["reason"]) for line in job.report if not line["warning"]]


def assert_nothing_was_taken(study: Study, files: Path) -> None:
    assert not Clip.objects.filter(study=study).exists()
    assert not System.objects.filter(study=study).exists()
    assert not Text.objects.filter(study=study).exists()
    assert stored(files) == []
