"""A study with reasons, and experts who decide them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from accounts.models import User
from core import clock, jobs
from raters.experts import queue_filling
from raters.experts.reviewing import REVIEW
from raters.models import Answer, CodingItem, QueueFill, Review, ReviewItem
from raters.rating import batches
from studies.decisions import deciding, queue
from studies.decisions.kinds import SentDecision
from studies.decisions.queue import Card
from studies.models import Study
from tests.world import Person, make_study


def rated_study(now: datetime, *, people: int = 1, **settings: Any) -> Study:
    """Return a study in which so many people have a valid batch of seven answers each."""
    study = make_study(now=now, **{"review__double_share": 0.0, **settings})
    for _ in range(people):
        rate(study, now)
    return study


def rate(study: Study, now: datetime, **how: Any) -> Person:
    """Let somebody rate a batch, and decide it."""
    person = Person(study, now).start()
    person.rate_batch(**how)
    for pk in person.filled:
        batches.validate(pk=pk, now=person.now)
    return person


def change(study: Study, **settings: Any) -> None:
    """Change how the study is reviewed."""
    study.draft = {**study.draft, "review": {**study.draft["review"], **settings}}
    study.save(update_fields=["draft"])


def empty_queues(study: Study) -> None:
    """Take everything out of the experts' queues, as it was before a worker came."""
    ReviewItem.objects.filter(study=study).delete()
    CodingItem.objects.filter(study=study).delete()


def fill_queues() -> None:
    """Do what the sweep asks of a worker."""
    queue_filling.queue_due(now=clock.now())
    for pk in QueueFill.objects.filter(state=jobs.QUEUED).values_list("pk", flat=True):
        queue_filling.fill(pk=pk, clock=clock.now)


def next_of(study: Study, user: User, now: datetime) -> Card | None:
    """Return what this expert has before them."""
    offered = queue.offer(REVIEW, study=study, user_id=user.pk, now=now, count=1)
    return offered[0] if offered else None


def decide(study: Study, user: User, now: datetime, decision: str = "consistent", **given: Any) -> Review:
    """Let an expert decide what is before them."""
    card = next_of(study, user, now)
    assert card is not None
    return store(study=study, user=user, key=card.key, decision=decision, now=now, **given)


def store(*, decision: str, note: str = "", **given: Any) -> Review:
    """Let an expert decide the answer that a key names."""
    stored = deciding.decide(REVIEW, sent=SentDecision(decision=decision, note=note), **given)
    assert isinstance(stored, Review)
    return stored


def undo(**given: Any) -> ReviewItem | None:
    """Let an expert undo a decision; return its answer if it is theirs again."""
    key, _review = deciding.undo(REVIEW, **given)
    return ReviewItem.objects.get(key=key) if key else None


def answers(study: Study) -> Any:
    """Return the answers that experts may be asked about."""
    return Answer.objects.filter(trial__session__study=study, trial__item__role="test").order_by("pk")
