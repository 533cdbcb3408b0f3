"""What pages of a large study show of a launch's plan is what the clips would come to, for the settings shown."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from core import clock, jobs
from studies.launch import checks, states
from studies.launch import plan as plans
from studies.launch.outlook import outlook
from studies.models import Study, Summary
from studies.summaries import services as summaries
from tests.world import make_study


@pytest.fixture
def study(db: None, files: Path, now: datetime, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.setattr(summaries, "QUICK", -1)
    return make_study(now=now, launch=False, payment__rate=1.6, payment__minutes=8)


def work() -> None:
    for pk in Summary.objects.filter(state=jobs.QUEUED).values_list("pk", flat=True):
        assert summaries.refresh(pk=pk, clock=clock.now)


def test_a_stored_plan_comes_to_what_the_rows_come_to(study: Study, now: datetime) -> None:
    assert plans.shown_plan(study, study.definition, now)[0] is None
    work()
    stored, shown = plans.shown_plan(study, study.definition, now)
    by_rows = plans.plan_of(study)
    assert stored is not None
    assert shown is not None
    assert shown.computed_at is not None
    assert stored.numbers == by_rows.numbers
    assert outlook(stored).effort == outlook(by_rows).effort
    assert checks.layout_findings(stored) == checks.layout_findings(by_rows)
    # Settings of the protocol change what the same numbers come to, at once.
    more = states.tried(study=study, changes={"protocol.ratings_wanted": 20})
    plan, _shown = plans.shown_plan(study, more, now)
    assert plan is not None
    assert plan.raters == plans.plan_of(study, more).raters > stored.raters


def test_a_plan_is_never_shown_for_other_settings_of_the_task(study: Study, now: datetime) -> None:
    plans.shown_plan(study, study.definition, now)
    work()
    changes = {"task.reason_graphemes": 12}
    tried = states.tried(study=study, changes=changes)
    at_once, shown = plans.shown_plan(study, tried, now)
    assert at_once is not None
    assert shown is None
    states.change_settings(study=study, changes=changes)
    assert plans.shown_plan(study, study.definition, now)[0] is None
    # A draft that changed back before the worker came.
    states.change_settings(study=study, changes={"task.reason_graphemes": 20})
    work()
    changed = states.change_settings(study=study, changes=changes)
    assert plans.shown_plan(changed, changed.definition, now)[0] is None
