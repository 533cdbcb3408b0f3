"""Experts who decide the same item in the same moment."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

import pytest
from django.db import connection

from accounts.models import User
from core.errors import Conflict
from studies.models import SpotDecision, SpotItem
from studies.spot_checks import checking as spot_checking
from tests.raters.experts.people import expert
from tests.studies.spot_checks.checking import draft, hear, item_of, offered, store

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]


def test_of_three_who_decide_the_last_place_at_once_one_too_many_is_told(now: datetime) -> None:
    study = draft(now, texts=2)
    spot_checking.fill(study=study)
    held: list[tuple[User, str, SpotItem]] = []
    for minutes, name in enumerate(("eva", "otto", "mia")):
        # Each comes when the others' turns have run out, and so to the same item.
        user = expert(name, study)
        card = offered(study, user, now + timedelta(minutes=20 * minutes))
        assert card
        hear(user, card, now)
        held.append((user, card.key, item_of(card)))
    assert len({item.pk for _user, _key, item in held}) == 1
    start, codes = threading.Barrier(3), []

    def decide(user: User, key: str) -> None:
        try:
            start.wait(20)
            store(study=study, user=user, key=key, code="ok", now=now)
            codes.append("stored")
        except Conflict as error:
            codes.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=decide, args=(user, key)) for user, key, _item in held]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(codes) == ["decided", "stored", "stored"]
    item = SpotItem.objects.get(pk=held[0][2].pk)
    assert (item.state, item.outcome, item.given) == ("done", "passed", 2)
    assert SpotDecision.objects.filter(item=item).count() == 2


def test_two_pages_that_open_at_once_draw_the_sample_once(now: datetime) -> None:
    study = draft(now)
    start, drawn = threading.Barrier(2), []

    def fill() -> None:
        try:
            start.wait(20)
            drawn.append(spot_checking.fill(study=study))
        finally:
            connection.close()

    threads = [threading.Thread(target=fill) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(drawn) == [0, 12]
    assert SpotItem.objects.filter(study=study).count() == 12
