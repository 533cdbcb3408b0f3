"""Attention checks between batches: when one is asked, what it keeps, and what it never changes."""

from __future__ import annotations

import csv
import re
from collections import Counter
from datetime import datetime
from random import Random
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core import rng
from core.errors import Conflict
from raters.models import Batch, CheckResult, FairCheck, PlatformStudy, Session, Trial, Verdict
from raters.payments import candidates
from raters.privacy import requests
from raters.rating import batches, trials
from raters.sessions import lifecycle, rechecks
from raters.sessions.screening.attention import AttentionCheck
from raters.simulation.simulated_sessions import simulate
from raters.sources.base import RaterArrival
from studies.definition import facts
from studies.definition.parsing import parse
from studies.launch import states
from studies.models import Study, StudyVersion
from tests.raters.sessions.screening.listener import ATTENTION, Listener, make_study, rate_batch, right, wrong
from tests.world import carry

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
SETTINGS: dict[str, Any] = {"screening__attention": ATTENTION, "protocol__batches_per_session": 3, "texts": 24}


ENDING: dict[str, Any] = {"screening__attention_failed": "screen_out", "crowd__failed_attention_code": "INATT"}


def listener(now: datetime, **settings: Any) -> Listener:
    return Listener(make_study(now, **{**SETTINGS, **settings}), now).agree().go().read()


def test_one_question_is_asked_between_two_batches_and_none_after_the_last(now: datetime) -> None:
    person = listener(now)
    for number in (0, 1):
        rate_batch(person, 1)
        assert person.is_done
        assert person.step == Session.Step.CHECKS
        shown = person.at
        assert (shown.check.name, shown.step["number"], shown.places) == ("attention", number, 1)
        assert person.send(right(shown.result)) == {}
        assert person.step == Session.Step.RATING
    rate_batch(person, 1)
    assert person.outcome == "complete"
    kept = FairCheck.objects.order_by("pk")
    assert [(each.kind, each.passed) for each in kept] == [("instruction", True), ("nonsense", True)]
    assert len({each.block for each in kept}) == 2
    assert CheckResult.objects.count() == 2


def test_who_fails_is_marked_and_loses_nothing(now: datetime) -> None:
    person = listener(now)
    for _gap in (1, 2):
        rate_batch(person, 1)
        person.go(failing=("attention",))
    rate_batch(person, 1)
    queued = list(Batch.objects.filter(state="queued").values_list("pk", flat=True))
    assert [batches.validate(pk=pk, now=person.now) for pk in queued] == [True, True, True]
    session = Session.objects.get(pk=person.session.pk)
    assert (session.outcome, session.payable) == ("complete", True)
    assert not Verdict.objects.exists()
    assert not Trial.objects.exclude(usable=True).filter(pool__isnull=False).exists()
    assert [(each.asked, each.answered, each.passed) for each in FairCheck.objects.order_by("pk")] == [
        ("To show that you read this, choose “Often”", "Sometimes", False),
        ("I have visited every planet.", "Somewhat agree", False),
    ]
    assert {(result.passed, result.tries) for result in CheckResult.objects.all()} == {(False, 1)}


def test_a_session_ends_only_where_the_study_wants_it_and_by_as_many_failures_as_a_rejection_takes(
    now: datetime,
) -> None:
    slow = listener(now, **ENDING)
    rate_batch(slow, 1)
    assert slow.go(failing=("attention",)).outcome == ""
    rate_batch(slow, 1)
    assert (slow.go(failing=("attention",)).outcome, slow.step) == ("failed_attention", Session.Step.ENDED)
    # A person decides, and what was given stays.
    assert Session.objects.get(pk=slow.session.pk).payable is None
    assert not Trial.objects.filter(session=slow.session.pk, pool__isnull=False, holds=False).exists()
    assert "INATT" in carry(slow).get(f"/rate/{slow.study.slug}/end/").text


@pytest.mark.parametrize(("told", "outcome"), [(None, "failed_attention"), (10, ""), (3, "failed_attention")])
def test_one_failure_is_enough_where_participants_are_told_less_than_five_minutes(
    now: datetime, told: int | None, outcome: str
) -> None:
    person = listener(now, **ENDING, payment__minutes=4)
    # As a launch keeps it: what is paid is no part of a version.
    body, _sha256 = states.frozen(person.study.definition)
    StudyVersion.objects.filter(study=person.study).update(definition=body)
    facts.frozen.cache_clear()
    ext_study = Session.objects.get(pk=person.session.pk).ext_study
    PlatformStudy.objects.create(study=person.study, ext_study=ext_study, added_at=now, minutes=told)
    rate_batch(person, 1)
    assert person.go(failing=("attention",)).outcome == outcome


def test_it_is_asked_under_the_generator_of_real_raters_which_nobody_can_copy(now: datetime) -> None:
    person = listener(now)
    person.rng = rng.fresh()
    rate_batch(person, 1)
    assert person.step == Session.Step.CHECKS
    assert Batch.objects.count() == 1


def test_nobody_is_asked_where_nothing_is_left_to_rate(now: datetime) -> None:
    # Flawed traps for two sets.
    person = listener(now, flawed=2)
    rate_batch(person, 1)
    assert person.go().step == Session.Step.RATING
    rate_batch(person, 1)
    assert person.outcome == "complete"
    assert (FairCheck.objects.count(), Batch.objects.count()) == (1, 2)


def test_who_fails_while_the_study_closes_has_done_all_there_was_to_do(now: datetime) -> None:
    person = listener(now, **ENDING, payment__minutes=4)
    rate_batch(person, 1)
    Study.objects.filter(pk=person.study.pk).update(state=Study.State.CLOSED)
    assert person.go(failing=("attention",)).outcome == ""
    person.load()
    assert person.outcome == "complete"
    assert FairCheck.objects.get().passed is False


def test_who_failed_and_comes_by_another_place_goes_on_where_they_were(now: datetime) -> None:
    person = listener(now, crowd__unfinished="fresh")
    rate_batch(person, 1)
    person.go(failing=("attention",))
    session = Session.objects.get(pk=person.session.pk)
    again = RaterArrival(source=session.source, person=person.name, study=session.ext_study, session="another")
    arrived = lifecycle.arrive(study_id=session.study_id, arrival=again, now=person.now)
    assert arrived.pk == session.pk


def test_a_reload_shows_the_same_page_and_an_answer_given_twice_is_kept_once(now: datetime) -> None:
    person = listener(now)
    rate_batch(person, 1)
    first, again = person.at, person.at
    assert (first.at, first.step) == (again.at, again.step)
    assert person.send(wrong(first.result), at=first.at) == {}
    assert person.send(right(first.result), at=first.at) == {}
    assert person.load().current.batch == 2
    assert FairCheck.objects.get().passed is False


@pytest.mark.parametrize("form", [{}, {"question": "3"}, {"question": "-1"}, {"question": "Often"}, {"question": "²"}])
def test_an_answer_that_was_not_offered_is_refused_and_costs_nothing(now: datetime, form: dict[str, str]) -> None:
    person = listener(now)
    rate_batch(person, 1)
    assert "question" in person.send(form)
    assert not FairCheck.objects.exists()
    assert person.step == Session.Step.CHECKS


def test_nobody_answers_before_the_question_is_asked_and_no_batch_opens_before_it_is_answered(now: datetime) -> None:
    person = listener(now)
    person.load()
    assert person.send({"question": "0"}, at="attention.1.1.0.0") == {}
    rate_batch(person, 1)
    assert person.load().is_done
    assert Batch.objects.count() == 1
    assert person.send({"question": "0"}, at="attention.2.1.0.0") == {}
    assert not FairCheck.objects.exists()


def test_the_question_comes_after_as_many_batches_as_the_study_says(now: datetime) -> None:
    person = listener(now, screening__attention_every=2)
    rate_batch(person, 1)
    assert person.load().current.batch == 2
    rate_batch(person, 1)
    assert person.at.check.name == "attention"
    person.go()
    rate_batch(person, 1)
    assert person.outcome == "complete"


def test_ears_come_before_the_question_where_both_fall_into_one_gap(now: datetime) -> None:
    wanted = {"screening__recheck_minutes": 30, "screening__headphones": "antiphase", "screening__volume": True}
    person = listener(now, **wanted)
    rate_batch(person, 31)
    assert (person.at.check.name, person.at.places) == ("volume", 2)
    person.go()
    checked_at = Session.objects.get(pk=person.session.pk).checked_at
    assert checked_at == person.now
    assert person.load().is_done
    assert (person.at.check.name, person.at.places) == ("attention", 1)
    person.wait(60)
    person.go()
    assert person.load().current.batch == 2
    # The question moves no clock of the other.
    assert Session.objects.get(pk=person.session.pk).checked_at == checked_at
    assert list(CheckResult.objects.filter(round__gt=0).order_by("pk").values_list("name", "round")) == [
        ("volume", 1),
        ("antiphase", 1),
        ("attention", 2),
    ]


def test_a_paused_study_asks_nothing_and_goes_on_with_the_question(now: datetime) -> None:
    person = listener(now)
    person.load()
    Study.objects.filter(pk=person.study.pk).update(state=Study.State.PAUSED)
    with pytest.raises(Conflict, match="paused"):
        rate_batch(person, 1)
    assert not CheckResult.objects.exists()
    Study.objects.filter(pk=person.study.pk).update(state=Study.State.LIVE)
    person.load()
    assert person.at.check.name == "attention"


def test_a_study_without_attention_checks_pays_no_query_for_them(now: datetime, django_assert_num_queries: Any) -> None:
    person = listener(now, screening__attention=())
    session = Session.objects.get(pk=person.session.pk)
    with django_assert_num_queries(0):
        assert rechecks.begin(session=session, now=now, rng=person.rng) is False


def test_answers_within_a_batch_cost_the_same_with_attention_checks(now: datetime) -> None:
    plain = queries_of_an_answer(listener(now, screening__attention=()))
    assert queries_of_an_answer(listener(now)) == plain > 0


def queries_of_an_answer(person: Listener) -> int:
    """Rate the first clip and return what its answer cost."""
    person.load()
    person.fetch()
    person.play()
    person.wait(1)
    with CaptureQueriesContext(connection) as caught:
        trials.submit(session_id=person.session.pk, sent=person.submission(), now=person.now, rng=person.rng)
    return len(caught)


def test_somebody_who_tries_the_study_out_meets_the_question_which_counts_with_no_real_ones(now: datetime) -> None:
    study = make_study(now, **SETTINGS)
    me = RaterArrival(source="preview", person="me", study="ext", session="mine", preview=True)
    session = lifecycle.arrive(study_id=study.pk, arrival=me, now=now)
    person = Listener(study, now)
    person.session = session
    person.agree().read()
    rate_batch(person, 1)
    person.go(failing=("attention",))
    assert FairCheck.objects.get().passed is False
    assert candidates.fair_checks(study.pk) == {}


def test_simulated_raters_answer_as_they_care(now: datetime) -> None:
    study = make_study(now, **SETTINGS, humans=12, flawed=6)
    summary = simulate(study_id=study.pk, raters=8, seed=3, careless=0.5, now=now)
    found = Counter(FairCheck.objects.values_list("session", flat=True))
    assert (summary.sessions, set(found.values())) == (8, {2})
    assert set(Session.objects.values_list("outcome", flat=True)) == {"complete"}
    assert set(FairCheck.objects.values_list("passed", flat=True)) == {True, False}
    assert simulate(study_id=study.pk, raters=8, seed=3, careless=0.5, now=now).new == 0
    assert FairCheck.objects.count() == 16


def test_instructions_are_shuffled_and_a_scale_only_begins_at_either_end(now: datetime) -> None:
    definition = parse(StudyVersion.objects.get(study=make_study(now, **SETTINGS)).definition)
    orders: list[set[tuple[int, ...]]] = [set(), set()]
    for seed in range(60):
        for number in (0, 1):
            (step,) = AttentionCheck(number).draw(definition, Random(seed), clips=[], short=True)
            orders[number].add(tuple(step["order"]))
    assert len(orders[0]) == 6
    assert orders[1] == {(0, 1, 2, 3), (3, 2, 1, 0)}


def test_the_page_tells_no_answer_before_or_after_and_says_of_what_is_missing(now: datetime) -> None:
    person = listener(now, texts__language="zh-hans", protocol__batches_per_session=2)
    client = carry(person)
    rate_batch(person, 1)
    address = f"/rate/{person.study.slug}/check/"
    shown = person.at
    missing = client.post(address, {"at": shown.at})
    assert missing.status_code == 422
    assert "请选择其中一项。" in missing.text
    for page in (client.get(address), missing):
        asked = page.text.partition("<fieldset")[2].partition("</fieldset>")[0]
        assert re.findall(r'value="(\d)"', asked) == ["0", "1", "2"]
        # Nothing but the words themselves, in the order that was drawn.
        words = ["Often", "Never", "Sometimes"]
        assert re.findall(r'dir="ltr">(\w+)<', asked) == [words[place] for place in shown.step["order"]]
        assert "*" not in asked
    sent = client.post(address, {"at": shown.at, **wrong(shown.result)})
    assert (sent.status_code, sent["Location"]) == (303, f"/rate/{person.study.slug}/")
    onward = client.get(f"/rate/{person.study.slug}/trial/")
    assert onward.status_code == 200
    assert "Often" not in onward.text


def test_the_instructions_say_that_there_are_attention_checks_where_a_session_meets_one(now: datetime) -> None:
    for sets, said in ((3, True), (1, False)):
        study = make_study(now, **{**SETTINGS, "protocol__batches_per_session": sets})
        person = Listener(study, now).agree()
        page = carry(person).get(f"/rate/{study.slug}/instructions/")
        assert ("attention checks" in page.text) is said


def test_exports_tell_what_was_asked_and_answered_and_name_the_mark(now: datetime, tmp_path: Any) -> None:
    person = listener(now)
    rate_batch(person, 1)
    person.go(failing=("attention",))
    call_command("export_study", person.study.slug, out=tmp_path / "all")
    with open(tmp_path / "all" / "checks.csv", encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["check"], row["round"], row["passed"]) == ("attention", "1", "false")
    assert (row["asked"], row["answered"]) == ("To show that you read this, choose “Often”", "Sometimes")
    with open(tmp_path / "all" / "raters.csv", encoding="utf-8", newline="") as file:
        assert [row["checks_failed"] for row in csv.DictReader(file)] == ["attention"]
    requests.delete_answers(session_id=person.session.pk, now=now)
    call_command("export_study", person.study.slug, out=tmp_path / "without")
    with open(tmp_path / "without" / "checks.csv", encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["check"], row["passed"], row["answered"]) == ("attention", "", "")
