"""A study that requires its spot check can't be launched without it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from core.errors import Conflict
from studies.imports import changes
from studies.launch import checks, states
from studies.models import Clip, SpotItem, Study
from studies.spot_checks import checking as spot_checking
from studies.spot_checks import overview
from tests.raters.experts.people import expert
from tests.studies.spot_checks.checking import again, change, decide_all, draft, with_takes

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


def said(study: Study, level: str) -> str:
    found = [each.message for each in checks.findings(study) if each.level == level]
    return "\n".join(message for message in found if "spot check" in message)


def check(study: Study, now: datetime, bad: Any = ()) -> None:
    """Let two experts decide everything; what is bad fails."""
    spot_checking.fill(study=study)
    for name in ("eva", "otto"):
        known = [user for user in (row.user for row in study.experts.all()) if user.username == name]
        user = known[0] if known else expert(name, study)
        decide_all(study, user, now, lambda item: "quality_defect" if item.system.name in bad else "")


def test_a_launch_waits_for_the_whole_check(now: datetime) -> None:
    study = draft(now)
    assert "12 of 12 items still wait" in said(study, "blocking")
    with pytest.raises(Conflict, match="spot check") as refused:
        states.launch(study=study, now=now)
    assert refused.value.code == "launch_blocked"
    spot_checking.fill(study=study)
    decide_all(study, expert("mia", study), now)
    assert "12 of 12 items still wait" in said(study, "blocking")
    check(study, now)
    assert said(study, "blocking") == ""
    assert "12 items decided; 0 failed" in said(study, "note")
    version = states.launch(study=study, now=now)
    assert study.state == "live"
    assert "spot_check" not in version.definition


def test_a_failed_clip_must_leave_before_the_launch(now: datetime) -> None:
    study = draft(now)
    check(study, now, bad={"beta"})
    assert "6 items failed the spot check" in said(study, "blocking")
    failed = list(Clip.objects.filter(spot_clips__item__outcome="failed").values_list("pk", flat=True))
    changes.withdraw(clips=failed[1:], now=now)
    assert "1 item failed the spot check" in said(study, "blocking")
    changes.remove(clips=failed[:1], now=now)
    assert said(study, "blocking") == ""
    assert states.launch(study=study, now=now).number == 1


def test_the_clip_that_replaces_a_failed_one_must_pass(now: datetime) -> None:
    study = draft(now)
    check(study, now, bad={"beta"})
    failed = Clip.objects.filter(spot_clips__item__outcome="failed")
    changes.withdraw(clips=failed.values_list("pk", flat=True), now=now)
    again(failed[0], "", "beta/new.wav")
    assert "1 of 13 items still waits" in said(study, "blocking")
    check(study, now)
    assert said(study, "blocking") == ""
    rates = {rate.system: (rate.checked, rate.failed) for rate in overview.rates(study.pk, "success")}
    assert rates == {"alpha": (6, 0), "beta": (6, 6)}


def test_takes_that_differ_fail_until_one_is_gone(now: datetime) -> None:
    study = with_takes(draft(now))
    spot_checking.fill(study=study)
    for name in ("eva", "otto"):
        decide_all(study, expert(name, study), now, lambda item: "no" if item.kind == "consistency" else "")
    assert "1 item failed" in said(study, "blocking")
    item = SpotItem.objects.get(kind="consistency")
    changes.withdraw(clips=[item.clips.get(place=1).clip_id or 0], now=now)
    assert said(study, "blocking") == ""


def test_a_system_that_fails_too_often_keeps_the_study_back(now: datetime) -> None:
    study = draft(now, spot_check__failure_limit=0.1)
    check(study, now, bad={"beta"})
    failed = Clip.objects.filter(spot_clips__item__outcome="failed").values_list("pk", flat=True)
    changes.withdraw(clips=list(failed), now=now)
    assert "beta: 100 % of the clips checked failed the spot check (6 of 6), and the limit is 10 %" in said(
        study, "blocking"
    )
    change(study, failure_limit=1.0)
    assert said(study, "blocking") == ""
    change(study, failure_limit=0.1)
    rest = Clip.objects.filter(study=study, system__name="beta", withdrawn_at=None).values_list("pk", flat=True)
    changes.withdraw(clips=list(rest), now=now)
    assert said(study, "blocking") == ""


def test_a_check_that_is_only_offered_warns_once_it_was_begun(now: datetime) -> None:
    study = draft(now, spot_check__mode="offered")
    assert not any(said(study, level) for level in checks.LEVELS)
    check(study, now, bad={"alpha"})
    assert (said(study, "blocking"), "6 items failed" in said(study, "warning")) == ("", True)
    states.launch(study=study, now=now)
    assert not any(said(study, level) for level in checks.LEVELS)


def test_failure_rates_come_with_wilsons_interval(now: datetime) -> None:
    study = draft(now)
    check(study, now, bad={"beta"})
    beta = next(rate for rate in overview.rates(study.pk, "success") if rate.system == "beta")
    assert (beta.drawn, beta.percent) == (6, 100.0)
    assert beta.interval == pytest.approx((60.97, 100.0), abs=0.01)
