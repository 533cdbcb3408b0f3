"""Attention checks and golden clips among clips on scales: mixed in, validated, counted and exported."""

from __future__ import annotations

import csv
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from analysis.data.models import Simulated
from analysis.live import figures
from analysis.report import computing
from analysis.sections.quality import Quality
from analysis.sections.results import dump
from raters.models import Batch
from raters.rating import batches
from studies.launch.states import close
from studies.models import Clip, Study
from tests import kinds
from tests.analysis.report.made import gathered
from tests.world import Person

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
TRAPS = {"protocol__flawed_traps": 1, "protocol__human_traps": 1, "protocol__human_traps_right": 1}


@pytest.fixture
def study(now: datetime) -> Study:
    study = kinds.make("scales", now=now, **TRAPS)
    Clip.objects.filter(study=study, role="trap_flawed").update(expected="2")
    Clip.objects.filter(study=study, role="trap_human").update(expected="4..")
    return study


def rated(study: Study, now: datetime, check: str, golden: str) -> Person:
    """Let somebody rate a batch with these answers to the attention check and the golden clip."""
    person = Person(study, now).start()
    while not person.is_done:
        point = {"trap_flawed": check, "trap_human": golden}.get(person.role, "3")
        answers: dict[str, Any] = dict.fromkeys(("naturalness", "intelligibility"), point)
        person.fetch()
        person.play()
        person.wait(9)
        person.send(person.submission(answer={"answers": answers}))
    batches.validate(pk=person.filled[0], now=person.now)
    return person


@pytest.mark.parametrize(
    ("check", "golden", "valid"), [("2", "5", True), ("2", "4", True), ("1", "5", False), ("2", "3", False)]
)
def test_a_batch_is_valid_if_its_expected_answers_were_given(
    check: str, golden: str, valid: bool, study: Study, now: datetime
) -> None:
    person = rated(study, now, check, golden)
    assert Batch.objects.get(pk=person.filled[0]).valid is valid
    assert person.session.trials.filter(item__role="test", usable=True).count() == (2 if valid else 0)


def test_results_count_the_traps_and_scores_leave_them_out(study: Study, now: datetime) -> None:
    for check in ("2", "2", "5"):
        rated(study, now, check, "5")
    found = figures.compute(study_id=study.pk, simulated=Simulated.WITHOUT, now=now)
    assert {trap.role: (trap.right, trap.asked) for trap in found.traps} == {
        "trap_flawed": (2, 3),
        "trap_human": (3, 3),
    }
    quality = computing.compute(gathered(study, sections=("quality",))).quality
    assert isinstance(quality, Quality)
    assert [(trap.label, trap.right) for trap in quality.traps] == [
        ("flawed traps answered correctly", 2),
        ("human traps answered correctly", 3),
    ]
    assert {row["mean"] for row in dump(found)["scores"]["system"]} == {3}


def test_an_export_says_what_was_expected_and_whether_it_was_given(study: Study, now: datetime, tmp_path: Path) -> None:
    rated(study, now, "1", "5")
    close(study=study)
    call_command("export_study", study.slug, out=tmp_path, verbosity=0)
    tables = {}
    for name in ("ratings", "clips"):
        [file] = tmp_path.rglob(f"{name}.csv")
        with file.open(newline="") as opened:
            tables[name] = list(csv.DictReader(opened))
    checks = {row["role"]: row["label"] for row in tables["ratings"] if row["part"] == "check"}
    assert checks == {"trap_flawed": "wrong", "trap_human": "right"}
    assert {row["expected"] for row in tables["clips"] if row["role"] == "trap_flawed"} == {"2"}
    assert {row["expected"] for row in tables["clips"] if row["role"] == "test"} == {""}
