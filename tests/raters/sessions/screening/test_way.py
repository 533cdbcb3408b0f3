"""A session's way through its checks, by the services: order, tries, outcomes, marks, and what happens on a reload."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.template.loader import get_template

from core.errors import Conflict
from raters.models import Answer, CheckResult, Rating, Session, Trial
from raters.rating import finishing, trials
from raters.sessions import checks as screening
from raters.sessions import lifecycle
from raters.sessions import screening as checks
from raters.simulation.simulated_sessions import simulate
from raters.sources.base import RaterArrival
from studies.models import Clip, Study
from tests.raters.sessions.screening.listener import ALL, Listener, make_study, rate_batch, right, wrong

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
ORDER = ["device", "language", "volume", "antiphase", "huggins"]
PRACTICE = ["comprehension", "training"]


def listener(now: datetime, **settings: Any) -> Listener:
    return Listener(make_study(now, **{**ALL, **settings}), now).agree()


def met(person: Listener) -> list[str]:
    return list(CheckResult.objects.filter(session=person.session.pk).order_by("pk").values_list("name", flat=True))


def test_a_study_without_checks_leads_straight_from_consent_to_instructions_to_trials(now: datetime) -> None:
    person = Listener(make_study(now), now).agree()
    assert person.step == Session.Step.INSTRUCTIONS
    assert person.read().step == Session.Step.RATING
    assert not CheckResult.objects.exists()


def test_checks_come_in_the_recommended_order_and_lead_to_the_first_trial(now: datetime) -> None:
    person = listener(now)
    assert person.step == Session.Step.CHECKS
    assert person.go().step == Session.Step.INSTRUCTIONS
    assert met(person) == ORDER
    assert person.read().step == Session.Step.PRACTICE
    assert person.go().step == Session.Step.RATING
    assert met(person) == ORDER + PRACTICE
    session = Session.objects.get(pk=person.session.pk)
    assert session.started_at == person.now
    assert set(CheckResult.objects.values_list("passed", flat=True)) == {True}
    assert person.load().current.trial.position == 1


def test_no_trial_is_shown_before_the_checks_are_passed(now: datetime) -> None:
    person = listener(now)
    for _part in range(2):
        with pytest.raises(Conflict, match="instructions come first"):
            trials.enter(session_id=person.session.pk, now=now, rng=person.rng)
        lifecycle.begin(session_id=person.session.pk, now=now)
        assert person.step in screening.Steps
        person.go().read()


@pytest.mark.parametrize(
    ("name", "tries", "outcome", "payable"),
    [
        ("device", 2, "bad_device", False),
        ("language", 1, "screened_out", True),
        ("antiphase", 2, "screened_out", True),
        ("huggins", 2, "screened_out", True),
    ],
)
def test_whoever_fails_a_first_check_leaves_by_its_outcome_once_no_try_is_left(
    now: datetime, name: str, tries: int, outcome: str, payable: bool
) -> None:
    person = listener(now).go(failing=(name,))
    assert (person.step, person.outcome) == (Session.Step.ENDED, outcome)
    assert Session.objects.get(pk=person.session.pk).payable is payable
    result = person.result(name)
    assert (result.passed, result.tries, len(result.answers)) == (False, tries, tries)
    assert met(person) == ORDER[: ORDER.index(name) + 1]
    assert not Trial.objects.exists()


def test_who_does_not_understand_the_instructions_leaves_after_two_tries(now: datetime) -> None:
    person = listener(now).go().read().go(failing=("comprehension",))
    assert (person.step, person.outcome) == (Session.Step.ENDED, "failed_comprehension")
    assert person.result("comprehension").tries == 2


def test_the_practice_screens_out_only_where_the_study_wants_it_and_says_how_many_must_be_right(now: datetime) -> None:
    lenient = listener(now).go().read().go(failing=("training",))
    assert lenient.step == Session.Step.RATING
    assert lenient.result("training").passed is True
    strict = listener(now, screening__training="screen_out", screening__training_right=1)
    strict.go().read().go(failing=("training",))
    assert (strict.step, strict.outcome) == (Session.Step.ENDED, "screened_out")


def test_a_flag_marks_the_session_and_lets_it_go_on(now: datetime) -> None:
    flags = {f"screening__{name}": "flag" for name in ("device", "language", "comprehension", "headphones_failed")}
    person = listener(now, **flags).go(failing=tuple(ORDER)).read().go(failing=tuple(PRACTICE))
    assert person.step == Session.Step.RATING
    failed = CheckResult.objects.filter(passed=False).order_by("pk").values_list("name", flat=True)
    assert list(failed) == ["device", "language", "antiphase", "huggins", "comprehension"]


@pytest.mark.parametrize(("name", "needed"), [("antiphase", 5), ("huggins", 6)])
def test_a_headphone_test_is_passed_by_the_published_number_of_six(now: datetime, name: str, needed: int) -> None:
    for count in (needed - 1, needed):
        person = listener(now, screening__headphones=name).go(until=name)
        for number in range(6):
            result = person.at.result
            assert person.send(right(result) if number < count else wrong(result)) == {}
        result = person.result(name)
        assert (result.passed, result.right, result.of) == ((True, count, 6) if count == needed else (None, count, 6))
        assert result.tries == (1 if count == needed else 2)


def test_how_many_must_be_right_is_a_setting(now: datetime) -> None:
    person = listener(now, screening__headphones="antiphase", screening__antiphase_right=1).go(until="antiphase")
    for number in range(6):
        result = person.at.result
        person.send(wrong(result) if number else right(result))
    assert person.result("antiphase").passed is True


def test_the_second_try_is_a_new_one_and_passing_it_passes(now: datetime) -> None:
    person = listener(now).go(until="huggins")
    first = person.at.result.drawn
    for _trial in range(6):
        person.send(wrong(person.at.result))
    second = person.at.result.drawn
    assert {step["seed"] for step in first} & {step["seed"] for step in second} == set()
    person.go()
    assert person.step == Session.Step.INSTRUCTIONS
    assert (person.result("huggins").tries, person.result("huggins").right) == (2, 6)


def test_loading_a_page_again_draws_nothing_new_and_counts_no_try(now: datetime) -> None:
    person = listener(now).go(until="antiphase")
    person.send(right(person.at.result))
    before = person.at
    again = person.at
    assert (before.at, before.step, before.number) == (again.at, again.step, 1)
    assert CheckResult.objects.filter(name="antiphase").count() == 1
    assert person.result("antiphase").tries == 1


def test_a_form_sent_twice_counts_once(now: datetime) -> None:
    person = listener(now)
    first = person.at
    form = wrong(first.result)
    assert person.send(form) == {}
    assert person.result("device").tries == 2
    assert person.send(form, at=first.at) == {}
    assert (person.result("device").tries, person.step) == (2, Session.Step.CHECKS)


def test_a_form_of_another_check_changes_nothing(now: datetime) -> None:
    person = listener(now)
    assert person.send({"interval": "1"}, at="antiphase.0.1.0.0") == {}
    assert person.at.check.name == "device"
    assert CheckResult.objects.count() == 1


def test_what_is_missing_is_said_and_costs_no_try(now: datetime) -> None:
    person = listener(now)
    missing = {
        "device": {"digits"},
        "language": {"first"},
        "antiphase": {"interval"},
        "huggins": {"interval"},
    }
    for name, fields in missing.items():
        person.go(until=name)
        assert set(person.send({})) == fields
        assert person.result(name).tries == 1
        assert person.result(name).answers == [[]]
    person.go().read()
    assert set(person.send({})) == {"question0", "question1"}
    person.go(until="training")
    assert set(person.send({"answer": '{"label": "human"}'})) == {"reason"}
    assert person.send({"answer": "no JSON"}) != {}
    assert person.result("training").answers == [[]]


def test_training_answers_count_nowhere_and_their_truth_comes_after_each(now: datetime) -> None:
    person = listener(now).go().read().go(until="training")
    shown = person.at
    assert not shown.result.telling
    person.send(right(shown.result))
    told = person.at
    assert told.result.telling
    assert told.number == 0
    assert told.result.answers[-1][-1]["right"] is True
    person.send({})
    assert (person.at.number, person.at.result.telling) == (1, False)
    person.go()
    assert not Answer.objects.exists()
    assert not Rating.objects.exists()
    assert not Trial.objects.exists()
    result = person.result("training")
    assert (result.right, result.of, len(result.answers[0])) == (2, 2, 2)
    assert sum(step["human"] for step in result.answers[0]) == 1


def test_practice_is_left_out_once_its_clips_were_withdrawn(now: datetime) -> None:
    person = listener(now).go().read()
    Clip.objects.filter(role="training").update(withdrawn_at=now)
    assert person.go().step == Session.Step.RATING


def test_a_practice_clip_that_was_withdrawn_since_gives_way_to_another_one(now: datetime) -> None:
    person = listener(now).go().read().go(until="training")
    drawn = [step["clip"] for step in person.at.result.drawn]
    Clip.objects.filter(pk=drawn[0]).update(withdrawn_at=now)
    again = [step["clip"] for step in person.at.result.drawn]
    assert (len(again), again[0]) == (2, drawn[1])
    assert again[1] not in drawn
    Clip.objects.filter(role="training").exclude(pk=again[0]).update(withdrawn_at=now)
    assert [step["clip"] for step in person.at.result.drawn] == again[:1]
    assert person.go().step == Session.Step.RATING
    assert person.result("training").of == 1


def test_practice_goes_on_without_a_clip_that_cannot_be_played(now: datetime) -> None:
    strict = {"screening__training": "screen_out", "screening__training_right": 2}
    person = listener(now, **strict).go().read().go(until="training")
    assert person.send({"unheard": "yes"}) == {}
    assert (person.at.number, person.at.result.telling) == (1, False)
    assert person.go().step == Session.Step.RATING
    assert (person.result("training").right, person.result("training").of) == (1, 1)
    nobody = listener(now, **strict).go().read().go(until="training")
    for _clip in range(2):
        assert nobody.send({"unheard": "yes"}) == {}
    assert nobody.outcome == "screened_out"


def test_a_choice_of_thousands_of_digits_is_no_choice(now: datetime) -> None:
    person = listener(now).go(until="antiphase")
    assert set(person.send({"interval": "1" * 5000})) == {"interval"}


@pytest.mark.parametrize("unfinished", ["resume", "fresh"])
def test_coming_by_another_place_buys_no_fresh_tries(now: datetime, unfinished: str) -> None:
    person = listener(now, crowd__unfinished=unfinished).go().read().go(until="comprehension")
    person.send(wrong(person.at.result))
    arrival = RaterArrival(source="prolific", person=person.name, study="ext", session=f"another-{person.name}")
    again = lifecycle.arrive(study_id=person.study.pk, arrival=arrival, now=now)
    assert again.pk == person.session.pk
    assert person.at.result.tries == 2
    finishing.withdraw(session_id=again.pk, now=now)
    third = RaterArrival(source="prolific", person=person.name, study="ext", session=f"third-{person.name}")
    with pytest.raises(Conflict, match="taken part in this study before"):
        lifecycle.arrive(study_id=person.study.pk, arrival=third, now=now)


def test_who_ends_while_being_checked_is_shown_no_check_any_more(now: datetime) -> None:
    person = listener(now)
    at = person.at.at
    finishing.withdraw(session_id=person.session.pk, now=now)
    assert screening.show(session_id=person.session.pk, now=now, rng=person.rng) is None
    assert person.send({}, at=at) == {}
    assert person.outcome == "withdrawn"


def test_somebody_who_tries_the_study_out_meets_the_checks_and_a_program_does_not(now: datetime) -> None:
    study = make_study(now, **ALL)
    arrival = RaterArrival(source="preview", person="me", study="ext", session="mine", preview=True)
    session = lifecycle.arrive(study_id=study.pk, arrival=arrival, now=now)
    assert lifecycle.consent(session_id=session.pk, agreed=True, now=now).step == Session.Step.CHECKS
    summary = simulate(study_id=study.pk, raters=1, seed=1, now=now)
    assert summary.answers > 0
    assert not CheckResult.objects.exists()


def recheck_study(now: datetime, **settings: Any) -> Listener:
    wanted = {"screening__recheck_minutes": 30, "screening__headphones": "antiphase", "texts": 24, **settings}
    study = make_study(now, **{"screening__volume": True, **wanted}, protocol__batches_per_session=3)
    return Listener(study, now).agree().go().read()


def test_volume_and_headphones_are_checked_again_after_the_set_time_between_two_batches(now: datetime) -> None:
    person = recheck_study(now)
    rate_batch(person, 10)
    assert person.step == Session.Step.RATING
    rate_batch(person, 25)
    assert person.is_done
    assert person.step == Session.Step.CHECKS
    shown = person.at
    assert (shown.check.name, shown.result.round, shown.places) == ("volume", 1, 2)
    person.go(until="antiphase")
    assert len(person.at.result.drawn) == 3
    assert person.go().step == Session.Step.RATING
    assert person.result("antiphase", 1).passed is True
    assert person.load().current.batch == 3


def test_who_fails_the_later_check_is_marked_and_goes_on_whatever_the_first_would_have_led_to(now: datetime) -> None:
    person = recheck_study(now, screening__headphones_failed="screen_out")
    rate_batch(person, 31)
    person.go(failing=("antiphase",))
    assert (person.step, person.outcome) == (Session.Step.RATING, "")
    result = person.result("antiphase", 1)
    assert (result.passed, result.tries, result.of) == (False, 2, 3)


def test_nobody_is_checked_again_who_has_nothing_left_to_rate(now: datetime) -> None:
    person = recheck_study(now)
    for _batch in range(2):
        rate_batch(person, 1)
    rate_batch(person, 40)
    assert person.outcome == "complete"


def test_nobody_is_checked_again_in_a_study_that_has_stopped(now: datetime) -> None:
    person = recheck_study(now)
    rate_batch(person, 10)
    person.load()
    Study.objects.filter(pk=person.study.pk).update(state=Study.State.CLOSED)
    rate_batch(person, 25)
    assert person.outcome == "complete"


def test_until_a_recheck_is_due_it_costs_no_query(now: datetime, django_assert_num_queries: Any) -> None:
    from raters.sessions import rechecks

    person = recheck_study(now)
    session = Session.objects.get(pk=person.session.pk)
    with django_assert_num_queries(0):
        assert rechecks.begin(session=session, now=person.wait(29 * 60), rng=person.rng) is False


def test_every_check_has_a_place_in_the_order_and_a_page_of_its_own() -> None:
    found = checks.all_checks()
    assert [check.name for check in found] == [*ORDER, *PRACTICE, "attention"]
    for check in found:
        get_template(f"raters/checks/{check.template}.html")
