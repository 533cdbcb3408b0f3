"""The demo's clips are speech, different from one another, and labelled for what they are."""

from __future__ import annotations

import csv
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from demo import material
from demo.flaws import FLAWS
from tests.demo import PLATFORM, needs_espeak

pytestmark = needs_espeak


def make(folder: Path) -> Path:
    environment = {**os.environ, "PYTHONPATH": str(PLATFORM)}
    done = subprocess.run(
        [sys.executable, "-m", "demo.synthesise", str(folder)], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("clips"))


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "manifest.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_clip_decodes_lasts_a_few_seconds_and_is_heard(folder: Path) -> None:
    for row in rows(folder):
        samples, rate = soundfile.read(folder / row["file"])
        assert rate == 22050
        assert samples.ndim == 1
        assert 2 <= len(samples) / rate <= 4.2, row["file"]
        assert np.isfinite(samples).all()
        assert 0.6 < np.abs(samples).max() < 0.75
        assert samples.std() > 0.03


def test_the_manifest_names_every_file_once(folder: Path) -> None:
    named = [row["file"] for row in rows(folder)]
    assert sorted(named) == sorted(str(path.relative_to(folder)) for path in folder.rglob("*.wav"))
    assert len(set(named)) == len(named)


def test_no_two_clips_are_the_same(folder: Path) -> None:
    sums = [hashlib.sha256((folder / row["file"]).read_bytes()).hexdigest() for row in rows(folder)]
    assert len(set(sums)) == len(sums)


def test_every_system_says_every_text_of_both_dimensions(folder: Path) -> None:
    tests = [row for row in rows(folder) if row["role"] == "test"]
    systems = {row["system"] for row in tests}
    texts = {(row["dimension"], row["text_id"]) for row in tests}
    assert systems == {"human", "alder", "birch", "cedar"}
    assert {dimension for dimension, _ in texts} == {"statements", "questions"}
    assert len(tests) == len(systems) * len(texts)


def test_the_traps_suffice_for_two_batches_and_share_no_text_with_the_tests(folder: Path) -> None:
    texts: dict[str, list[str]] = {}
    for row in rows(folder):
        texts.setdefault(row["role"], []).append(row["text"])
    assert len(texts["trap_flawed"]) == len(FLAWS) == 6
    assert len(texts["trap_human"]) == 8
    assert not set(texts["test"]) & {*texts["trap_flawed"], *texts["trap_human"]}


def test_whoever_plays_the_human_is_labelled_a_stand_in(folder: Path) -> None:
    playing = {row["voice"] for row in rows(folder) if row["system"] == "human"}
    assert playing == {material.STAND_IN.label}
    assert material.STAND_IN.label.startswith("stand-in")
    assert {row["system"] for row in rows(folder) if row["role"] == "trap_human"} == {"human"}


def test_a_second_run_makes_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    again = make(tmp_path)
    for path in folder.rglob("*.*"):
        assert path.read_bytes() == (again / path.relative_to(folder)).read_bytes()


def test_a_voice_that_the_library_does_not_have_is_refused() -> None:
    code = (
        "from dataclasses import replace; from demo.espeak import Espeak; from demo.material import STAND_IN; "
        "Espeak().say('Hello.', replace(STAND_IN, voice='no-such-voice'))"
    )
    environment = {**os.environ, "PYTHONPATH": str(PLATFORM)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert "espeak-ng refused the voice no-such-voice" in done.stderr


def test_making_clips_loads_no_web_framework() -> None:
    code = "import sys, demo.synthesise; print(sorted({'django', 'studies', 'raters', 'core'} & set(sys.modules)))"
    environment = {**os.environ, "PYTHONPATH": str(PLATFORM)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_the_web_process_never_loads_the_synthesiser(process_environment: dict[str, str]) -> None:
    code = (
        "import sys; sys.path[:0] = ['.', 'platform']; import django; django.setup(); import config.urls, demo.seeding;"
        "print(sorted({'espeakng_loader', 'demo.espeak'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=process_environment, cwd=PLATFORM.parent, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]", done.stderr
