"""A page of a list costs what its rows hold, not a shape for each of them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from rest_framework.serializers import Serializer

from accounts.models import User
from studies.corpus.models import CorpusText
from studies.models import Question
from tests.api.caller import Caller
from tests.world import make_study


@pytest.fixture
def shapes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect the names of the shapes whose fields are made."""
    made: list[str] = []
    get_fields = Serializer.get_fields

    def counted(self: Serializer[Any]) -> Any:
        made.append(type(self).__name__)
        return get_fields(self)

    monkeypatch.setattr(Serializer, "get_fields", counted)
    return made


@pytest.mark.parametrize("name", ["clips", "texts", "questions"])
def test_a_page_of_many_rows_makes_as_many_shapes_as_a_page_of_one(
    name: str, api: Caller, rita: User, now: datetime, shapes: list[str]
) -> None:
    study = make_study(now=now)
    study.owner = rita
    study.save()
    for number in range(3):
        turns = [{"speaker": "A", "text": "Hello."}]
        CorpusText.objects.create(study=study, name=f"c{number}", turns=turns, created_at=now, changed_at=now)
        options = [{"text": "Yes", "error": ""}, {"text": "No", "error": "other"}]
        Question.objects.create(study=study, name=f"q{number}", golden=True, prompt="Is it?", options=options)
    counts = []
    for limit in (1, 3):
        shapes.clear()
        assert len(api.get(f"/studies/{study.slug}/{name}", limit=limit).json()["results"]) == limit
        counts.append(len(shapes))
    assert counts[0] == counts[1] > 0
