"""A ZIP that brings its manifest: where it is found, and what is said where it isn't."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from studies.imports.ingest.archive import Folder, ZipArchive
from studies.imports.ingest.problems import InvalidInput
from tests import audio

LIST = audio.manifest([{"file": "a/1.wav", "system": "alpha", "role": "test"}])
CLIP = audio.wav(0.3)


def opened(**files: bytes) -> ZipArchive:
    return ZipArchive(io.BytesIO(audio.zipped({name.replace("__", "/"): content for name, content in files.items()})))


@pytest.mark.parametrize(
    "files",
    [
        {"manifest.csv": LIST},
        {"clips.CSV": LIST},
        {"Manifest.csv": LIST, "notes.csv": b"x"},
        {"manifest.csv": LIST, "a/other.csv": b"x"},
    ],
)
@pytest.mark.parametrize("top", ["", "study/"])
def test_it_is_the_one_table_at_the_top_or_the_one_called_manifest(files: dict[str, bytes], top: str) -> None:
    archive = opened(**{top + name: content for name, content in {**files, "a/1.wav": CLIP}.items()})
    assert archive.manifest() == LIST
    left_out = [problem.file for problem in archive.match({"a/1.wav"})]
    assert not any(name.lower().endswith("manifest.csv") or name.endswith("clips.CSV") for name in left_out)
    assert archive.missing("a/1.wav") == ""


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({}, "contains no manifest"),
        ({"b/c/manifest.csv": LIST}, "contains no manifest"),
        ({"one.csv": LIST, "two.csv": LIST}, "contains several CSV files"),
    ],
)
def test_an_archive_without_one_says_where_to_put_it(files: dict[str, bytes], reason: str) -> None:
    archive = opened(**files, **{"a/1.wav": CLIP})
    with pytest.raises(InvalidInput, match=f"{reason}: put the one with a row for each clip at its top"):
        archive.manifest()


def test_a_folder_has_it_at_its_top(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"There is no manifest\.csv"):
        Folder(tmp_path).manifest()
    (tmp_path / "manifest.csv").write_bytes(LIST)
    assert Folder(tmp_path).manifest() == LIST
