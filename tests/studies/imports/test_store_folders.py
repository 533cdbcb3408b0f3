"""Clips that lie in the store already: a folder below `incoming/` is listed, read, and left as it is."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.files import cleaning
from studies.imports import requests, store_folders
from studies.imports.ingest.problems import InvalidInput
from studies.models import Clip, ClipImport, Study
from tests import audio
from tests.researchers import logged_in, researcher
from tests.studies.imports.helpers import FILES, ROWS, done, refusals

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(files: Path) -> str:
    """Put clips into a folder of the store, and return its name."""
    for name, content in FILES.items():
        default_storage.save(f"incoming/alder and others/{name}", ContentFile(content))
    return "alder and others"


@pytest.fixture
def client(study: Study) -> Client:
    Study.objects.filter(pk=study.pk).update(owner=researcher("rita"))
    study.refresh_from_db()
    return logged_in(study.owner)


def table(study: Study) -> str:
    return reverse("studies:clip_table", args=[study.slug])


def test_a_folder_is_proposed_as_a_table_and_imported(
    study: Study, client: Client, folder: str, now: datetime, files: Path
) -> None:
    assert client.get(table(study)).json() == {"folders": [folder]}
    proposed = client.post(table(study), {"folder": folder}).json()
    assert [(row["file"], row["system"], row["role"]) for row in proposed["rows"]] == [
        ("a/1.flac", "a", "test"),
        ("f/1.wav", "f", "test"),
        ("h/1.wav", "h", "test"),
    ]
    assert not Clip.objects.exists()
    manifest = ContentFile(audio.manifest(ROWS), "clips.csv")
    sent = client.post(reverse("studies:clips", args=[study.slug]), {"folder": folder, "manifest": manifest})
    job = ClipImport.objects.get()
    assert sent.status_code == 302
    assert done(job, now).clips_added == 3, job.report
    assert set(Clip.objects.values_list("file", flat=True)) == set(FILES)
    assert store_folders.StoreFolder(folder).names == sorted(FILES), "the folder stays as it was"


def test_the_manifest_in_the_folder_is_read(study: Study, folder: str, now: datetime) -> None:
    default_storage.save(f"incoming/{folder}/metadata.csv", ContentFile(audio.manifest(ROWS)))
    default_storage.save(f"incoming/{folder}/notes.csv", ContentFile(b"a,b\n1,2\n"))
    job = requests.request_import(
        study=study, user=None, manifest=None, manifest_name=folder, archive=None, archive_name=folder, folder=folder,
        now=now,
    )  # fmt: skip
    assert done(job, now).clips_added == 3, job.report
    assert not job.is_conversion
    assert [line["file"] for line in job.report] == ["notes.csv"]


def test_a_file_that_is_missing_from_the_folder_refuses_all(
    study: Study, folder: str, now: datetime, files: Path
) -> None:
    rows = [*ROWS, {**ROWS[0], "file": "../../uploads/other.wav", "text_id": "t9"}, {**ROWS[0], "file": "h/2.wav"}]
    job = requests.request_import(
        study=study, user=None, manifest=ContentFile(audio.manifest(rows)), manifest_name="m.csv", archive=None,
        archive_name=folder, folder=folder, now=now,
    )  # fmt: skip
    done(job, now)
    assert [(row, file) for row, file, _column, _reason in refusals(job)] == [
        (5, "../../uploads/other.wav"),
        (6, "h/2.wav"),
    ]
    assert not Clip.objects.exists()


@pytest.mark.parametrize("name", ["../uploads", "none", "alder and others/h", ".", "/"])
def test_only_folders_of_imports_can_be_named(study: Study, client: Client, folder: str, name: str) -> None:
    default_storage.save("uploads/secret.wav", ContentFile(audio.wav(0.5)))
    with pytest.raises(InvalidInput):
        store_folders.StoreFolder(name)
    assert client.post(table(study), {"folder": name}).status_code == 422
    shown = client.post(reverse("studies:clips", args=[study.slug]), {"folder": name})
    assert not ClipImport.objects.exists()
    assert shown.status_code == 200


def test_nobody_else_sees_the_folders(study: Study, client: Client, folder: str) -> None:
    stranger = logged_in(researcher("eva"))
    assert stranger.get(table(study)).status_code in {403, 404}
    assert stranger.post(table(study), {"folder": folder}).status_code in {403, 404}


def test_the_command_imports_a_folder_of_the_store(study: Study, folder: str, tmp_path: Path, capsys: Any) -> None:
    with pytest.raises(CommandError, match="There is no folder none"):
        call_command("import_clips", study.slug, store_folder="none")
    with pytest.raises(CommandError, match="--store-folder"):
        call_command("import_clips", study.slug)
    (tmp_path / "m.csv").write_bytes(audio.manifest(ROWS))
    call_command("import_clips", study.slug, manifest=tmp_path / "m.csv", store_folder=folder)
    assert "Imported 3 clips into one." in capsys.readouterr().out


def test_files_that_wait_for_an_import_are_no_orphans(folder: str) -> None:
    later = timezone.now() + timezone.timedelta(days=30)
    assert cleaning.compare(before=later).orphans == []
