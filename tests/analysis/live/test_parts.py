"""A study is read some sessions at a time; where the cuts are makes no difference, nor in which way rows are read."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from analysis.data.models import Simulated
from analysis.live import figures, parts
from analysis.sections.results import dump
from core.database import keyed
from raters.models import Session, Verdict
from raters.rating import batches, verdicts
from studies.models import Study
from tests.passages import listen, make_passages
from tests.world import Person, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


def computed(study: Study, now: datetime) -> Any:
    return dump(figures.compute(study_id=study.pk, simulated=Simulated.WITHOUT, now=now))


def rated(now: datetime, people: int) -> Study:
    """Return a study in which some people have rated a batch each, one failed the traps, and some answers are out."""
    study = make_study(now=now, systems=("human", "alpha"), protocol__playback="record", protocol__ratings_wanted=3)
    for number in range(people):
        person = Person(study, now).start()
        while not person.filled:
            right = {"trap_flawed": "machine"}.get(person.role, "human")
            person.rate("unclear" if number == 1 else right)
        batches.validate(pk=person.filled[0], now=person.now)
    sessions = list(Session.objects.order_by("pk"))
    verdicts.exclude(session=sessions[2].pk, rule="by_hand", by=None, now=now, detail={"reason": "talked"})
    Person(study, now)
    return study


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("spread", [0, 10])
def test_parts_of_any_size_give_the_same_figures(
    now: datetime, size: int, spread: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = rated(now, people=5)
    whole = computed(study, now)
    assert whole["people"]["arrived"] == 6
    assert whole["batches"]["invalid"] == 1
    assert Verdict.objects.filter(rule="by_hand").exists()
    monkeypatch.setattr(parts, "SIZE", size)
    # Rows are read a few keys at a time: with all that lies between them, or each by its key.
    monkeypatch.setattr(keyed, "AT_ONCE", 5)
    monkeypatch.setattr(keyed, "SPREAD", spread)
    assert computed(study, now) == whole


@pytest.mark.parametrize("size", [1, 2])
def test_parts_of_passages_give_the_same_figures(now: datetime, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_passages(now=now, passages=2)
    for codes in (("correct", "distractor_1"), ("distractor_1", "correct"), ("correct", "distractor_1"), ("other",)):
        listen(study, now, *codes)
    whole = computed(study, now)
    monkeypatch.setattr(parts, "SIZE", size)
    assert computed(study, now) == whole
