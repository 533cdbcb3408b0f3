"""Erase a person: no table, file or log holds their name any more, and what was counted stays counted."""

from __future__ import annotations

import io
import logging
from datetime import datetime, timedelta

import pytest
from django.core.files.storage import default_storage
from django.test import Client

from accounts.models import User
from analysis.data.models import Simulated
from analysis.exports import building
from analysis.exports.models import Export, Profile
from analysis.runs import analyses
from core import clock
from core.errors import Conflict
from core.operations import logs
from raters.experts.reviewing import REVIEW
from raters.models import Erasure, Identity, Rater, Session
from raters.people import invites
from raters.privacy import erasing, requests
from raters.rating import batches, monitor, verdicts
from raters.sessions import lifecycle
from raters.sources.base import RaterArrival
from studies.decisions import queue as decision_queue
from tests import figures
from tests.raters.experts.reviewing import store
from tests.raters.privacy.searching import holding, texts
from tests.world import REASON, Person, make_study

PID, SESSION = "5f3a9c0d1e2b4a6f8c7d9e01", "65aa0c0d1e2b4a6f8c7d9e02"


def erase(rater: int, now: datetime) -> Erasure:
    erasure = requests.erase_person(rater_id=rater, now=now, by=None)
    assert erasing.carry_out(pk=erasure.pk, clock=lambda: now)
    erasure.refresh_from_db()
    return erasure


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("files")
def test_crowd_17_after_erasing_no_table_file_or_log_holds_the_person(client: Client) -> None:
    now = clock.now()
    said, written = io.StringIO(), logging.StreamHandler()
    written.setStream(said)
    written.setFormatter(logs.PlainFormatter("%(levelname)s %(name)s %(message)s"))
    logging.getLogger().addHandler(written)
    try:
        study, stays = make_study(now=now, texts=24), "6a0000000000000000000001"
        link = f"/s/{study.slug}/?PROLIFIC_PID={PID}&STUDY_ID=7b&SESSION_ID={SESSION}"
        assert client.get(link).status_code == 303
        session = Session.objects.get()
        person = Person(study, now, name=PID)
        assert person.session.rater == session.rater
        person.start().rate_batch()
        other = Person(study, now, name=stays).start()
        other.rate_batch()
        for pk in (*person.filled, *other.filled):
            batches.validate(pk=pk, now=now)
        verdicts.exclude(session=session.pk, rule="by_hand", by=None, now=now, detail={"reason": f"{PID} wrote"})
        made = building.request_export(
            study_id=study.pk, simulated=Simulated.WITHOUT, user=None, now=now, profile=Profile.PAYMENT
        )
        building.build_export(pk=made.pk, clock=clock.now)
        figures.compute(study, now)
        assert made.pk
        assert Export.objects.exclude(file="").exists()
        flow = monitor.flow(study.pk, False)
        assert holding(REASON)
        erase(session.rater_id, now)
        logging.getLogger("earshot.test").error("went to %s and %s", link, f"/s/x/?prolific_token={PID}")
        client.get(f"/s/nowhere/?PROLIFIC_PID={PID}&STUDY_ID=7b&SESSION_ID={SESSION}")
    finally:
        logging.getLogger().removeHandler(written)
    assert holding(PID, SESSION) == set()
    assert PID not in said.getvalue()
    assert SESSION not in said.getvalue()
    assert "went to" in said.getvalue()
    assert Export.objects.get().file == ""
    # Who was at work has withdrawn; nobody is lost.
    expected = {**flow, "rating": flow["rating"] - 1, "withdrawn": flow["withdrawn"] + 1}
    assert monitor.flow(study.pk, False) == expected
    assert [identity.person for identity in Identity.objects.all()] == [stays]
    # The other's words are there still: the search does find what is there.
    assert "raters_answer" in holding(REASON)


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
class TestOneTransaction:
    """The same without files of the database."""

    def test_all_sessions_of_a_person_lose_their_answers_and_names(self, now: datetime) -> None:
        first, second = make_study(now=now), make_study(now=now)
        one = Person(first, now, name="pid-1").start()
        one.rate()
        two = lifecycle.arrive(study_id=second.pk, arrival=RaterArrival("prolific", "pid-1", "ext-2", "s-2"), now=now)
        erasure = erase(one.session.rater_id, one.now)
        assert erasure.counts["answer"] == 1
        assert erasure.counts["identity"] == 1
        names = Session.objects.filter(pk__in=[one.session.pk, two.pk]).values_list("ext_study", "ext_session")
        assert {study for study, _ in names} == {""}
        assert all(name.startswith("erased-") for _, name in names)
        assert not [table for table, text in texts() if "pid-1" in text or REASON in text]

    def test_who_was_erased_does_not_come_back_by_the_same_link_as_somebody_new(self, now: datetime) -> None:
        study = make_study(now=now)
        person = Person(study, now, name="pid-1")
        erase(person.session.rater_id, now)
        with pytest.raises(Conflict) as refused:
            Person(study, now, name="pid-1")
        assert refused.value.code == "already_took_part"
        assert Rater.objects.count() == 1

    def test_a_session_opened_after_it_was_asked_for_ends_with_the_others(self, now: datetime) -> None:
        study, other = make_study(now=now), make_study(now=now)
        person = Person(study, now, name="pid-1")
        erasure = requests.erase_person(rater_id=person.session.rater_id, now=now, by=None)
        arrival = RaterArrival("prolific", "pid-1", "ext-2", "s-2")
        late = lifecycle.arrive(study_id=other.pk, arrival=arrival, now=now)
        assert erasing.carry_out(pk=erasure.pk, clock=lambda: now)
        late.refresh_from_db()
        assert (late.step, late.outcome) == ("ended", "withdrawn")

    def test_an_invitation_of_somebody_erased_is_used_up(self, now: datetime) -> None:
        study = make_study(now=now, crowd__source="invite")
        [(number, _link)] = invites.create_links(
            study_id=study.pk, slug=study.slug, number=1, label="", by=None, now=now
        )
        arrival = RaterArrival("invite", str(number), "", str(number))
        session = lifecycle.arrive(study_id=study.pk, arrival=arrival, now=now)
        erase(session.rater_id, now)
        with pytest.raises(Conflict):
            lifecycle.arrive(study_id=study.pk, arrival=arrival, now=now)

    def test_what_experts_noted_and_marked_goes_with_the_words(self, now: datetime) -> None:
        study = make_study(now=now, review__mode="all", coding__mode="all")
        person = Person(study, now).start()
        person.rate_batch()
        for pk in person.filled:
            batches.validate(pk=pk, now=person.now)
        eva = User.objects.create_user("eva")
        [card, *_] = decision_queue.offer(REVIEW, study=study, user_id=eva.pk, now=person.now)
        store(study=study, user=eva, key=card.key, decision="inconsistent", note="quotes: the pause", now=person.now)
        erase(person.session.rater_id, person.now)
        assert not [table for table, text in texts() if "the pause" in text.lower()]

    def test_older_analyses_say_so_and_figures_are_made_anew(self, now: datetime) -> None:
        study = make_study(now=now)
        person = Person(study, now).start()
        person.rate()
        done = analyses.request_analysis(study_id=study.pk, user=None, now=now)
        type(done).objects.filter(pk=done.pk).update(state="done", ended_at=now)
        figures.compute(study, now)
        name = default_storage.save("exports/aa/x", io.BytesIO(b"PK"))
        Export.objects.create(study=study, created_at=now, state="done", file=name)
        later = person.now + timedelta(hours=25)
        erasure = requests.delete_answers(session_id=person.session.pk, now=person.now)
        erasing.carry_out(pk=erasure.pk, clock=lambda: later)
        done.refresh_from_db()
        assert done.erased_raters == 1
        assert figures.rows() == []
        assert not default_storage.exists(name)
        # Carried out once more after a crash, it counts once.
        Erasure.objects.filter(pk=erasure.pk).update(state="queued")
        erasing.carry_out(pk=erasure.pk, clock=lambda: later)
        done.refresh_from_db()
        assert done.erased_raters == 1
