"""A test with scales of its own is one file that names them: dropped in while the tests run, it can be launched."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from raters.models import Rating
from studies import task_types
from studies.definition import presets
from studies.definition.parsing import change, parse
from studies.launch.states import launch
from tests import kinds
from tests.raters.test_all_kinds import rate
from tests.world import Person

SOURCE = """
from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types._scales import Scale
from studies.task_types.scales import Params

MOS7 = Scale(name="MOS7", question="How good is this recording?", labels=("Ideal", "Bad"), high=7)
PRESET = Preset(
    "Seven points",
    "Each clip from 1 to 7.",
    Definition(
        preset="acr-7",
        task_type="scales",
        task=Params(scales=(MOS7,), way="one_page").model_dump(mode="json"),
        protocol=Protocol.model_validate(UNCHECKED),
        texts=texts("Listen, then answer."),
    ),
)
"""


@pytest.fixture
def preset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "acr_7.py").write_text(SOURCE)
    monkeypatch.setattr(presets, "__path__", [*presets.__path__, str(tmp_path)])
    for known in (task_types, presets):
        known.by_name.cache_clear()
    yield "acr-7"
    monkeypatch.undo()
    for known in (task_types, presets):
        known.by_name.cache_clear()


@pytest.mark.django_db
def test_a_preset_of_seven_points_is_launched_and_rated(preset: str, now: datetime) -> None:
    study = kinds.make("scales", now=now, launched=False)
    raw = presets.get(preset).definition.model_dump(mode="json")
    study.draft = parse(change(raw, {**kinds.SMALL, **kinds.UNCHECKED})).model_dump(mode="json")
    study.save()
    launch(study=study, now=now)
    person = Person(study, now).start()
    rate(person)
    rating = Rating.objects.get()
    assert rating.part == study.definition.kind.score.part == "mos7"
    assert study.definition.kind.score.high == 7
    assert rating.code in {"1", "2", "3", "4", "5", "6", "7"}
