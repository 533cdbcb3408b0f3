"""Files that nobody needs are found and deleted; what is used, new, or of an unknown kind is left alone."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from analysis.exports.models import Export
from analysis.runs.models import Analysis
from core import clock, hooks
from core.files import storage
from core.paths import ROOT
from studies.models import Clip, ClipImport, Study
from tests.buckets import names, store
from tests.world import make_study

pytestmark = pytest.mark.django_db


def age(folder: Path, hours: float = 30) -> None:
    """Make all stored files older."""
    then = time.time() - hours * 3600
    for path in folder.rglob("*"):
        os.utime(path, (then, then))


@pytest.fixture
def study(files: Path) -> Study:
    """A study with one file of every kind that a row can name."""
    made = make_study(now=clock.now())
    Clip.objects.filter(pk=made.clips.first().pk).update(original=storage.put("clips/7", b"original"))  # type: ignore[union-attr]
    kept = {name: storage.put("uploads", name.encode()) for name in ("manifest", "questions", "golden", "archive")}
    ClipImport.objects.create(study=made, created_at=clock.now(), manifest_name="m", **kept)
    Export.objects.create(study=made, created_at=clock.now(), file=storage.put("exports", b"zip"))
    plot = {"name": "p", "svg": storage.put("analyses", b"<svg/>"), "png": storage.put("analyses", b"png")}
    documents = {"report.html": storage.put("analyses", b"html"), "problem": "No PDF."}
    Analysis.objects.create(
        study=made, created_at=clock.now(), settings={}, files={"plots": [plot], "documents": documents}
    )
    age(files)
    return made


def test_nothing_that_a_row_names_is_ever_listed(study: Study, files: Path, capsys: Any) -> None:
    before = {path for path in files.rglob("*") if path.is_file()}
    call_command("clean_store", delete=True)
    assert capsys.readouterr().out.splitlines() == ["10 files are in use or new; 0 of 0.0 MB can be deleted."]
    assert {path for path in files.rglob("*") if path.is_file()} == before


def test_what_no_row_names_is_listed_and_only_then_deleted(study: Study, files: Path, capsys: Any) -> None:
    name = storage.put("clips/8", b"left behind")
    age(files)
    call_command("clean_store")
    said = capsys.readouterr().out
    assert f"To delete (1):\n  default: {name} (11 bytes" in said
    assert default_storage.exists(name)
    call_command("clean_store", delete=True)
    assert f"Deleted (1):\n  default: {name}" in capsys.readouterr().out
    assert not default_storage.exists(name)


def test_files_of_work_that_runs_are_left_alone(study: Study, files: Path) -> None:
    young, old = storage.put("clips/9", b"young"), storage.put("clips/9", b"old")
    then = time.time() - 25 * 3600
    os.utime(files / old, (then, then))
    call_command("clean_store", delete=True)
    assert (default_storage.exists(young), default_storage.exists(old)) == (True, False)
    call_command("clean_store", delete=True, hours=0)
    assert not default_storage.exists(young)
    with pytest.raises(CommandError, match="--hours is 0 or more"):
        call_command("clean_store", hours=-1)


def test_files_of_a_kind_that_nobody_answers_for_are_left_alone(study: Study, files: Path, capsys: Any) -> None:
    foreign = default_storage.save("somebody/elses", ContentFile(b"x"))
    age(files)
    call_command("clean_store", delete=True)
    assert default_storage.exists(foreign)
    assert "Left alone, of a kind that is not ours (1):\n  default: somebody/elses" in capsys.readouterr().out


def test_a_missing_file_is_told_with_its_row_and_the_command_fails(study: Study, capsys: Any) -> None:
    clip = study.clips.first()
    assert clip is not None
    storage.discard(clip.original)
    with pytest.raises(CommandError, match="1 files are missing; get them back from a backup"):
        call_command("clean_store")
    assert f"Missing (1):\n  the original of clip {clip.pk} ({clip.original})" in capsys.readouterr().out


def test_every_kind_of_file_that_the_product_stores_is_answered_for() -> None:
    kinds = set()
    for folder in ("platform", "studies", "raters", "analysis", "judge"):
        for path in (ROOT / folder).rglob("*.py"):
            kinds.update(re.findall(r"""storage\.(?:put|opaque)\(\s*f?["'](\w+)""", path.read_text(encoding="utf-8")))
    assert {"uploads", "exports", "analyses", "health"} <= kinds
    assert kinds <= set(hooks.stored_kinds), "say in the app's apps.py which rows name such files"


@pytest.mark.s3
def test_parts_that_a_bucket_waits_for_in_vain_are_given_up(
    settings: Any,
    buckets: Any,
    endpoint: str,
    capsys: Any,
) -> None:
    settings.STORAGES = {**settings.STORAGES, "default": store("earshot-tests", endpoint)}
    bucket: Any = default_storage
    # The server of the tests says of every upload that it began years ago.
    upload = bucket.begin_parts("uploads/ab/cd")
    name = storage.put("clips/1", b"young")
    call_command("clean_store")
    assert "default: uploads/ab/cd (parts of an upload)" in capsys.readouterr().out
    assert len(buckets.list_multipart_uploads(Bucket="earshot-tests")["Uploads"]) == 1
    call_command("clean_store", delete=True)
    assert bucket.parts("uploads/ab/cd", upload) == {}
    assert buckets.list_multipart_uploads(Bucket="earshot-tests").get("Uploads", []) == []
    assert names(buckets) == [name]
    others = bucket.begin_parts("somebody/else")
    call_command("clean_store", delete=True)
    assert [upload["UploadId"] for upload in buckets.list_multipart_uploads(Bucket="earshot-tests")["Uploads"]] == [
        others
    ]
