"""A task type is one file and one template: dropped in while the tests run, it works from launch to rating."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from raters.models import Rating
from raters.rating import batches
from studies import task_types
from studies.definition import presets
from tests.world import Person, carry, make_study

SOURCE = """
from __future__ import annotations

from core.spec import Spec
from studies.task_types.base import AnswerRow, Presentation, ScoreScale, TaskType


class Params(Spec):
    question: str = "How near does the speaker stand?"


class Answer(Spec):
    metres: float


class Distance(TaskType[Params, Answer]):
    name = "distance"
    label = "Distance"
    columns = ("metres",)
    options = 2
    score = ScoreScale("metres", 0.0, 10.0, "m", "metres")

    def draw(self, params, item, rng):
        return Presentation()

    def problems(self, params, shown, answer):
        return {} if 0 <= answer.metres <= 10 else {"metres": "Write 0 to 10."}

    def rows(self, params, shown, answer):
        return [AnswerRow("metres", "metres", answer.metres)]

    def passes(self, params, role, rows):
        return (rows[0].value < 5) == (role == "trap_human")

    def simulate(self, params, shown, listener, rng):
        return Answer(metres=10 * (1 - listener.chance))
"""
TEMPLATE = '<label>{{ params.question }} <input type="number" name="metres" required></label>'


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "distance.py").write_text(SOURCE)
    monkeypatch.setattr(task_types, "__path__", [*task_types.__path__, str(tmp_path)])
    for known in (task_types, presets):
        known.by_name.cache_clear()
    yield tmp_path
    monkeypatch.undo()
    for known in (task_types, presets):
        known.by_name.cache_clear()


@pytest.fixture
def template(module: Path, settings: Any) -> None:
    (module / "templates" / "task_types").mkdir(parents=True)
    (module / "templates" / "task_types" / "distance.html").write_text(TEMPLATE)
    engine = settings.TEMPLATES[0]
    settings.TEMPLATES = [{**engine, "DIRS": [*engine["DIRS"], module / "templates"]}]


def test_without_its_template_the_check_names_it(module: Path) -> None:
    with pytest.raises(SystemCheckError, match=r"distance has no template task_types/distance\.html"):
        call_command("check")


@pytest.mark.django_db
def test_with_its_template_it_is_launched_shown_rated_and_validated(template: None, now: datetime) -> None:
    call_command("check")
    study = make_study(now=now, task_type="distance")
    person = Person(study, now).start()
    page = carry(person).get(f"/rate/{study.slug}/trial/")
    assert "How near does the speaker stand?" in page.content.decode()
    person.load()
    while not person.is_done:
        metres = {"trap_human": 1.0, "trap_flawed": 9.0}.get(person.role, 4.0)
        person.fetch()
        person.play()
        person.wait(2)
        person.send(person.submission(answer={"metres": metres}))
    assert batches.validate(pk=person.filled[0], now=person.now) is True
    assert Rating.objects.filter(part="metres", trial__usable=True).count() == 10
