"""Two experts, or one in two tabs, at the very same moment, on PostgreSQL; SQLite lets only one write at a time."""

from __future__ import annotations

import threading
from datetime import datetime
from types import SimpleNamespace
from typing import Any

import pytest

from core import rng
from core.errors import Conflict
from raters.experts import rater_limit
from raters.experts.coding import CODING
from raters.experts.reviewing import REVIEW
from raters.models import Coding, Review, ReviewItem, Verdict
from raters.rating.rules.codes import CodeMark
from studies.decisions import deciding, holding
from studies.decisions import queue as decision_queue
from tests.raters.experts import coding as coding_helpers
from tests.raters.experts.coding import BREATH, PAUSES, coded_study
from tests.raters.experts.people import expert
from tests.raters.experts.reviewing import next_of, rated_study, store
from tests.raters.rating.test_together import meanwhile

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("files"),
]


def is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


def test_two_who_reach_for_the_same_answers_get_different_ones(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    study = rated_study(now)
    eva, otto = expert("eva", study), expert("otto", study)
    REVIEW.fill(study=study)
    seen: list[Any] = []

    def token() -> str:
        # The first expert has chosen, and has not taken yet.
        if is_main() and not seen:
            seen.append(None)
            seen.extend(meanwhile(lambda: decision_queue.offer(REVIEW, study=study, user_id=otto.pk, now=now)))
        return rng.token()

    monkeypatch.setattr(holding, "rng", SimpleNamespace(token=token))
    mine = decision_queue.offer(REVIEW, study=study, user_id=eva.pk, now=now)
    theirs = seen[1]
    assert [len(mine), len(theirs)] == [2, 2]
    assert len({card.key for card in (*mine, *theirs)}) == 4
    assert ReviewItem.objects.filter(holder=eva).count() == ReviewItem.objects.filter(holder=otto).count() == 2


def test_two_tabs_that_decide_the_same_answer_differently_store_one_decision(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = rated_study(now)
    eva = expert("eva", study)
    card = next_of(study, eva, now)
    assert card
    given: dict[str, Any] = {"study": study, "user": eva, "key": card.key, "now": now}
    real = rater_limit.lock
    seen: list[Any] = []

    def lock(*parts: Any, **options: Any) -> Any:
        if is_main() and not seen:
            seen.extend(meanwhile(lambda: store(**given, decision="inconsistent")))
        return real(*parts, **options)

    monkeypatch.setattr(rater_limit, "lock", lock)
    with pytest.raises(Conflict):
        store(**given, decision="consistent")
    assert isinstance(seen[0], Review)
    assert [review.decision for review in Review.objects.all()] == ["inconsistent"]
    assert Verdict.objects.count() == 1


def test_a_decision_that_was_sent_twice_at_once_is_one_decision(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    study = rated_study(now)
    eva = expert("eva", study)
    card = next_of(study, eva, now)
    assert card
    given: dict[str, Any] = {"study": study, "user": eva, "key": card.key, "decision": "consistent", "now": now}
    real = rater_limit.lock
    seen: list[Any] = []

    def lock(*parts: Any, **options: Any) -> Any:
        if is_main() and not seen:
            seen.extend(meanwhile(lambda: store(**given)))
        return real(*parts, **options)

    monkeypatch.setattr(rater_limit, "lock", lock)
    assert store(**given) == seen[0]
    assert Review.objects.count() == 1


@pytest.mark.parametrize("marks", [[BREATH], [PAUSES]])
def test_two_tabs_that_code_the_same_text_store_one_coding(
    now: datetime, monkeypatch: pytest.MonkeyPatch, marks: list[CodeMark]
) -> None:
    study = coded_study(now)
    eva = expert("eva", study)
    [card] = decision_queue.offer(CODING, study=study, user_id=eva.pk, now=now, count=1)
    given: dict[str, Any] = {"study": study, "user": eva, "key": card.key, "now": now}
    real = deciding._known
    seen: list[Any] = []

    def known(*parts: Any) -> Any:
        # This tab has found nothing stored yet; then the other one is quicker.
        found = real(*parts)
        if is_main() and not seen:
            seen.extend(meanwhile(lambda: coding_helpers.store(**given, marks=[BREATH])))
        return found

    monkeypatch.setattr(deciding, "_known", known)
    if marks == [BREATH]:
        assert coding_helpers.store(**given, marks=marks) == seen[0]
    else:
        with pytest.raises(Conflict) as refused:
            coding_helpers.store(**given, marks=marks)
        assert refused.value.code == "already_decided"
    assert Coding.objects.count() == 1
