"""The panel on who took part: raters by gender and age, real ones before simulated ones."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import pytest

from core import jobs
from raters.models import Rater, Response, Session
from raters.sessions import questionnaire
from raters.sessions.balance import grid, panel
from raters.sessions.questionnaire import Balance
from studies.launch import checks
from studies.launch.frame import panels_of
from studies.models import Study, StudyVersion
from studies.summaries import services as summaries
from studies.summaries.models import Summary
from tests import world

ASKED: dict[str, Any] = {"questionnaire__gender": True, "questionnaire__age": True}


def told(study: Study, now: datetime, rater: Rater | None = None, simulated: bool = False, **said: str) -> Rater:
    """Store what somebody said of themselves in a session."""
    rater = rater or Rater.objects.create(created_at=now)
    number = Session.objects.count()
    version = StudyVersion.objects.get(study=study)
    session = Session.objects.create(
        rater=rater,
        study=study,
        version=version,
        simulated=simulated,
        source="prolific",
        ext_study="ext",
        ext_session=f"s{number}",
        step="ended",
        outcome="complete",
        arrived_at=now,
    )
    for key, code in said.items():
        Response.objects.create(session=session, version=version, key=key, code=code, at=now)
    return rater


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def test_counts_stand_by_age_and_gender_with_what_was_not_said_last() -> None:
    found = grid(
        [
            Balance("woman", "65+", 2),
            Balance("woman", "18-24", 4),
            Balance("man", "18-24", 1),
            Balance("not_said", "18-24", 1),
            Balance("skipped", "skipped", 1),
            Balance("", "65+", 3),
        ]
    )
    assert found is not None
    assert found.genders == ("Woman", "Man", "Not said")
    assert [(row.label, list(row.cells), row.raters) for row in found.rows] == [
        ("18 to 24", [4, 1, 1], 6),
        ("65 or older", [2, 0, 3], 5),
        ("Not said", [0, 0, 1], 1),
    ]
    assert (found.totals, found.raters) == ((6, 1, 5), 12)
    assert found.most == 4
    assert grid([]) is None


@pytest.mark.django_db
def test_a_person_counts_once_however_many_sessions_they_had(now: datetime) -> None:
    study = world.make_study(now=now, **ASKED)
    rater = told(study, now, gender="woman", age="25-34")
    told(study, now, rater=rater, gender="woman", age="25-34")
    told(study, now, gender="man")
    told(world.make_study(now=now, **ASKED), now, gender="man")
    assert questionnaire.balance(study.pk, simulated=False) == [Balance("man", "", 1), Balance("woman", "25-34", 1)]


@pytest.mark.django_db
def test_simulated_raters_are_shown_as_such_until_a_real_one_answers(now: datetime) -> None:
    study = world.make_study(now=now, **ASKED)
    told(study, now, simulated=True, gender="man", age="35-44")
    assert "Simulated raters only: no real rater has answered yet." in words(panel(study))
    told(study, now, gender="woman", age="65+")
    page = words(panel(study))
    assert "simulated" not in page
    assert "65 or older 1 1 Together 1 1" in page


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (ASKED, "No rater has answered the questions at the end yet."),
        ({}, "Ask them: Design, Questions at the end"),
    ],
)
def test_an_empty_panel_says_why(now: datetime, settings: dict[str, Any], says: str) -> None:
    study = world.make_study(now=now, **settings)
    by_title = {each.title: each.body for each in panels_of(study)}
    assert says in by_title["Participants"]


@pytest.mark.django_db
def test_the_launch_checks_name_studies_that_are_not_there(now: datetime) -> None:
    other = world.make_study(now=now)
    study = world.make_study(now=now, recruitment__not_in_studies=[other.slug, "no-such-study"], launch=False)
    said = [finding.message for finding in checks.findings(study) if "left out" in finding.message]
    assert len(said) == 1
    assert "no-such-study" in said[0]
    assert other.slug not in said[0]


@pytest.mark.django_db
def test_in_a_large_study_a_worker_counts_who_took_part(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    study = world.make_study(now=now, **ASKED)
    told(study, now, gender="woman", age="18-24")
    told(study, now, gender="man", age="18-24")
    small = words(panel(study))
    assert "Woman" in small
    monkeypatch.setattr(summaries, "QUICK", 1)
    assert "Woman" not in words(panel(study))
    assert "A worker is computing this for the first time" in words(panel(study))
    assert summaries.refresh(pk=Summary.objects.get(state=jobs.QUEUED).pk, clock=lambda: now)
    assert words(panel(study)).endswith(small.strip() + " ")
