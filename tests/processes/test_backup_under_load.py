"""A backup is made while raters answer; on another database it holds every answer acknowledged before it began."""

from __future__ import annotations

import json
import sqlite3
import tarfile
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from core import clock
from core.operations import backups
from raters.models import Answer
from tests.core.operations.test_backups import manage
from tests.processes.crowd import invite
from tests.servers import Processes, free_port, until
from tests.world import make_study

pytestmark = pytest.mark.processes
PEOPLE, ANSWERS = 3, 20


def test_every_answer_acknowledged_before_a_backup_is_in_it(processes: Processes, tmp_path: Path) -> None:
    study = make_study(now=clock.now(), texts=40, flawed=6, humans=12, protocol__playback="record")
    port = free_port()
    processes.web(port)
    crowd = invite(processes, f"http://127.0.0.1:{port}", study.slug, people=PEOPLE, answers=ANSWERS)
    crowd.let_in()
    until(lambda: Answer.objects.count() >= PEOPLE * 3, "nobody answers")
    before = {str(key) for key in Answer.objects.values_list("idempotency", flat=True)}
    manifest = backups.write(tmp_path / "backup.tar", version="test", now=clock.now(), say=lambda text: None)
    during = Answer.objects.count()
    seen = crowd.seen(120)

    there = tmp_path / "there"
    assert manage(there, "migrate", "--verbosity=0").returncode == 0
    restored = manage(there, "restore", str(tmp_path / "backup.tar"))
    assert restored.returncode == 0, restored.stderr
    with sqlite3.connect(there / "earshot.sqlite3") as database:
        kept = {str(UUID(str(key))) for (key,) in database.execute("SELECT idempotency FROM raters_answer")}
        [answered] = database.execute("SELECT COUNT(*) FROM raters_trial WHERE answered_at IS NOT NULL").fetchone()
        [rated] = database.execute("SELECT COUNT(DISTINCT trial_id) FROM raters_rating").fetchone()
    acknowledged = {key for each in seen for _trial, key in each["acknowledged"]}
    assert before <= kept <= acknowledged, "all from before it began, and none that nobody sent"
    assert len(acknowledged) == PEOPLE * ANSWERS
    assert len(kept) <= during
    assert len(kept) == answered == rated == manifest["tables"]["raters.answer"]["rows"], "no answer is half in it"
    assert manage(there, "backup", str(tmp_path / "again.tar")).returncode == 0
    # The restored server's secret key is its own.
    own = {"core.keyfingerprint": {}}
    assert {**tables(tmp_path / "again.tar"), **own} == {**manifest["tables"], **own}, "rows and hashes"


def tables(path: Path) -> dict[str, Any]:
    """Return what a backup's manifest says of its tables."""
    with tarfile.open(path) as archive:
        found: dict[str, Any] = json.load(archive.extractfile("manifest.json"))["tables"]  # type: ignore[arg-type]
    return found
