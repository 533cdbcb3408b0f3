"""spot_checks.csv: every decision before the launch, with what came of it."""

from __future__ import annotations

import csv
from datetime import datetime
from pathlib import Path

import pytest

from analysis.data.models import Simulated
from analysis.exports import files
from analysis.exports.source import Source
from studies.decisions import deciding
from studies.imports import changes
from studies.launch import states
from studies.models import Clip, SpotItem, Study
from studies.spot_checks import checking as spot_checking
from studies.spot_checks.checking import SPOT_CHECK
from tests.raters.experts.people import expert
from tests.studies.spot_checks.checking import decide, decide_all, draft, with_takes

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


def export(study: Study, folder: Path) -> list[dict[str, str]]:
    files.write(Source(study, Simulated.WITHOUT), folder)
    with open(folder / "spot_checks.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_decision_is_a_row_and_outlives_its_clip(tmp_path: Path, now: datetime) -> None:
    study = with_takes(draft(now))
    spot_checking.fill(study=study)
    eva, otto = expert("eva", study), expert("otto", study)
    undone = decide(study, eva, now, "ok")
    deciding.undo(SPOT_CHECK, study=study, user=eva, key=undone.key, now=now)
    bad = undone.item_id
    decide_all(study, eva, now, lambda item: "wrong_words" if item.pk == bad else "")
    decide_all(study, otto, now)
    decide(study, expert("mia", study), now, "other", note='=hum, "loud"')
    failed = Clip.objects.get(spot_clips__item=bad)
    changes.remove(clips=[failed.pk], now=now)
    states.launch(study=study, now=now)
    rows = export(study, tmp_path)
    assert len(rows) == 2 * SpotItem.objects.count() + 2
    about = [row for row in rows if row["clips"] == failed.file]
    assert [(row["decision"], row["adjudicates"], row["revoked_at"] != "") for row in about] == [
        ("ok", "false", True),
        ("wrong_words", "false", False),
        ("ok", "false", False),
        ("other", "true", False),
    ]
    assert {(row["state"], row["outcome"], row["sha256"]) for row in about} == {("done", "failed", failed.sha256)}
    assert about[-1]["note"] == '\'=hum, "loud"'
    assert {row["expert"] for row in rows}.isdisjoint({"eva", "otto", "mia", str(eva.pk)})
    assert len({row["expert"] for row in rows}) == 3
    takes = [row for row in rows if row["kind"] == "consistency"]
    assert {(row["takes"], row["system"], row["outcome"]) for row in takes} == {("1|2", "alpha", "passed")}
    header = set(rows[0])
    with open(tmp_path / "codebook.csv", encoding="utf-8", newline="") as file:
        assert header == {row["column"] for row in csv.DictReader(file) if row["table"] == "spot_checks"}


def test_a_study_without_decisions_has_no_such_file(tmp_path: Path, now: datetime) -> None:
    study = draft(now, spot_check__mode="offered")
    states.launch(study=study, now=now)
    files.write(Source(study, Simulated.WITHOUT), tmp_path)
    assert not (tmp_path / "spot_checks.csv").exists()
