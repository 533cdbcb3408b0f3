"""Arriving: one session an external id, one person an identity."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from random import Random

import pytest

from core.errors import Conflict
from raters.models import Identity, Rater, Session, Trial
from raters.payments import reconciling
from raters.people import queries as people_queries
from raters.people import tombstones
from raters.rating import finishing, monitor, trials
from raters.sessions import lifecycle
from raters.sources.base import RaterArrival
from studies.models import Pool, Study
from tests.world import Person, make_study

pytestmark = pytest.mark.django_db


def arrival(person: str = "p1", session: str = "s1") -> RaterArrival:
    return RaterArrival(source="prolific", person=person, study="ext", session=session)


def test_crowd_01_the_same_link_twice_is_one_session(now: datetime) -> None:
    study = make_study(now=now)
    first = lifecycle.arrive(study_id=study.pk, arrival=arrival(), now=now)
    assert lifecycle.arrive(study_id=study.pk, arrival=arrival(), now=now) == first
    assert (Rater.objects.count(), Identity.objects.count(), Session.objects.count()) == (1, 1, 1)


def test_crowd_01_a_session_id_with_another_person_is_refused_and_logged(
    now: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    study = make_study(now=now)
    lifecycle.arrive(study_id=study.pk, arrival=arrival(), now=now)
    with pytest.raises(Conflict) as refused:
        lifecycle.arrive(study_id=study.pk, arrival=arrival(person="person-two"), now=now)
    assert refused.value.code == "other_person"
    [said] = caplog.messages
    assert "another person" in said
    assert "person-two" not in said


def test_an_assignment_that_mechanical_turk_passes_on_is_a_session_of_each_worker(now: datetime) -> None:
    study, other = make_study(now=now), make_study(now=now)

    def come(person: str, to: Study = study) -> Session:
        worker = RaterArrival("mturk", person, "H1", "A1", passed_on=True)
        return lifecycle.arrive(study_id=to.pk, arrival=worker, now=now)

    first, second = come("W1"), come("W2")
    assert first.rater != second.rater
    assert [come("W2"), come("W1"), come("W2")] == [second, first, second]
    assert [each.ext_session for each in (first, second)] == ["A1", "A1"]
    with pytest.raises(Conflict, match="another study"):
        come("W2", other)
    # The platform's own id, and nothing that tells who the second one is.
    assert second.ext_study.startswith("H1~")
    assert {each.study for each in people_queries.ids([first.pk, second.pk]).values()} == {"H1"}
    assert {row["ext_study"] for row in reconciling.table(study.pk)} == {"H1"}
    # Whoever goes on by another assignment leaves the second one's as it is.
    moved = lifecycle.arrive(
        study_id=study.pk, arrival=RaterArrival("mturk", "W1", "H1", "A2", passed_on=True), now=now
    )
    assert moved == first
    assert come("W2") == second
    erase(first)
    assert come("W3").rater not in (first.rater, second.rater)


def erase(session: Session) -> None:
    """Erase a person whom nobody remembers by an identity any more."""
    Identity.objects.filter(rater=session.rater).delete()
    name = tombstones.tombstone("mturk", "H1", "A1")
    Session.objects.filter(pk=session.pk).update(ext_study="", ext_session=name)


def test_crowd_01_coming_again_shows_the_same_trial_of_the_same_list(now: datetime) -> None:
    person = Person(make_study(now=now), now).start()
    person.rate()
    tokens = list(Trial.objects.order_by("position").values_list("token", flat=True))
    again = lifecycle.arrive(study_id=person.study.pk, arrival=arrival(person.name, f"s-{person.name}"), now=now)
    assert again == person.session
    assert person.load().current.trial.token == tokens[1]
    assert list(Trial.objects.order_by("position").values_list("token", flat=True)) == tokens


def test_crowd_01_the_link_of_a_finished_session_makes_no_new_rows(now: datetime) -> None:
    person = Person(make_study(now=now, protocol__batches_per_session=1), now).start()
    person.rate_batch()
    counts = [model.objects.count() for model in (Rater, Identity, Session, Trial)]
    again = lifecycle.arrive(study_id=person.study.pk, arrival=arrival(person.name, f"s-{person.name}"), now=now)
    assert (again, again.outcome) == (person.session, "complete")
    assert [model.objects.count() for model in (Rater, Identity, Session, Trial)] == counts


def test_one_person_in_two_studies_is_one_rater(now: datetime) -> None:
    for number in (1, 2):
        lifecycle.arrive(study_id=make_study(now=now).pk, arrival=arrival(session=f"s{number}"), now=now)
    assert (Rater.objects.count(), Session.objects.count()) == (1, 2)


def test_somebody_with_a_new_place_goes_on_where_they_stopped(now: datetime) -> None:
    """They returned their place and took another: the platform's new session is the one that is paid."""
    person = Person(make_study(now=now), now, name="p1").start()
    person.rate()
    following = person.current.trial.token
    moved = lifecycle.arrive(study_id=person.study.pk, arrival=arrival(session="new-place"), now=now)
    assert (moved.pk, moved.ext_session) == (person.session.pk, "new-place")
    assert person.load().current.trial.token == following
    assert Session.objects.count() == 1


def test_with_a_new_place_somebody_may_begin_afresh_on_other_clips(now: datetime) -> None:
    person = Person(make_study(now=now, texts=24, crowd__unfinished="fresh"), now, name="p1").start()
    person.rate()
    fresh = lifecycle.arrive(study_id=person.study.pk, arrival=arrival(session="new-place"), now=now)
    person.session.refresh_from_db()
    assert (person.session.outcome, person.session.ext_session) == ("withdrawn", "s-p1")
    heard = set(Trial.objects.values_list("item", flat=True))
    lifecycle.consent(session_id=fresh.pk, agreed=True, now=now)
    lifecycle.begin(session_id=fresh.pk, now=now)
    trials.enter(session_id=fresh.pk, now=now, rng=Random(2))
    assert not heard & set(Trial.objects.filter(session=fresh).values_list("item", flat=True))


@pytest.mark.parametrize("outcome", ["screened_out", "failed_comprehension", "failed_attention"])
def test_whoever_was_left_out_does_not_try_again_by_another_place(now: datetime, outcome: str) -> None:
    person = Person(make_study(now=now, crowd__sessions_per_person=3), now, name="p1").start()
    finishing.leave(session_id=person.session.pk, outcome=Session.Outcome(outcome), now=now)
    with pytest.raises(Conflict) as refused:
        lifecycle.arrive(study_id=person.study.pk, arrival=arrival(session="new-place"), now=now)
    assert refused.value.code == "already_took_part"


@pytest.mark.parametrize("outcome", ["declined", "bad_device", "technical_failure", "withdrawn"])
def test_whoever_left_for_another_reason_may_come_again(now: datetime, outcome: str) -> None:
    person = Person(make_study(now=now), now, name="p1").start()
    finishing.leave(session_id=person.session.pk, outcome=Session.Outcome(outcome), now=now)
    again = lifecycle.arrive(study_id=person.study.pk, arrival=arrival(session="new-place"), now=now)
    assert (again.step, again.rater_id) == ("consent", person.session.rater_id)


def test_a_person_may_complete_as_many_sessions_as_the_study_allows(now: datetime) -> None:
    given = {"texts": 40, "flawed": 8, "humans": 16, "crowd__sessions_per_person": 2}
    study = make_study(now=now, protocol__batches_per_session=1, **given)
    for number in range(2):
        session = lifecycle.arrive(study_id=study.pk, arrival=arrival(session=f"s{number}"), now=now)
        finishing.leave(session_id=session.pk, outcome=Session.Outcome.COMPLETE, now=now)
    with pytest.raises(Conflict) as refused:
        lifecycle.arrive(study_id=study.pk, arrival=arrival(session="s3"), now=now)
    assert refused.value.code == "already_took_part"
    assert (Rater.objects.count(), Session.objects.count()) == (1, 2)


def test_a_test_run_takes_no_real_place_and_counts_nowhere(now: datetime) -> None:
    study = make_study(now=now, protocol__batches_per_session=1)
    wanted = list(Pool.objects.filter(cell__simulated=False).values_list("pk", "taken"))
    run = lifecycle.arrive(study_id=study.pk, arrival=replace(arrival(), preview=True), now=now)
    lifecycle.consent(session_id=run.pk, agreed=True, now=now)
    lifecycle.begin(session_id=run.pk, now=now)
    trials.enter(session_id=run.pk, now=now, rng=Random(2))
    assert (run.preview, run.simulated) == (True, True)
    assert finishing.leave(session_id=run.pk, outcome=Session.Outcome.COMPLETE, now=now).payable is False
    assert list(Pool.objects.filter(cell__simulated=False).values_list("pk", "taken")) == wanted
    assert Trial.objects.filter(pool__cell__simulated=True).count() == 7
    assert monitor.flow(study.pk, False)["arrived"] == 0
    assert [(row["preview"], row["simulated"]) for row in monitor.sessions_table(study.pk, None)] == [(True, True)]


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_a_test_run_by_an_unsigned_word_ends_where_the_study_does(now: datetime, state: str) -> None:
    study = make_study(now=now, protocol__batches_per_session=1)
    run = lifecycle.arrive(study_id=study.pk, arrival=replace(arrival(), preview=True), now=now)
    lifecycle.consent(session_id=run.pk, agreed=True, now=now)
    lifecycle.begin(session_id=run.pk, now=now)
    Study.objects.filter(pk=study.pk).update(state=state)
    with pytest.raises(Conflict) as refused:
        lifecycle.arrive(study_id=study.pk, arrival=replace(arrival(session="s2"), preview=True), now=now)
    assert refused.value.code == "not_open"
    with suppress(Conflict):
        trials.enter(session_id=run.pk, now=now, rng=Random(2))
    assert not Trial.objects.exists()
    signed = replace(arrival("p2", "s3"), preview=True, proof=Session.Proof.SIGNED)
    assert lifecycle.arrive(study_id=study.pk, arrival=signed, now=now).preview


def test_a_finished_person_cannot_take_part_again(now: datetime) -> None:
    study = make_study(now=now, protocol__batches_per_session=1)
    Person(study, now, name="p1").start().rate_batch()
    with pytest.raises(Conflict) as refused:
        lifecycle.arrive(study_id=study.pk, arrival=arrival(session="s2"), now=now)
    assert refused.value.code == "already_took_part"


@pytest.mark.parametrize("state", ["draft", "paused", "closed"])
def test_a_study_that_is_not_live_takes_nobody_new(now: datetime, state: str) -> None:
    study = make_study(now=now)
    known = lifecycle.arrive(study_id=study.pk, arrival=arrival(), now=now)
    Study.objects.filter(pk=study.pk).update(state=state)
    with pytest.raises(Conflict) as refused:
        lifecycle.arrive(study_id=study.pk, arrival=arrival("p2", "s2"), now=now)
    assert refused.value.code == "not_open"
    assert lifecycle.arrive(study_id=study.pk, arrival=arrival(), now=now) == known


def test_consent_keeps_a_fingerprint_of_the_text_that_was_agreed_to(now: datetime) -> None:
    person = Person(make_study(now=now), now)
    session = lifecycle.consent(session_id=person.session.pk, agreed=True, now=now)
    assert (session.step, session.consented_at, len(session.consent_sha256)) == ("instructions", now, 64)


def test_declining_ends_the_session(now: datetime) -> None:
    person = Person(make_study(now=now), now)
    session = lifecycle.consent(session_id=person.session.pk, agreed=False, now=now)
    assert (session.step, session.outcome) == ("ended", "declined")


def test_trials_come_after_the_instructions(now: datetime) -> None:
    person = Person(make_study(now=now), now)
    with pytest.raises(Conflict) as refused:
        person.load()
    assert refused.value.code == "not_started"
