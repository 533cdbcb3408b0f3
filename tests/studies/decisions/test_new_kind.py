"""A new kind of work is one file and a template; queue, page and decisions come from `studies.decisions`."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from core.errors import Conflict, Invalid
from raters.models import Review, ReviewItem
from studies.decisions import deciding, desk, queue
from studies.decisions.kinds import SentDecision
from studies.models import Study
from tests.raters.experts.people import expert
from tests.raters.experts.reviewing import empty_queues, rated_study
from tests.researchers import logged_in
from tests.studies.decisions import addresses
from tests.studies.decisions.politeness import POLITENESS, fill

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def study(now: datetime) -> Study:
    study = rated_study(now)
    empty_queues(study)
    fill(study)
    return study


@pytest.fixture
def eva(study: Study) -> User:
    return expert("eva", study)


def next_of(study: Study, user: User, now: datetime) -> queue.Card:
    return queue.offer(POLITENESS, study=study, user_id=user.pk, now=now, count=1)[0]


def decide(study: Study, user: User, now: datetime, decision: str) -> Review:
    sent = SentDecision(decision=decision)
    made = deciding.decide(POLITENESS, study=study, user=user, key=next_of(study, user, now).key, sent=sent, now=now)
    assert isinstance(made, Review)
    return made


def test_two_experts_who_differ_leave_it_to_a_third_one(study: Study, eva: User, now: datetime) -> None:
    otto, mia = expert("otto", study), expert("mia", study)
    first = decide(study, eva, now, "polite")
    # Nobody gets an item twice, or one that another expert holds.
    held = {ReviewItem.objects.get(key=next_of(study, user, now).key).pk for user in (eva, otto)}
    assert len({*held, first.answer_id}) == 2
    decide(study, otto, now, "rude")
    item = ReviewItem.objects.get(pk=first.answer_id)
    assert item.state == "disputed"
    card = next_of(study, mia, now)
    assert {code for code, _note in card.decisions} == {"polite", "rude"}
    settled = decide(study, mia, now, "polite")
    item.refresh_from_db()
    assert (item.state, settled.purpose) == ("done", "adjudication")
    with pytest.raises(Conflict) as refused:
        deciding.undo(POLITENESS, study=study, user=eva, key=first.key, now=now)
    assert refused.value.code == "adjudicated"


def test_what_is_skipped_comes_last_and_what_is_undone_comes_back(study: Study, eva: User, now: datetime) -> None:
    card = next_of(study, eva, now)
    deciding.skip(POLITENESS, study=study, user_id=eva.pk, key=card.key, now=now)
    order = queue.open_to(POLITENESS, study, eva.pk, now)
    assert order.last().answer.reason == card.shown["reason"]
    made = decide(study, eva, now, "rude")
    key, undone = deciding.undo(POLITENESS, study=study, user=eva, key=made.key, now=now)
    assert undone == made
    assert queue.offer(POLITENESS, study=study, user_id=eva.pk, now=now, first=key)[0].key == key
    with pytest.raises(Invalid):
        decide(study, eva, now + timedelta(seconds=1), "neither")


def test_it_has_a_page_and_a_place_in_the_list_of_work(
    study: Study, eva: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk, "KINDS", [*desk.KINDS, POLITENESS])
    settings.ROOT_URLCONF = addresses
    [engine] = settings.TEMPLATES
    settings.TEMPLATES = [{**engine, "DIRS": [*engine["DIRS"], Path(__file__).parent / "templates"]}]
    page: Client = logged_in(eva)
    assert "Is what a rater wrote polite?" in page.get(reverse("experts:index")).content.decode()
    here = reverse("experts:politeness", args=[study.slug])
    response = page.get(here)
    assert response.status_code == 200
    item: dict[str, Any] = response.context["state"]["items"][0]
    sent = {"decision": "polite"}
    reply = page.post(f"{here}api/decide/{item['key']}", sent, content_type="application/json").json()
    assert (reply["last"], reply["progress"]["mine"]) == (item["key"], 1)
    undone = page.post(f"{here}api/undo/{item['key']}", {}, content_type="application/json").json()
    assert undone["items"][0]["key"] == undone["back"]
