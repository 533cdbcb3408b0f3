"""Answers that are brought to the front of the queue, because a machine and the raters differ on their clips."""

from __future__ import annotations

from datetime import datetime

import pytest

from core import clock
from core.errors import Conflict
from raters.experts.reviewing import REVIEW, send_to_review
from raters.models import ReviewItem, TrialClip
from studies.decisions import queue as decision_queue
from studies.models import Study
from tests.raters.experts.people import expert
from tests.raters.experts.reviewing import answers, change, decide, rated_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def study(now: datetime) -> Study:
    return rated_study(now, people=2)


def waiting(study: Study) -> list[int]:
    user = expert(f"eva-{ReviewItem.objects.count()}-{study.definition.review.mode}", study)
    return list(decision_queue.open_to(REVIEW, study, user.pk, clock.now()).values_list("pk", flat=True))


@pytest.mark.parametrize("mode", ["all", "flagged_first", "share"])
def test_answers_about_these_clips_come_before_all_others(study: Study, mode: str) -> None:
    change(study, mode=mode, share=0.01)
    chosen = sorted(answers(study).values_list("pk", flat=True))[:2]
    clips = list(TrialClip.objects.filter(trial__in=chosen).values_list("clip", flat=True))
    about = set(TrialClip.objects.filter(clip__in=clips, trial__item__role="test").values_list("trial", flat=True))
    assert send_to_review(study_id=study.pk, clip_ids=clips, by=None) == len(about)
    assert set(waiting(study)[: len(about)]) == about
    assert all(item.flags[-1:] for item in ReviewItem.objects.filter(pk__in=about))
    before = list(ReviewItem.objects.order_by("pk").values_list("draw", "flags"))
    send_to_review(study_id=study.pk, clip_ids=clips, by=None)
    assert list(ReviewItem.objects.order_by("pk").values_list("draw", "flags")) == before


def test_what_was_decided_stays_decided(study: Study, now: datetime) -> None:
    user = expert("otto", study)
    done = decide(study, user, now).answer_id
    clips = list(TrialClip.objects.filter(trial=done).values_list("clip", flat=True))
    send_to_review(study_id=study.pk, clip_ids=clips, by=user)
    assert done not in waiting(study)
    assert "machine_differs" not in ReviewItem.objects.get(pk=done).flags


def test_where_experts_review_nothing_the_button_says_so(study: Study) -> None:
    change(study, mode="off")
    with pytest.raises(Conflict, match="switched off"):
        send_to_review(study_id=study.pk, clip_ids=[1], by=None)
    assert REVIEW.fill(study=study) == 0
