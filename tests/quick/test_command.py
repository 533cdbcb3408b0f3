"""`quick_result` prints the result and writes its files."""

from __future__ import annotations

import csv
import hashlib
import json
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from quick import making, request
from quick.request import Kept
from studies.definition.queries import get
from tests.quick.folders import asked, folder, listener, prefers

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]

KEYS = {
    "version", "task", "seed", "options", "started_at", "stopped", "answers", "answers_planned", "listeners",
    "complete", "heard_first", "without_partner", "same_sound", "repairs", "differences", "result", "pairs", "files",
    "note",
}  # fmt: skip
OF_A_PAIR = {"first", "second", "wins", "losses", "ties", "mean", "share", "p", "against"}


@pytest.fixture
def kept(tmp_path: Path, now: datetime, settings: Any) -> Kept:
    """A test of which one of two listeners has finished, and preferred indigo except on one text."""
    settings.DATA = tmp_path
    places = folder(tmp_path, "crimson", 8), folder(tmp_path, "indigo", 8, level=0.1)
    kept = making.make(asked(*places, raters=2), str)
    request.store(kept)
    listener(kept, now).rate(prefers(kept.texts[3], system="indigo"))
    return kept


def said(out: Path, *flags: str) -> str:
    stdout = StringIO()
    call_command("quick_result", *flags, out=out, stdout=stdout)
    return stdout.getvalue()


def test_json_has_the_winner_p_and_everything_to_repeat_the_test(kept: Kept, tmp_path: Path) -> None:
    result = json.loads(said(tmp_path / "out", "--json"))
    assert result.keys() == KEYS
    [pair] = result["pairs"]
    assert pair.keys() == OF_A_PAIR
    assert (pair["first"], pair["wins"], pair["losses"], pair["against"]) == ("indigo", 7, 1, [kept.texts[3]])
    assert pair["p"] == pytest.approx(2 * (1 + 8) / 2**8)
    assert result == json.loads((tmp_path / "out" / "result.json").read_text())
    assert get(kept.slug).state == "closed"


def test_out_has_seed_version_hashes_and_gains(kept: Kept, tmp_path: Path, settings: Any) -> None:
    said(tmp_path / "out")
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert (result["seed"], result["options"]["raters"], result["version"]) == (7, 2, settings.VERSION)
    with (tmp_path / "out" / "files.csv").open(encoding="utf-8", newline="") as file:
        files = list(csv.DictReader(file))
    assert len(files) == len(result["files"]) == 16
    for row, each in zip(files, result["files"], strict=True):
        assert row["sha256"] == each["sha256"] == hashlib.sha256(Path(row["path"]).read_bytes()).hexdigest()
        assert float(row["gain"]) == each["gain"]
    quieter = [float(row["gain"]) for row in files if row["folder"] == "indigo"]
    assert min(quieter) > max(float(row["gain"]) for row in files if row["folder"] == "crimson")
    with (tmp_path / "out" / "answers.csv").open(encoding="utf-8", newline="") as file:
        answers = list(csv.DictReader(file))
    assert list(answers[0]) == ["listener", "text", "first", "second", "gap", "heard_first"]
    assert sum(float(row["gap"]) * (1 if row["first"] == "indigo" else -1) for row in answers) == 6


def test_a_test_stopped_by_hand_says_after_how_many_answers(kept: Kept, now: datetime, tmp_path: Path) -> None:
    # Which three texts the second listener hears is chance: both agree on every text.
    listener(kept, now).rate(prefers(kept.texts[3], system="indigo"), trials=3)
    lines = said(tmp_path / "out", "--stopped").splitlines()
    assert lines[0] == "Stopped by hand after 11 of 16 answers."
    assert f"Texts with the opposite result for indigo and crimson: {kept.texts[3]}" in lines
    assert "Stopped by hand after 11 of 16 answers." in (tmp_path / "out" / "report.html").read_text()
