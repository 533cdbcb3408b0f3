"""Queues as long as a study: what comes next and how much is left, without reading all of it."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from core import clock
from raters.experts.coding import CODING
from raters.experts.reviewing import REVIEW
from raters.models import CodingItem, Review, ReviewItem, ReviewSkip, Trial
from raters.simulation.simulated_sessions import simulate
from studies.decisions import holding
from studies.decisions import queue as decision_queue
from studies.models import Study
from tests.raters.experts.people import expert
from tests.raters.experts.reviewing import change, decide, fill_queues, rated_study
from tests.researchers import logged_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
State = ReviewItem.State
GOLDEN = 0.618034
# What reads a queue has to stop somewhere: at a few rows, at a number, or at the rows of one expert.
STOPS = re.compile(r" LIMIT \d+|\"(state|holder_id|answer_id|expert_id)\" = |_id\" IN \(")


@pytest.fixture
def study(now: datetime) -> Study:
    """A queue with items of every kind: real and simulated, flagged, begun, disputed, put off, out of use, held."""
    study = rated_study(now, people=3, coding__mode="all")
    simulate(study_id=study.pk, raters=2, seed=1, careless=0, now=now)
    study.draft["coding"]["simulated"] = True
    change(study, simulated=True)
    fill_queues()
    # Spread evenly instead of drawn, so that a share of them is never too few.
    for number, pk in enumerate(ReviewItem.objects.order_by("pk").values_list("pk", flat=True)):
        ReviewItem.objects.filter(pk=pk).update(draw=GOLDEN * number % 1)
    pks = list(ReviewItem.objects.order_by("draw").values_list("pk", flat=True))
    eva = expert("eva", study)
    ReviewItem.objects.update(flagged=False)
    ReviewItem.objects.filter(pk__in=pks[::3]).update(flagged=True)
    ReviewItem.objects.filter(pk__in=pks[1::5]).update(state=State.HALF)
    ReviewItem.objects.filter(pk__in=pks[2::7]).update(state=State.DISPUTED)
    Trial.objects.filter(pk__in=pks[4::6]).update(usable=False)
    for number, pk in enumerate(pks[:6]):
        ReviewSkip.objects.create(item_id=pk, expert=eva, at=now + timedelta(seconds=-number))
    return study


@pytest.mark.parametrize("how", [{"mode": "all"}, {"mode": "share", "share": 0.4}, {"mode": "flagged_first"}])
@pytest.mark.parametrize("is_simulated", [True, False])
def test_what_comes_next_is_the_beginning_of_all_that_waits(
    study: Study, how: dict[str, Any], is_simulated: bool
) -> None:
    change(study, simulated=is_simulated, **how)
    eva = User.objects.get(username="eva")
    review = study.definition.review
    waiting = decision_queue.open_to(REVIEW, study, eva.pk, clock.now())
    everything = list(waiting.values_list("pk", flat=True))
    assert len(everything) > 6
    following = partial(decision_queue.following, REVIEW, study, eva.pk, waiting)
    for number in (1, 2, 5, len(everything), len(everything) + 3):
        assert [item.pk for item in following(number)] == everything[:number]
    assert decision_queue.count(waiting, review) == len(everything)


def test_texts_to_code_come_in_the_same_way(study: Study) -> None:
    eva = User.objects.get(username="eva")
    settings = study.definition.coding
    pks = list(CodingItem.objects.order_by("draw").values_list("pk", flat=True))
    CodingItem.objects.filter(pk__in=pks[::4]).update(state=State.HALF)
    waiting = decision_queue.open_to(CODING, study, eva.pk, clock.now())
    everything = list(waiting.values_list("pk", flat=True))
    following = decision_queue.following(CODING, study, eva.pk, waiting, 9)
    assert [item.pk for item in following] == everything[:9]
    assert decision_queue.count(waiting, settings) == len(everything)


def test_nobody_counts_further_than_a_page_says(study: Study, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    eva = User.objects.get(username="eva")
    found = decision_queue.pace(REVIEW, study, eva.pk, now)
    assert not found.is_more
    left = found.total - found.done
    for most, is_more in ((left, False), (left - 1, True)):
        monkeypatch.setattr(decision_queue, "MOST_COUNTED", most)
        found = decision_queue.pace(REVIEW, study, eva.pk, now)
        assert (found.is_more, found.total - found.done) == (is_more, most)


def test_pages_say_that_there_is_more_than_they_counted(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    eva = User.objects.get(username="eva")
    study.owner = eva
    study.save(update_fields=["owner"])
    for where in (
        "studies.decisions.queue",
        "raters.experts.overviews",
    ):
        monkeypatch.setattr(f"{where}.MOST_COUNTED", 3)
    browser = logged_in(eva)
    assert "More than 3 to do" in browser.get(reverse("experts:index")).content.decode()
    for name in ("review_overview", "coding_overview"):
        assert "<dd>more than 3</dd>" in browser.get(reverse(f"experts:{name}", args=[study.slug])).content.decode()
    progress = browser.get(reverse("experts:review_current", args=[study.slug])).json()["progress"]
    assert (progress["is_more"], progress["total"] - progress["done"]) == (True, 3)


def test_no_page_of_experts_reads_a_whole_queue(study: Study) -> None:
    eva = User.objects.get(username="eva")
    browser = logged_in(eva)
    for name in ("review", "coding"):
        with CaptureQueriesContext(connection) as asked:
            assert browser.get(reverse(f"experts:{name}_current", args=[study.slug])).status_code == 200
        for query in asked.captured_queries:
            if f'FROM "raters_{name}item"' in query["sql"]:
                assert STOPS.search(query["sql"]), query["sql"]


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_an_expert_who_is_killed_while_taking_leaves_what_the_next_one_finds(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = rated_study(now)
    eva, otto = expert("eva", study), expert("otto", study)
    REVIEW.fill(study=study)
    made: list[str] = []

    def token() -> str:
        made.append(f"key{len(made)}")
        if len(made) == 2:
            raise KeyboardInterrupt
        return made[-1]

    with monkeypatch.context() as patched:
        patched.setattr(holding.rng, "token", token)
        with pytest.raises(KeyboardInterrupt):
            decision_queue.offer(REVIEW, study=study, user_id=eva.pk, now=now)
    assert ReviewItem.objects.filter(holder=eva).count() == 1
    # Hers comes back to her, and to everybody once her time is over.
    assert "key0" in {card.key for card in decision_queue.offer(REVIEW, study=study, user_id=eva.pk, now=now)}
    later = now + holding.HELD_FOR
    assert len(decision_queue.offer(REVIEW, study=study, user_id=otto.pk, now=later, count=7)) == 7
    assert ReviewItem.objects.filter(holder=otto).count() == 7
    before = decision_queue.pace(REVIEW, study, otto.pk, later)
    decide(study, otto, later)
    after = decision_queue.pace(REVIEW, study, otto.pk, later)
    assert (before.total, before.done, before.waiting) == (7, 0, 7)
    assert (after.total, after.done, after.waiting) == (7, 1, 6)
    assert Review.objects.count() == 1
    assert CODING.fill(study=study) == 0
