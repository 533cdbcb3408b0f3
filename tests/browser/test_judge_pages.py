"""The pages about machines that listen first, looked at as every other page is."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from judge.runs.models import JudgeRun
from studies.models import Clip, Study
from tests.browser.looking import Walk
from tests.judge.fake_judge import FakeJudge, refusal
from tests.judge.runs.test_pages import fake, ran
from tests.judge.world import clips, heard_study
from tests.researchers import researcher

__all__ = ["fake"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
# Forms alone: they lead back to a page.
POSTS = {"judge:cancel", "judge:hold", "judge:undo"}


@pytest.fixture
def study(context: BrowserContext, live_server: Any, transactional_db: None, files: Any) -> Study:
    """Return a draft of Rita's, who is signed in."""
    study = heard_study(timezone.now(), texts=8, flawed=3, humans=4)
    study.owner = researcher("rita")
    study.save()
    client = Client()
    client.force_login(study.owner)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": str(live_server)}
    context.add_cookies([cookie])  # type: ignore[list-item]
    return study


def scores(study: Study) -> Callable[[str], float]:
    """Return a judge's scores by a clip's hash: people high, alpha in the middle, flawed traps low but one."""
    usual = {"human": 0.8, "alpha": 0.45, "broken": 0.1}
    table = {clip.sha256: usual[clip.system.name] + 0.01 * (clip.pk % 7) for clip in clips(study)}
    doubtful = Clip.objects.filter(study=study, role="trap_flawed")[0]
    return (table | {doubtful.sha256: 0.7}).__getitem__


def test_every_page_about_the_judge_is_open_to_everybody(
    page: Page, study: Study, fake: FakeJudge, now: datetime
) -> None:
    walk = Walk(page)
    walk.see("judge:prescreening", slug=study.slug)
    fake.scores = scores(study)
    fake.faults[clips(study)[0].sha256] = [refusal("silent")]
    Clip.objects.filter(study=study, system__name="alpha").update(language="en")
    run = ran(study, fake, now)
    waiting = JudgeRun.objects.create(
        study=study, profile="x", created_at=now, queued_at=now, waits_for="Nobody answers.", total=20, done=4
    )
    walk.see("judge:judge", slug=study.slug)
    walk.see("judge:run", slug=study.slug, pk=run.pk)
    walk.see("judge:run", slug=study.slug, pk=waiting.pk)
    rule = f"?metric={run.metric_set_id}&below=0.5&failed=on&preview=1"
    page.goto(reverse("judge:prescreening", args=[study.slug]) + rule)
    held = page.get_by_role("button", name="Hold back ")
    expect(held).to_be_visible()
    walk.look("judge:prescreening")
    held.click()
    expect(page.get_by_role("status")).to_have_text(re.compile(r"\d+ clips are held back\."))
    walk.look("judge:prescreening")
    page.get_by_role("button", name="Restore clips").click()
    expect(page.get_by_role("status")).to_have_text(re.compile(r"\d+ clips are restored\."))
    assert walk.wrong == []
    assert walk.missed("judge:") == POSTS
