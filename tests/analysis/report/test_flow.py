"""The flow of participants adds up, whatever became of them, and tells by which check they left."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.data.models import Simulated
from analysis.sections.participants import compute as participants_compute
from raters.models import CheckResult, FairCheck, PlatformStudy, Session, Submission
from raters.payments.histories import SessionHistory
from raters.rating import finishing
from raters.sessions import attention, lifecycle
from studies.models import Study
from tests.analysis.report.made import analysed
from tests.raters.sessions.screening.listener import ALL, Listener, make_study

OUTCOMES = [*Session.Outcome.values, "returned", "timed_out", "a new outcome"]
CHECKS = ["", *participants_compute.CHECKS, "a_new_check"]
SESSIONS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(OUTCOMES), st.sampled_from(CHECKS), st.booleans(), st.booleans()),
    max_size=60,
)


def steps_of(drawn: list[tuple[int, str, str, bool, bool]]) -> list[Any]:
    """Return the steps of sessions (stage, end, check, rated, counts), of which only those that rated may count."""
    ways = [
        SessionHistory(number, stage, end, check) for number, (stage, end, check, _rated, _counts) in enumerate(drawn)
    ]
    rated = {number for number, each in enumerate(drawn) if each[3]}
    return participants_compute.steps(
        participants_compute.session_groups(ways, rated, {number for number in rated if drawn[number][4]})
    )


@given(SESSIONS)
def test_each_stage_is_the_one_before_with_the_changes_between_them(
    drawn: list[tuple[int, str, str, bool, bool]],
) -> None:
    remaining = None
    for step in steps_of(drawn):
        if step.is_exit or step.is_entry:
            assert step.count > 0
            assert remaining is not None
            remaining += step.count if step.is_entry else -step.count
        else:
            assert remaining in (None, step.count)
            remaining = step.count
    assert remaining == sum(rated and counts for *_rest, rated, counts in drawn)


@given(SESSIONS)
def test_every_session_arrives_and_each_step_is_named_once(drawn: list[tuple[int, str, str, bool, bool]]) -> None:
    steps = steps_of(drawn)
    assert steps[0].count == len(drawn)
    keys, labels = [step.key for step in steps], [step.label for step in steps]
    assert len(set(keys)) == len(keys)
    assert all(labels)
    stages = [step.count for step in steps if step.key in participants_compute.STAGES]
    assert len(stages) == 4
    assert all(before >= after for before, after in pairwise(stages))


@pytest.fixture
def study(db: None, files: Path, now: datetime) -> Study:
    """Return a study whose people went every way that it has, with a look at it and a program besides."""
    study = make_study(now, **{**ALL, "screening__device": "flag", "screening__training": "off"})
    Listener(study, now)
    lifecycle.consent(session_id=Listener(study, now).session.pk, agreed=False, now=now)
    Listener(study, now).agree().go(failing=("device",)).read()
    Listener(study, now).agree().go(failing=("device", "huggins"))
    Listener(study, now).agree().go(failing=("language",))
    Listener(study, now).agree().go().read().go(failing=("comprehension",))
    Listener(study, now).agree()
    finishing.withdraw(session_id=Listener(study, now).agree().session.pk, now=now)
    returned = Listener(study, now).agree().session
    finishing.withdraw(session_id=returned.pk, now=now)
    platform = PlatformStudy.objects.create(study=study, ext_study="ext", added_at=now)
    for session, state in (
        (returned, "returned"),
        (Listener(study, now).agree().go().read().go().session, "timed_out"),
    ):
        Submission.objects.create(
            platform=platform, ext_session=session.ext_session, session=session, state=state, seen_at=now
        )
    Session.objects.filter(pk=Listener(study, now).agree().session.pk).update(simulated=True, preview=True)
    return study


def changes(study: Study, **settings: Any) -> dict[str, int]:
    return {step["label"]: step["count"] for step in analysed(study, **settings)["participants"]["steps"]}


def test_people_are_counted_by_what_became_of_them(study: Study) -> None:
    wanted = {
        "arrived": 10,
        "did not agree": 1,
        "neither agreed nor left, so far": 1,
        "agreed to take part": 8,
        "screened out: first language": 1,
        "screened out: headphones (hidden pitch)": 1,
        "screened out: instructions": 1,
        "returned their place at the platform": 1,
        "left before rating": 1,
        "neither started nor left, so far": 2,
        "started rating": 1,
        "ran out of the platform’s time": 1,
        "finished": 0,
        "contributed usable ratings": 0,
    }
    assert list(changes(study).items()) == list(wanted.items())


def test_programs_and_looks_at_the_study_are_counted_where_the_rest_of_the_report_counts_them(study: Study) -> None:
    assert changes(study, simulated=Simulated.ONLY)["arrived"] == 1
    assert changes(study, simulated=Simulated.WITH)["arrived"] == 11


def test_checks_are_counted_with_those_who_failed_and_those_who_left_by_them(study: Study) -> None:
    found = {row["name"]: row for row in analysed(study)["participants"]["checks"]}
    assert [found["device"][key] for key in ("decided", "passed", "failed", "left")] == [5, 3, 2, 0]
    assert [found["huggins"][key] for key in ("passed", "failed", "left")] == [3, 1, 1]
    assert [found["language"][key] for key in ("passed", "failed", "left")] == [4, 1, 1]
    assert not any(row["later"] for row in found.values())


def test_whoever_left_by_attention_checks_is_counted_by_them(study: Study, now: datetime) -> None:
    session = Listener(study, now).agree().go().read().go().session
    for number in (1, 2):
        CheckResult.objects.create(
            session=session, name="attention", round=number, rule_version=1, passed=False, began_at=now, at=now
        )
        attention.store_check(
            session_id=session.pk, kind=FairCheck.Kind.INSTRUCTION, block=str(number), asked="Choose “Often”",
            answered="Never", passed=False, now=now,
        )  # fmt: skip
    finishing.leave(session_id=session.pk, outcome=Session.Outcome.FAILED_ATTENTION, now=now)
    found = analysed(study)["participants"]
    [row] = [row for row in found["checks"] if row["later"]]
    assert [row[key] for key in ("name", "decided", "failed", "left")] == ["attention", 2, 2, 1]
    assert found["attention"] == {"asked": 2, "failed": 2, "sessions": 1, "sessions_failed": 1}
    assert changes(study)["failed attention"] == 1


def test_whose_checks_were_erased_stays_screened_out(study: Study) -> None:
    CheckResult.objects.filter(name="huggins", passed=False).delete()
    CheckResult.objects.filter(session__outcome="screened_out", name="device").delete()
    assert changes(study)["screened out"] == 1


def test_a_study_to_which_nobody_came_has_its_stages_all_the_same() -> None:
    assert [step.count for step in participants_compute.steps([])] == [0] * 5
