"""The line of the launch list on plans that no number of raters satisfies."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from analysis.planning import plans
from analysis.planning.launch_checks import findings
from studies.models import Study
from tests.world import make_study


def planned(study: Study, now: datetime, **inputs: object) -> None:
    raw = {"spread": "scores", "clips": 6, "per_rater": 3, **inputs}
    row = plans.request_plan(study_id=study.pk, kind="power", raw=raw, user=None, now=now)
    assert plans.run_plan(pk=row.pk, clock=lambda: now)


def test_the_launch_list_warns_if_no_number_of_raters_is_enough(db: None, files: Path, now: datetime) -> None:
    study = make_study(now=now, launch=False)
    assert list(findings(study)) == []

    planned(study, now, difference=0.01)
    [warning] = findings(study)
    assert warning.level == "warning"
    assert warning.place == "analysis:planning"
    assert "with 6 clips of each system, no number of raters is enough" in warning.message
    assert "Add texts" in warning.message

    planned(study, now, difference=0.4)
    assert list(findings(study)) == []

    planned(study, now, difference=0.2, systems=12)
    [warning] = findings(study)
    assert "between all pairs" in warning.message


def test_a_plan_that_has_not_been_computed_gives_no_warning(db: None, files: Path, now: datetime) -> None:
    study = make_study(now=now, launch=False)
    raw = {"difference": 0.01, "spread": "scores"}
    plans.request_plan(study_id=study.pk, kind="power", raw=raw, user=None, now=now)
    assert list(findings(study)) == []
