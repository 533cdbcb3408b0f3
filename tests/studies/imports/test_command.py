from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from core import jobs
from studies.imports import requests
from studies.models import Clip, Study
from tests import audio
from tests.studies.imports.helpers import FILES, GOLDEN, PASSAGES, QUESTIONS, ROWS, SPOKEN, draft

pytestmark = pytest.mark.django_db


def test_a_folder_is_imported_at_once_with_progress(study: Study, tmp_path: Path, now: datetime) -> None:
    manifest = audio.write_folder(tmp_path / "clips", ROWS, FILES)
    told: list[tuple[int, int]] = []
    job = requests.import_folder(
        study=study,
        manifest_path=manifest,
        root=manifest.parent,
        now=lambda: now,
        progress=lambda done, total: told.append((done, total)),
    )
    assert (job.state, job.clips_added, job.report) == (jobs.DONE, 3, [])
    # On a slow machine, a number is told more than once.
    assert list(dict.fromkeys(told)) == [(0, 3), (1, 3), (2, 3), (3, 3)]
    # The import itself is done; the audit of the new clips is left to a worker.
    assert [task for task, _pk in jobs.due(now + timedelta(days=1))] == ["studies.audit_clips"]


def test_the_command_imports_and_says_how_many(study: Study, tmp_path: Path, capsys: Any) -> None:
    manifest = audio.write_folder(tmp_path, ROWS, FILES)
    call_command("import_clips", "one", "--manifest", str(manifest))
    assert "Imported 3 clips into one." in capsys.readouterr().out
    assert Clip.objects.filter(study=study).count() == 3


def test_the_command_takes_a_zip_as_root(study: Study, tmp_path: Path) -> None:
    manifest = audio.write_folder(tmp_path, ROWS, {})
    (tmp_path / "clips.zip").write_bytes(audio.zipped({f"top/{name}": content for name, content in FILES.items()}))
    call_command("import_clips", "one", "--manifest", str(manifest), "--root", str(tmp_path / "clips.zip"))
    assert Clip.objects.filter(study=study).count() == 3


@pytest.mark.processes
def test_the_command_prints_a_table_and_fails_when_clips_are_refused(study: Study, tmp_path: Path, capsys: Any) -> None:
    manifest = audio.write_folder(tmp_path, ROWS, {**FILES, "h/1.wav": b"#EXTM3U\nhttp://127.0.0.1/a.wav\n"})
    with pytest.raises(CommandError, match="Nothing was imported"):
        call_command("import_clips", "one", "--manifest", str(manifest))
    lines = capsys.readouterr().out.splitlines()
    assert any(line.split() == ["table", "row", "file", "column", "reason"] for line in lines)
    assert any(line.split()[:4] == ["manifest", "2", "h/1.wav", "file"] and "playlist" in line for line in lines)
    assert not Clip.objects.exists()


@pytest.mark.parametrize("arguments", [("two", "manifest.csv"), ("one", "nowhere.csv")])
def test_the_command_names_what_is_not_there(arguments: tuple[str, str], study: Study, tmp_path: Path) -> None:
    audio.write_folder(tmp_path, ROWS, {})
    with pytest.raises(CommandError, match="There is no"):
        call_command("import_clips", arguments[0], "--manifest", str(tmp_path / arguments[1]))


def test_the_command_imports_questions_and_says_how_many(tmp_path: Path, files: Path, capsys: Any) -> None:
    study = Study.objects.create(slug="asking", title="Asking", draft=draft("sp-mcqa"))
    manifest = audio.write_folder(tmp_path, PASSAGES, SPOKEN)
    (tmp_path / "q.csv").write_text(QUESTIONS)
    (tmp_path / "g.csv").write_text(GOLDEN.replace("Seven", "Eight"))
    arguments = ["asking", "--manifest", str(manifest), "--questions", str(tmp_path / "q.csv")]
    with pytest.raises(CommandError, match="1 refusals"):
        call_command("import_clips", *arguments, "--golden", str(tmp_path / "g.csv"))
    assert ["golden", "2", "distractor_1"] in [line.split()[:3] for line in capsys.readouterr().out.splitlines()]
    assert not Clip.objects.exists()
    (tmp_path / "g.csv").write_text(GOLDEN)
    call_command("import_clips", *arguments, "--golden", str(tmp_path / "g.csv"))
    assert "Imported 4 clips and 6 questions into asking." in capsys.readouterr().out
    assert study.questions.filter(golden=True).count() == 2


def test_the_command_names_a_list_that_is_not_there(study: Study, tmp_path: Path) -> None:
    manifest = audio.write_folder(tmp_path, ROWS, FILES)
    with pytest.raises(CommandError, match=r"nowhere\.csv"):
        call_command("import_clips", "one", "--manifest", str(manifest), "--golden", str(tmp_path / "nowhere.csv"))
