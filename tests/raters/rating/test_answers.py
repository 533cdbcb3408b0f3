"""Acknowledged means stored once: retries, other tabs, and trials out of turn."""

from __future__ import annotations

from datetime import datetime
from random import Random
from uuid import uuid4

import pytest

from core.errors import Conflict, Gone, Invalid, NotFound, TooEarly
from raters.models import Answer, Rating, Trial, TrialClip
from raters.rating import finishing, listening, sent_bytes, trials
from raters.rating.sent_bytes import merge
from tests.world import Person, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def person(now: datetime) -> Person:
    return Person(make_study(now=now), now).start()


def listen(person: Person) -> None:
    person.fetch()
    person.play()
    person.wait(1)


def test_a_new_batch_shows_what_a_reload_shows(person: Person) -> None:
    again = trials.resume(session_id=person.session.pk, tab=person.current.tab, now=person.now, rng=Random(1))
    assert again == person.current


def test_the_same_submission_twice_stores_one_answer_and_shows_the_same_next_trial(person: Person) -> None:
    listen(person)
    sent = person.submission()
    person.send(sent)
    following = person.current.trial.token
    person.send(sent)
    assert person.current.trial.token == following
    assert Answer.objects.count() == Rating.objects.count() == 1


def test_another_answer_to_an_answered_trial_is_refused(person: Person) -> None:
    listen(person)
    sent = person.submission()
    person.send(sent)
    with pytest.raises(Conflict) as refused:
        trials.submit(
            session_id=person.session.pk,
            sent=trials.SubmittedAnswer(sent.token, sent.tab, uuid4(), {"label": "machine", "reason": "x" * 30}, {}),
            now=person.now,
            rng=person.rng,
        )
    assert refused.value.code == "already_answered"
    assert Answer.objects.get().body["label"] == "human"


@pytest.mark.django_db(transaction=True)
def test_a_key_used_for_another_trial_is_refused(person: Person) -> None:
    listen(person)
    sent = person.submission()
    person.send(sent)
    listen(person)
    with pytest.raises(Conflict) as refused:
        person.send(person.submission(key=sent.key))
    assert refused.value.code == "key_used"
    assert Answer.objects.count() == 1


def test_an_older_tab_is_told_that_the_work_goes_on_elsewhere(person: Person) -> None:
    listen(person)
    sent = person.submission()
    person.load()
    with pytest.raises(Conflict) as refused:
        person.send(sent)
    assert refused.value.code == "other_tab"
    assert Answer.objects.count() == 0


def test_loading_the_page_again_shows_the_same_trial(person: Person) -> None:
    token = person.current.trial.token
    assert person.load().current.trial.token == token
    assert Trial.objects.filter(served_at__isnull=False).count() == 1


def test_somebody_elses_trial_does_not_exist(person: Person, now: datetime) -> None:
    other = Person(person.study, now).start()
    with pytest.raises(NotFound):
        person.send(person.submission(token=other.current.trial.token))


def test_a_trial_that_was_not_shown_yet_is_refused(person: Person) -> None:
    later = Trial.objects.filter(session=person.session, position=2).get()
    with pytest.raises(Conflict) as refused:
        person.send(person.submission(token=later.token))
    assert refused.value.code == "not_current"


def test_an_answer_after_leaving_is_refused(person: Person) -> None:
    listen(person)
    finishing.withdraw(session_id=person.session.pk, now=person.now)
    with pytest.raises(Gone):
        person.send(person.submission())


def test_a_short_reason_is_refused_beside_its_field_and_nothing_is_stored(person: Person) -> None:
    listen(person)
    with pytest.raises(Invalid) as refused:
        person.send(person.submission(answer={"label": "human", "reason": "robot"}))
    assert "reason" in refused.value.problems
    assert Answer.objects.count() == 0


def test_an_unknown_label_is_refused(person: Person) -> None:
    with pytest.raises(Invalid) as refused:
        person.send(person.submission(answer={"label": "robot", "reason": "x" * 30}))
    assert "label" in refused.value.problems


def test_an_answer_before_play_is_too_early(person: Person) -> None:
    person.fetch()
    person.wait(10)
    with pytest.raises(TooEarly) as refused:
        person.send(person.submission())
    assert refused.value.code == "not_played"


def test_an_answer_without_the_audio_is_too_early(person: Person) -> None:
    person.play()
    person.wait(10)
    with pytest.raises(TooEarly):
        person.send(person.submission())


def test_an_answer_that_is_too_early_names_the_bytes_that_were_not_sent_and_waits_no_longer_than_it_must(
    person: Person,
) -> None:
    row = TrialClip.objects.select_related("clip").get(key=person.current.trial.clips[0].key)
    size = row.clip.rendition_bytes
    person.play()
    person.wait(3600)
    for start, stop in ((0, 100), (300, 400)):
        sent_bytes.note_sent_bytes(trial_clip=row.pk, start=start, stop=stop, size=size, now=person.now)
    with pytest.raises(TooEarly) as refused:
        person.send(person.submission())
    assert refused.value.detail["missing"] == {row.key: [[100, 300], [400, size]]}
    assert refused.value.retry_after == 0
    for start, stop in refused.value.detail["missing"][row.key]:
        sent_bytes.note_sent_bytes(trial_clip=row.pk, start=start, stop=stop, size=size, now=person.now)
    person.send(person.submission())
    assert Answer.objects.count() == 1


def test_an_answer_before_the_clip_can_have_ended_says_how_long_to_wait(now: datetime) -> None:
    person = Person(make_study(now=now, seconds=4.0), now).start()
    person.fetch()
    person.play()
    person.wait(3.0)
    with pytest.raises(TooEarly) as refused:
        person.send(person.submission())
    assert refused.value.retry_after == pytest.approx(0.75)
    person.wait(0.75)
    person.send(person.submission())
    assert Answer.objects.count() == 1


def test_playback_may_be_recorded_and_not_enforced(now: datetime) -> None:
    person = Person(make_study(now=now, protocol__playback="record"), now).start()
    person.send(person.submission())
    assert Answer.objects.count() == 1


def test_the_clock_starts_once_and_plays_are_counted(person: Person) -> None:
    person.play()
    began = TrialClip.objects.get(key=person.current.trial.clips[0].key).play_began_at
    person.wait(5)
    person.play()
    row = TrialClip.objects.get(key=person.current.trial.clips[0].key)
    assert (row.play_began_at, row.plays) == (began, 2)


def test_a_clip_of_a_later_trial_cannot_be_played_early(person: Person) -> None:
    later = TrialClip.objects.filter(trial__session=person.session, trial__position=2).get()
    with pytest.raises(Conflict) as refused:
        listening.start_play(session_id=person.session.pk, key=later.key, tab=person.current.tab, now=person.now)
    assert refused.value.code == "not_current"


def test_a_play_beyond_the_limit_is_refused(now: datetime) -> None:
    person = Person(make_study(now=now, protocol__max_plays=1), now).start()
    person.play()
    with pytest.raises(Conflict) as refused:
        person.play()
    assert refused.value.code == "plays_used_up"


def begin_play(person: Person, voided: int) -> None:
    session, key, tab = person.session.pk, person.current.trial.clips[0].key, person.current.tab
    listening.start_play(session_id=session, key=key, tab=tab, now=person.now, voided=voided)


def test_a_play_that_an_interruption_voids_is_given_back_some_times(now: datetime) -> None:
    person = Person(make_study(now=now, protocol__max_plays=1, protocol__interruption="void"), now).start()
    for voided in range(listening.GIVEN_BACK + 1):
        begin_play(person, voided)
    with pytest.raises(Conflict) as refused:
        begin_play(person, listening.GIVEN_BACK + 1)
    assert refused.value.code == "plays_used_up"


def test_where_a_pause_voids_nothing_no_play_is_given_back(now: datetime) -> None:
    person = Person(make_study(now=now, protocol__max_plays=1), now).start()
    begin_play(person, 0)
    with pytest.raises(Conflict):
        begin_play(person, 1)


def test_bytes_count_only_when_together_they_cover_the_file(person: Person) -> None:
    row = TrialClip.objects.get(key=person.current.trial.clips[0].key)
    for start, stop in ((0, 2), (50, 100), (90, 120)):
        sent_bytes.note_sent_bytes(trial_clip=row.pk, start=start, stop=stop, size=120, now=person.now)
    row.refresh_from_db()
    assert (row.fetched_at, row.sent) == (None, [[0, 2], [50, 120]])
    sent_bytes.note_sent_bytes(trial_clip=row.pk, start=2, stop=50, size=120, now=person.now)
    row.refresh_from_db()
    assert row.fetched_at == person.now


def test_ranges_merge_where_they_touch() -> None:
    assert merge([[5, 7], [0, 2]], 2, 4) == [[0, 4], [5, 7]]
    assert merge([], 3, 9) == [[3, 9]]
