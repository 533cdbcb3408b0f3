"""Exclusions: what they take out of the scores, what they give back to the pool, and how they are undone."""

from __future__ import annotations

from datetime import datetime
from random import Random
from typing import Any

import pytest
from django.db.models import Sum

from accounts.models import User
from core.errors import Conflict, Invalid, NotFound
from raters.models import Answer, Batch, Rater, Session, Trial, Verdict
from raters.rating import batches, ratings, verdicts
from studies.models import Clip, Pool, Study
from tests.world import Person, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def live(now: datetime) -> Study:
    return make_study(now=now)


@pytest.fixture
def rated(live: Study, now: datetime) -> Person:
    """Return somebody whose first batch is valid."""
    return rate(live, now)


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root", password="pw")


def rate(study: Study, now: datetime, **how: Any) -> Person:
    person = Person(study, now).start()
    person.rate_batch(**how)
    for pk in person.filled:
        batches.validate(pk=pk, now=person.now)
    return person


def done(person: Person) -> Batch:
    return Batch.objects.get(pk=person.filled[0])


def exclude(now: datetime, **on: Any) -> Verdict:
    given: dict[str, Any] = {"rule": "by_hand", "by": None, "now": now, "detail": {"reason": "Played by a robot"}, **on}
    return verdicts.exclude(**given)


def usable(batch: Batch) -> set[bool | None]:
    return set(batch.trials.values_list("usable", flat=True))


def taken(study: Study) -> int:
    return Pool.objects.filter(cell__study=study).aggregate(total=Sum("taken"))["total"] or 0


def held(study: Study) -> int:
    return Trial.objects.filter(session__study=study, holds=True).count()


def scores(study: Study) -> list[float]:
    return [score.value for score in ratings.scores(study.pk, "label", False) if score.usable]


@pytest.mark.parametrize("subject", ["session", "batch", "rater"])
def test_an_exclusion_takes_answers_out_and_its_undoing_brings_them_back(
    live: Study, rated: Person, now: datetime, root: User, subject: str
) -> None:
    batch = done(rated)
    key = {"session": rated.session.pk, "batch": batch.pk, "rater": rated.session.rater_id}[subject]
    before = taken(live)
    assert len(scores(live)) == 7
    verdict = exclude(now, **{subject: key}, by=root)
    assert usable(batch) == {False}
    assert taken(live) == held(live) == before - 7
    assert scores(live) == []
    assert ratings.reasons(live.pk)[subject] == {key: ["by_hand"]}
    assert (verdict.usable, verdict.by, verdict.at, verdict.detail) == (
        False,
        root,
        now,
        {"reason": "Played by a robot"},
    )
    again = verdicts.revoke(verdict_id=verdict.pk, by=root, now=rated.wait(60))
    assert (again.pk, again.revoked_at, again.by) == (verdict.pk, rated.now, root)
    assert again.detail == {"reason": "Played by a robot", "revoked_by": "root"}
    assert usable(batch) == {True}
    assert taken(live) == held(live) == before
    assert len(scores(live)) == 7
    assert ratings.reasons(live.pk)[subject] == {}


def test_one_answer_alone_is_excluded(live: Study, rated: Person, now: datetime) -> None:
    batch = done(rated)
    trial = batch.trials.filter(pool__isnull=False).order_by("pk")[0]
    assert trial.pool
    verdict = exclude(now, answer=trial.pk)
    assert batch.trials.filter(usable=True).count() == 9
    trial.pool.refresh_from_db()
    assert trial.pool.taken == 0
    verdicts.revoke(verdict_id=verdict.pk, by=None, now=now)
    trial.pool.refresh_from_db()
    assert trial.pool.taken == 1
    assert usable(batch) == {True}


def test_a_clip_is_excluded_in_every_batch_that_it_was_in(
    live: Study, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Small parts, so that several are settled and share places.
    monkeypatch.setattr(verdicts, "BATCHES", 2)
    monkeypatch.setattr(verdicts, "PLACES", 3)
    people = [rate(live, now) for _ in range(8)]
    trap = done(people[0]).trials.filter(item__role="trap_human").order_by("pk")[0]
    clip = Clip.objects.get(pk=trap.clips.get().clip_id)
    heard = Trial.objects.filter(item__clips__clip=clip, answered_at__isnull=False)
    finished = heard.filter(batch__in=[done(person) for person in people])
    assert finished.count() >= 3
    expected = taken(live)
    verdict = exclude(now, clip=clip.pk)
    assert set(finished.values_list("usable", flat=True)) == {False}
    others = Trial.objects.filter(batch__in=[done(person) for person in people]).exclude(pk__in=heard)
    assert set(others.values_list("usable", flat=True)) == {True}
    assert taken(live) == held(live) == expected
    verdicts.revoke(verdict_id=verdict.pk, by=None, now=now)
    assert set(finished.values_list("usable", flat=True)) == {True}


def test_a_test_clips_place_is_given_back_and_may_be_refilled(live: Study, now: datetime) -> None:
    for _ in range(4):
        rate(live, now)
    place = Pool.objects.filter(cell__study=live, taken__gt=0, cell__role="test").order_by("-taken", "pk")[0]
    number = place.taken
    verdict = exclude(now, clip=Trial.objects.filter(pool=place).values_list("clips__clip", flat=True)[0])
    place.refresh_from_db()
    still_open = Trial.objects.filter(pool=place, holds=True).count()
    assert place.taken == still_open < number
    Pool.objects.filter(pk=place.pk).update(wanted=still_open)
    verdicts.revoke(verdict_id=verdict.pk, by=None, now=now)
    place.refresh_from_db()
    assert place.taken == number
    back = Trial.objects.filter(pool=place, usable=True)
    assert set(back.values_list("surplus", flat=True)) == {True}


def test_what_two_verdicts_keep_out_stays_out_until_both_are_taken_back(rated: Person, now: datetime) -> None:
    batch = done(rated)
    first, second = exclude(now, batch=batch.pk), exclude(now, session=rated.session.pk, rule="twin")
    verdicts.revoke(verdict_id=first.pk, by=None, now=now)
    assert usable(batch) == {False}
    verdicts.revoke(verdict_id=second.pk, by=None, now=now)
    assert usable(batch) == {True}


def test_the_trap_rules_verdict_can_be_taken_back(live: Study, now: datetime, root: User) -> None:
    person = rate(live, now, attentive=False)
    batch = done(person)
    assert usable(batch) == {False}
    verdicts.revoke(verdict_id=Verdict.objects.get(rule="traps").pk, by=root, now=now)
    batch.refresh_from_db()
    assert usable(batch) == {True}
    # What the traps said stays on record.
    assert batch.valid is False
    assert len(scores(live)) == 7


def test_what_is_not_decided_yet_is_excluded_once_it_is(live: Study, now: datetime) -> None:
    person = Person(live, now).start()
    person.rate()
    exclude(now, session=person.session.pk)
    batch = Batch.objects.get()
    assert usable(batch) == {None}
    assert taken(live) == 7
    person.rate_batch()
    assert batches.validate(pk=batch.pk, now=person.now) is True
    assert usable(batch) == {False}
    assert batch.trials.filter(holds=True).count() == 0


def test_the_same_exclusion_twice_is_one(rated: Person, now: datetime) -> None:
    first = exclude(now, session=rated.session.pk)
    assert exclude(now, session=rated.session.pk, detail={"reason": "again"}).pk == first.pk
    assert Verdict.objects.count() == 1
    verdicts.revoke(verdict_id=first.pk, by=None, now=now)
    assert exclude(now, session=rated.session.pk).pk != first.pk


def test_a_verdict_is_taken_back_once(rated: Person, now: datetime) -> None:
    verdict = exclude(now, session=rated.session.pk)
    verdicts.revoke(verdict_id=verdict.pk, by=None, now=now)
    with pytest.raises(Conflict) as refused:
        verdicts.revoke(verdict_id=verdict.pk, by=None, now=rated.wait(60))
    assert refused.value.code == "already_revoked"
    verdict.refresh_from_db()
    assert verdict.revoked_at == now


def test_an_exclusion_names_one_thing_that_exists_and_a_rule(rated: Person, now: datetime) -> None:
    session = rated.session.pk
    for wrong in ({}, {"session": session, "batch": done(rated).pk}):
        with pytest.raises(Invalid):
            exclude(now, **wrong)
    for rule in ("", "By hand", "a|b", "traps", "x" * 41):
        with pytest.raises(Invalid):
            exclude(now, session=session, rule=rule)
    for subject in ("answer", "batch", "session", "rater", "clip"):
        with pytest.raises(NotFound):
            exclude(now, **{subject: 10**9})
    with pytest.raises(NotFound):
        verdicts.revoke(verdict_id=10**9, by=None, now=now)
    assert not Verdict.objects.exists()


def test_a_rater_is_excluded_in_all_of_their_studies(live: Study, now: datetime) -> None:
    other = make_study(now=now)
    people = [rate(live, now), rate(other, now)]
    rater = Rater.objects.order_by("pk")[0]
    Session.objects.update(rater=rater)
    Trial.objects.update(rater=rater)
    exclude(now, rater=rater.pk)
    assert [usable(done(person)) for person in people] == [{False}, {False}]


def test_everything_that_can_be_undone_leaves_no_trace_in_the_places(live: Study, now: datetime) -> None:
    rng = Random(7)
    people = [rate(live, now, attentive=number != 2) for number in range(4)]
    before = dict(Pool.objects.values_list("pk", "taken"))
    made = []
    for person in people:
        batch = done(person)
        answer = Answer.objects.filter(trial__batch=batch).order_by("pk")[rng.randrange(10)]
        clip = answer.trial.clips.get().clip_id
        targets = [{"answer": answer.pk}, {"batch": batch.pk}, {"session": person.session.pk}, {"clip": clip}]
        made += [exclude(now, **target) for target in targets]
    rng.shuffle(made)
    for verdict in {verdict.pk: verdict for verdict in made}.values():
        verdicts.revoke(verdict_id=verdict.pk, by=None, now=now)
    assert dict(Pool.objects.values_list("pk", "taken")) == before
    assert [usable(done(person)) for person in people] == [{True}, {True}, {False}, {True}]
