"""Several scales by the server's clock: one answer holds them all, and a page for each takes a play for each."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from core.errors import Invalid, TooEarly
from raters.models import Answer, Rating
from tests import kinds
from tests.raters.test_all_kinds import answer
from tests.world import Person

pytestmark = pytest.mark.django_db
SECONDS = 2.0


def listening(now: datetime, **settings: Any) -> tuple[Person, float]:
    """Return a person who started the first clip, and its duration."""
    study = kinds.make("scales", now=now, seconds=SECONDS, **{"task__way": "page_each", **settings})
    person = Person(study, now).start()
    person.fetch()
    person.play()
    [clip] = person.current.trial.clips
    return person, clip.seconds


def test_an_answer_is_refused_until_a_play_for_each_scale_can_have_ended(now: datetime) -> None:
    person, seconds = listening(now)
    person.wait(seconds + 0.5)
    with pytest.raises(TooEarly) as early:
        person.send(person.submission(answer=answer(person)))
    assert early.value.retry_after == pytest.approx(seconds - 0.5 - 0.25)
    person.wait(early.value.retry_after)
    person.send(person.submission(answer=answer(person)))
    assert Answer.objects.count() == 1


def test_on_one_page_a_single_play_is_enough(now: datetime) -> None:
    person, seconds = listening(now, task__way="one_page")
    person.wait(seconds)
    person.send(person.submission(answer=answer(person)))
    assert Answer.objects.count() == 1


def test_where_a_clip_may_be_played_once_no_more_plays_are_needed(now: datetime) -> None:
    person, seconds = listening(now, protocol__max_plays=1)
    person.wait(seconds)
    person.send(person.submission(answer=answer(person)))
    assert Answer.objects.count() == 1


def test_an_answer_without_one_of_the_scales_is_refused_whole(now: datetime) -> None:
    person, seconds = listening(now)
    person.wait(2 * seconds)
    with pytest.raises(Invalid) as refused:
        person.send(person.submission(answer={"answers": {"naturalness": "4"}}))
    assert list(refused.value.problems) == ["answers.intelligibility"]
    assert not Rating.objects.exists()
