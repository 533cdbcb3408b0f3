"""Rules A1–A5: places, balance, leases, surplus; nobody meets anything twice."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import Count
from django.test.utils import CaptureQueriesContext

from core import jobs
from core.errors import Conflict
from raters.models import Batch, Session, Trial, TrialClip, Verdict
from raters.rating import batches, finishing, settling
from studies.definition import facts
from studies.definition.parsing import change
from studies.launch import states
from studies.models import Clip, Pool
from studies.pool import claiming
from studies.pool.layout import lay_out
from studies.rules.choosing import PlaceCandidate
from tests.world import Person, make_study

pytestmark = pytest.mark.django_db


def roles(batch: Batch) -> Counter[str]:
    return Counter(batch.trials.values_list("item__role", flat=True))


def taken() -> int:
    return sum(Pool.objects.filter(cell__role="test").values_list("taken", flat=True))


def test_a_batch_holds_seven_test_clips_one_flawed_and_two_human_traps(now: datetime) -> None:
    person = Person(make_study(now=now), now).start()
    batch = Batch.objects.get(session=person.session)
    assert roles(batch) == {"test": 7, "trap_flawed": 1, "trap_human": 2}
    assert sorted(batch.trials.values_list("position", flat=True)) == list(range(1, 11))


def test_traps_stand_at_random_positions(now: datetime) -> None:
    study = make_study(now=now, texts=40)
    found: set[int] = set()
    for seed in range(12):
        person = Person(study, now)
        person.rng.seed(seed)
        person.start()
        traps = Trial.objects.filter(session=person.session, pool=None)
        found |= set(traps.values_list("position", flat=True))
    assert found == set(range(1, 11))


def test_traps_beyond_those_that_are_read_at_once_are_drawn_too(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claiming, "TRAP_WINDOW", 3)
    study = make_study(now=now, texts=40, humans=30)
    drawn: set[int] = set()
    for seed in range(20):
        person = Person(study, now)
        person.rng.seed(seed)
        person.start()
        traps = Trial.objects.filter(session=person.session, item__role="trap_human")
        drawn |= set(traps.values_list("item", flat=True))
    # Six are read from one end; a random position reaches the others.
    assert len(drawn) > 12


def test_systems_differ_by_at_most_one_in_a_batch(now: datetime) -> None:
    study = make_study(now=now, systems=("human", "a", "b", "c"), texts=30)
    for _ in range(10):
        person = Person(study, now).start()
        served = TrialClip.objects.filter(trial__session=person.session, trial__pool__isnull=False)
        systems = Counter(served.values_list("clip__system__name", flat=True))
        assert len(systems) == 4
        assert max(systems.values()) - min(systems.values()) <= 1


def test_the_least_rated_clips_come_first(now: datetime) -> None:
    study = make_study(now=now, systems=("human",), texts=21)
    for _ in range(3):
        Person(study, now).start()
    assert set(Pool.objects.filter(cell__role="test").values_list("taken", flat=True)) == {1}


def test_no_clip_and_no_text_twice_for_a_person_across_sessions_and_versions(now: datetime) -> None:
    study = make_study(now=now, texts=40, flawed=9, humans=18)
    first = Person(study, now, name="ann").start()
    first.rate_batch()
    first.rate_batch()
    finishing.withdraw(session_id=first.session.pk, now=first.now)
    again = Person(study, first.now, name="ann2")
    Session.objects.filter(pk=again.session.pk).update(rater=first.session.rater)
    again.start()
    again.rate_batch()
    trials = Trial.objects.filter(rater=first.session.rater)
    assert trials.values("item").annotate(n=Count("pk")).filter(n__gt=1).count() == 0
    texts = list(trials.filter(pool__isnull=False).values_list("text_id", flat=True))
    assert len(texts) == len(set(texts)) == 7 * 5


def test_crossed_studies_let_a_person_hear_every_systems_version(now: datetime) -> None:
    study = make_study(now=now, systems=("human", "a"), texts=7, protocol__repeat_text="crossed")
    person = Person(study, now).start()
    person.rate_batch()
    person.rate_batch()
    assert Trial.objects.filter(session=person.session, pool__isnull=False).count() == 14
    assert person.is_done


def test_a_session_ends_complete_when_the_traps_are_used_up(now: datetime) -> None:
    person = Person(make_study(now=now, texts=40, flawed=2, humans=8), now).start()
    person.rate_batch()
    person.rate_batch()
    assert person.is_done
    person.session.refresh_from_db()
    assert person.session.outcome == "complete"


def test_a_session_ends_complete_when_seven_clips_cannot_be_found(now: datetime) -> None:
    person = Person(make_study(now=now, texts=9), now).start()
    person.rate_batch()
    assert person.is_done
    assert Trial.objects.count() == 10
    assert taken() == 7


def test_when_nothing_is_wanted_the_least_rated_fill_the_batch_as_surplus(now: datetime) -> None:
    study = make_study(now=now, systems=("human",), texts=8, protocol__ratings_wanted=1)
    Person(study, now).start()
    person = Person(study, now).start()
    mine = Trial.objects.filter(session=person.session, pool__isnull=False)
    assert mine.count() == 7
    assert mine.filter(surplus=True).count() == 6
    assert Pool.objects.filter(cell__role="test", taken__gt=2).count() == 0


def test_an_idle_batch_gives_its_places_back_and_a_late_answer_is_kept(now: datetime) -> None:
    study = make_study(now=now, systems=("human",), texts=7, protocol__ratings_wanted=1)
    person = Person(study, now).start()
    person.rate()
    assert taken() == 7
    assert batches.expire_idle(now=person.now + timedelta(minutes=29)) == 0
    assert batches.expire_idle(now=person.wait(31 * 60)) == 1
    assert taken() == 0
    other = Person(study, person.now).start()
    assert taken() == 7
    other.rate_batch()
    assert batches.validate(pk=other.filled[0], now=other.now) is True
    person.now = other.now
    person.load().rate_batch()
    assert batches.validate(pk=person.filled[0], now=person.now) is True
    late = Trial.objects.filter(session=person.session, late=True)
    assert late.count() == 9
    tests = Trial.objects.filter(session=person.session, pool__isnull=False)
    assert set(tests.values_list("usable", "surplus")) == {(True, True)}


def test_a_lease_is_written_again_once_a_minute_has_passed_and_not_before(now: datetime) -> None:
    person = Person(make_study(now=now), now).start()
    batch = Batch.objects.get(session=person.session)
    protocol = facts.frozen(batch.session.version_id).protocol
    until = batches.lease(protocol, now)
    known: dict[str, Any] = {"batch": batch.pk, "state": batch.state, "lease_until": until, "protocol": protocol}
    for seconds, is_written in ((60, False), (61, True)):
        later = now + timedelta(seconds=seconds)
        batches.renew_lease(**known, now=later)
        batch.refresh_from_db()
        assert batch.lease_until == (batches.lease(protocol, later) if is_written else until)


def test_where_raters_adjudicate_a_batch_may_be_short(now: datetime) -> None:
    study = make_study(now=now, texts=3, protocol__most_ratings=12)
    person = Person(study, now).start()
    assert roles(Batch.objects.get(session=person.session))["test"] == 3


def test_an_active_rater_keeps_the_lease(now: datetime) -> None:
    person = Person(make_study(now=now), now).start()
    for _ in range(3):
        person.wait(20 * 60)
        person.rate()
    assert batches.expire_idle(now=person.wait(60)) == 0


def test_places_of_an_invalid_batch_return_to_the_pool_and_come_back_when_it_is_undone(now: datetime) -> None:
    person = Person(make_study(now=now, texts=24), now).start()
    person.rate_batch(attentive=False)
    person_places = 14
    assert taken() == person_places
    assert batches.validate(pk=person.filled[0], now=person.now) is False
    assert taken() == person_places - 7
    first = Trial.objects.filter(batch=person.filled[0])
    assert set(first.values_list("usable", flat=True)) == {False}
    Verdict.objects.filter(batch=person.filled[0]).update(revoked_at=person.now)
    settling.settle(batch_ids=[person.filled[0]])
    assert taken() == person_places
    assert set(first.values_list("usable", flat=True)) == {True}


def test_withdrawing_gives_the_open_batch_back_and_keeps_what_was_given(now: datetime) -> None:
    person = Person(make_study(now=now, texts=24), now).start()
    person.rate_batch()
    batches.validate(pk=person.filled[0], now=person.now)
    person.rate()
    finishing.withdraw(session_id=person.session.pk, now=person.now)
    assert taken() == 7
    assert Trial.objects.filter(usable=True).count() == 10
    assert Trial.objects.filter(usable=False).count() == 1


def test_nobody_is_told_of_an_invalid_batch(now: datetime) -> None:
    study = make_study(now=now, texts=24)
    pages = {}
    for attentive in (True, False):
        person = Person(study, now).start()
        person.rate_batch(attentive=attentive)
        batches.validate(pk=person.filled[0], now=person.now)
        page = person.load().current
        pages[attentive] = (page.saved, page.batch, page.batches, page.size, page.minutes_left)
        person.rate_batch(attentive=attentive)
        person.rate_batch(attentive=attentive)
        person.session.refresh_from_db()
        assert person.session.outcome == "complete"
    assert pages[True] == pages[False]


def test_stopping_after_invalid_batches_is_a_parameter(now: datetime) -> None:
    person = Person(make_study(now=now, texts=24, protocol__stop_after_invalid=1), now).start()
    person.rate_batch(attentive=False)
    batches.validate(pk=person.filled[0], now=person.now)
    person.rate_batch()
    assert person.is_done


def test_a_batch_is_validated_once(now: datetime) -> None:
    person = Person(make_study(now=now), now).start()
    person.rate_batch(attentive=False)
    assert batches.validate(pk=person.filled[0], now=person.now) is False
    assert batches.validate(pk=person.filled[0], now=person.now) is None
    assert Verdict.objects.count() == 1


@pytest.mark.parametrize(
    ("flawed", "first_human", "second_human", "valid"),
    [
        ("machine", "human", "human", True),
        ("machine", "human", "unclear", True),
        ("machine", "machine", "human", True),
        ("machine", "unclear", "machine", False),
        ("unclear", "human", "human", False),
        ("human", "human", "human", False),
    ],
)
def test_the_trap_rule(now: datetime, flawed: str, first_human: str, second_human: str, valid: bool) -> None:
    person = Person(make_study(now=now), now).start()
    humans = iter([first_human, second_human])
    while person.current.batch == 1:
        label = {"trap_flawed": lambda: flawed, "trap_human": lambda: next(humans)}.get(person.role, lambda: "unclear")
        person.rate(label())
        if person.filled:
            break
    assert batches.validate(pk=person.filled[0], now=person.now) is valid


def test_a_batch_that_workers_fail_at_is_tried_again_for_as_long_as_it_takes(now: datetime) -> None:
    person = Person(make_study(now=now, texts=24), now).start()
    person.rate_batch()
    Batch.objects.filter(pk=person.filled[0]).update(tries=jobs.MAX_TRIES)
    assert list(jobs.due(person.wait(60))) == [("raters.validate_batch", person.filled[0])]
    assert batches.validate(pk=person.filled[0], now=person.now) is True


def test_a_paused_study_opens_no_batch_and_a_closed_one_ends_sessions_complete(now: datetime) -> None:
    study = make_study(now=now, texts=40)
    person = Person(study, now).start()
    states.pause(study=study)
    with pytest.raises(Conflict) as refused:
        person.rate_batch()
    assert refused.value.code == "paused"
    assert Trial.objects.filter(answered_at__isnull=False).count() == 10
    states.resume(study=study)
    assert person.load().current.batch == 2
    states.close(study=study)
    person.rate_batch()
    assert person.is_done
    person.session.refresh_from_db()
    assert (person.session.outcome, Batch.objects.count()) == ("complete", 2)


def test_clips_added_to_a_live_study_are_wanted_as_its_version_says_and_not_its_draft(now: datetime) -> None:
    study = make_study(now=now)
    states.update_draft(study=study, raw=change(study.draft, {"protocol.ratings_wanted": 99}))
    clip = Clip.objects.filter(study=study, role="test").earliest("pk")
    clip.pk, clip.file = None, "new.wav"
    clip.save()
    lay_out(study=study, now=now)
    assert Pool.objects.get(item__clips__clip=clip).wanted == 10


def test_open_sessions_finish_under_the_version_that_they_began_with(now: datetime) -> None:
    study = make_study(now=now, texts=40, protocol__batches_per_session=2)
    early = Person(study, now).start()
    states.update_draft(study=study, raw=change(study.draft, {"protocol.batches_per_session": 1}))
    second = states.publish(study=study, now=now)
    late = Person(study, now).start()
    late.rate_batch()
    assert late.is_done
    assert late.session.version == second
    early.rate_batch()
    early.rate_batch()
    assert early.is_done
    assert Batch.objects.filter(session=early.session).count() == 2


def test_a_clip_withdrawn_while_it_is_claimed_is_left_for_another(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = make_study(now=now, texts=40)
    real, gone = claiming._take, []

    def take(picked: list[PlaceCandidate], *rest: Any) -> list[PlaceCandidate]:
        if not gone:
            gone.append(picked[0].pool)
            Pool.objects.filter(pk__in=gone).update(wanted=0)
        return real(picked, *rest)

    monkeypatch.setattr(claiming, "_take", take)
    Person(study, now).start()
    assert Trial.objects.filter(pool__isnull=False).count() == 7
    assert not Trial.objects.filter(pool__in=gone).exists()


def test_a_nights_break_does_not_count_as_pace(now: datetime) -> None:
    person = Person(make_study(now=now, texts=40), now).start()
    for _ in range(4):
        person.rate()
    person.wait(12 * 3600)
    assert (person.load().current.minutes_left or 0) <= 52


def test_the_sweep_leaves_simulated_raters_alone(now: datetime) -> None:
    person = Person(make_study(now=now), now).start()
    Session.objects.filter(pk=person.session.pk).update(simulated=True)
    assert batches.expire_idle(now=now + timedelta(days=1)) == 0


@pytest.mark.parametrize(
    ("settings", "sets"),
    [
        ({"texts": 40}, 3),
        ({"texts": 15}, 2),
        ({"texts": 40, "flawed": 1}, 1),
        ({"texts": 7, "protocol__repeat_text": "crossed"}, 3),
    ],
)
def test_a_rater_is_told_how_many_sets_there_really_are(now: datetime, settings: dict[str, Any], sets: int) -> None:
    person = Person(make_study(now=now, **settings), now).start()
    assert person.current.batches == sets
    for _ in range(sets):
        person.rate_batch()
    assert person.is_done


@pytest.mark.parametrize("attentive", [True, False])
def test_only_a_batch_that_loses_its_places_locks_them(now: datetime, attentive: bool) -> None:
    person = Person(make_study(now=now, texts=40), now).start()
    person.rate_batch(attentive=attentive)
    places = set(Trial.objects.filter(batch=person.filled[0], pool__isnull=False).values_list("pool", flat=True))
    with CaptureQueriesContext(connection) as sent:
        assert batches.validate(pk=person.filled[0], now=person.now) is attentive
    touches = [query["sql"] for query in sent if '"studies_pool"' in query["sql"]]
    assert bool(touches) is not attentive
    assert set(Pool.objects.filter(pk__in=places).values_list("taken", flat=True)) == {1 if attentive else 0}


def test_a_batch_without_usable_answers_asks_no_queue_of_experts(now: datetime) -> None:
    person = Person(make_study(now=now, texts=40), now).start()
    person.rate_batch(attentive=False)
    with CaptureQueriesContext(connection) as sent:
        batches.validate(pk=person.filled[0], now=person.now)
    assert not [query["sql"] for query in sent if '"raters_newlyusable"' in query["sql"]]
