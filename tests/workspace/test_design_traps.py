"""The help of the numbers of traps on Design."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.test import Client

from accounts.models import User
from tests.researchers import text
from tests.workspace.test_design import at, make, page, rita

__all__ = ("page", "rita")
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.mark.parametrize(
    ("preset", "answer"),
    [("hfr", "“Machine” is the right answer."), ("acr", "A low point is right"), ("ab", "Preferring the other clip")],
)
def test_traps_are_explained_by_the_task_s_answers(
    page: Client, rita: User, now: datetime, preset: str, answer: str
) -> None:
    shown = text(page.get(at(make(preset, now, rita))))
    assert answer in shown
    assert shown.count("is the right answer") + shown.count("point is right") <= 2
