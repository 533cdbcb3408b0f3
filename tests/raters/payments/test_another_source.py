"""A new crowd source is one file: its people are let in, read, approved, rejected and paid, and nothing names it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast, get_args

import pytest
from django.apps import apps
from django.test import Client

from accounts.models import User
from core import clock, jobs
from core import hooks as core_hooks
from core.operations import doctor
from core.registry import Registry
from raters import sources, tasks
from raters.models import Batch, Payment, PaymentList, PlatformStudy, Session, Submission
from raters.payments import payment_lists
from raters.rating import finishing
from raters.sources.payment_platform import Kind, PaymentClient, PlatformRefusal
from studies import hooks as study_hooks
from studies.models import Study
from tests.raters.payments.test_rejecting import fail
from tests.world import make_study

# What each kind of list needs a client to do.
METHODS = {
    "approve": {"approve"},
    "bonus": {"set_up_bonuses", "pay_bonuses"},
    "screen_out": {"screen_out"},
    "request_return": {"request_return"},
    "reject": {"reject"},
    "places": {"set_places"},
}


@pytest.fixture
def panel(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Add the folder with the panel's file to those of the product, and start as a server does."""
    monkeypatch.setattr(sources, "__path__", [*sources.__path__, str(Path(__file__).parent / "another")])
    monkeypatch.setattr(study_hooks, "crowd_sources", Registry())
    monkeypatch.setattr(core_hooks, "diagnoses", Registry(core_hooks.diagnoses))
    monkeypatch.setenv("EARSHOT_PANEL_TOKEN", "t")
    sources.all_sources.cache_clear()
    apps.get_app_config("raters").join_sources()  # type: ignore[attr-defined]
    yield sys.modules["raters.sources.panel"]
    sources.all_sources.cache_clear()
    del sys.modules["raters.sources.panel"]
    del sources.panel  # type: ignore[attr-defined]


class World:
    """A study whose people come from the panel, and a researcher who uses the pages."""

    def __init__(self, panel: Any, now: datetime) -> None:
        self.now, self.account = now, panel.ACCOUNT
        self.study: Study = make_study(
            now=now,
            crowd__source="panel",
            crowd__completion_code="DONE-1",
            payment__currency="GBP",
            payment__rate=2,
            payment__bonus_per_valid_batch=0.5,
        )
        self.browser = Client()
        self.browser.force_login(User.objects.create_superuser("rosa", password="pw"))

    def finish(self, name: str) -> Session:
        """Let somebody come by the panel's link, finish a valid batch, and hand in."""
        query = {"who": name, "visit": f"v-{name}"}
        assert Client().get(f"/s/{self.study.slug}/", query).status_code == 303
        session = Session.objects.get(ext_session=f"v-{name}")
        Batch.objects.create(session=session, number=1, size=10, state=jobs.DONE, valid=True, opened_at=self.now)
        finishing.leave(session_id=session.pk, outcome=Session.Outcome.COMPLETE, now=self.now)
        self.account.submissions[f"v-{name}"] = [name, "Submitted", "DONE-1"]
        return session

    def post(self, address: str, **fields: Any) -> str:
        """Post to a page of the study's pay, and return the page that follows."""
        return self.browser.post(f"/studies/{self.study.slug}/paying/{address}", fields, follow=True).text

    def page(self) -> str:
        return self.browser.get(f"/studies/{self.study.slug}/paying/").text

    def read(self) -> None:
        """Link the panel's study once, and read it as the sweep and a worker do."""
        if not PlatformStudy.objects.exists():
            self.post("link", ext_study="panel-study", source="panel")
        self.now += timedelta(minutes=5)
        PlatformStudy.objects.update(state=jobs.QUEUED, queued_at=self.now)
        tasks.read_submissions(PlatformStudy.objects.get().pk)

    def prepare(self, kind: str) -> tuple[PaymentList | None, str]:
        page = self.post("prepare", platform=PlatformStudy.objects.get().pk, kind=kind)
        return PaymentList.objects.filter(kind=kind, state="draft").first(), page

    def confirm(self, listed: PaymentList, message: str = "") -> str:
        seen = payment_lists.digest(listed)
        return self.post(f"lists/{listed.pk}/confirm", seen=seen, sure="on", message=message)

    def do(self, kind: str, message: str = "") -> PaymentList:
        """Prepare and confirm a list by its pages, and have a worker carry it out."""
        listed, page = self.prepare(kind)
        assert listed is not None, page
        self.confirm(listed, message)
        tasks.carry_out(listed.pk)
        listed.refresh_from_db()
        return listed

    def states(self) -> dict[str, str]:
        return dict(Submission.objects.values_list("ext_session", "state"))


@pytest.fixture
def world(panel: Any, db: None, now: datetime, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(panel, now)
    monkeypatch.setattr(clock, "now", lambda: made.now)
    return made


@pytest.mark.usefixtures("panel")
def test_a_file_in_the_folder_of_sources_is_all_that_a_study_and_the_server_need() -> None:
    assert ("panel", "Our panel") in [(source.name, source.label) for source in study_hooks.crowd_sources]
    assert str(sources.get("panel").advice)
    finding = doctor.examine(without=[each.name for each in core_hooks.diagnoses if each.name != "The Panel"])
    assert [each.message for each in finding if each.name == "The Panel"] == ["the token of our panel is accepted"]


@pytest.mark.usefixtures("panel")
def test_each_platform_offers_known_lists_whose_client_can_do_them() -> None:
    assert set(get_args(Kind)) == set(METHODS) == set(PaymentList.Kind.values)
    platforms = sources.payment_platforms()
    assert {"panel", "prolific"} <= set(platforms)
    for platform in platforms.values():
        client = type(platform.connect())
        needed = set[str]().union(*(METHODS[kind] for kind in platform.kinds))
        assert not [name for name in needed if getattr(client, name) is getattr(PaymentClient, name)]
        assert not platform.csv_columns or {"id", "state"} <= set(platform.csv_columns)
        assert platform.shortest_rejection <= platform.longest_message


def test_its_submissions_are_read_and_the_page_speaks_of_it_alone(world: World) -> None:
    world.finish("ann")
    world.finish("bob")
    world.account.submissions |= {"v-bob": ["bob", "Submitted", "none"], "v-eve": ["eve", "Working", ""]}
    assert "No sessions or submissions from The Panel yet" not in world.page()
    assert 'value="panel-study"' in world.page()
    world.read()
    assert world.states() == {"v-ann": "awaiting_review", "v-bob": "awaiting_review", "v-eve": "active"}
    assert set(Submission.objects.filter(session__isnull=False).values_list("same_person", flat=True)) == {True}
    page = world.page()
    assert "At The Panel" in page
    assert "The Panel then pays the reward." in page
    assert "Prolific" not in page
    # "none" is what the panel's people enter who have no code.
    assert "No code entered" in page
    assert "Wrong code entered" not in page
    kinds = {kind for kind in PaymentList.Kind.values if f'name="kind" value="{kind}"' in page}
    assert kinds == {"approve", "reject", "bonus"}
    assert 'type="file"' not in page


def test_its_people_are_approved_and_get_their_bonus_once(world: World) -> None:
    for name in ("ann", "bob"):
        world.finish(name)
    world.account.submissions["v-bob"][1] = "Working"
    world.read()
    listed = world.do("approve")
    assert (listed.state, world.account.submissions["v-ann"][1]) == (jobs.QUEUED, "Paid")
    world.account.submissions["v-bob"][1] = "Submitted"
    world.now += timedelta(minutes=1)
    tasks.carry_out(listed.pk)
    world.read()
    assert world.states() == {"v-ann": "approved", "v-bob": "approved"}
    world.do("bonus")
    assert world.account.bonuses == {"v-ann": Decimal("0.50"), "v-bob": Decimal("0.50")}
    world.read()
    _listed, page = world.prepare("bonus")
    assert "There is nobody to put on this list at the moment." in page
    assert world.account.payments == 1


def test_a_bonus_of_which_nobody_knows_what_became_is_not_paid_again(world: World) -> None:
    world.finish("ann")
    world.read()
    world.account.breaks = True
    listed = world.do("bonus")
    for _turn in range(5):
        world.now += timedelta(minutes=10)
        tasks.carry_out(listed.pk)
    assert (Payment.objects.get().state, world.account.payments) == ("unclear", 1)
    assert (
        "Check them at The Panel, select them below and record what happened"
        in world.browser.get(f"/studies/{world.study.slug}/paying/lists/{listed.pk}/").text
    )


def test_a_client_that_fails_in_its_own_way_leaves_it_unclear_and_is_not_asked_again(
    world: World, panel: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.finish("ann")
    world.read()
    asked: list[str] = []

    def fail_after_it(client: Any, submission: str) -> None:
        asked.append(submission)
        raise KeyError("a mistake of the client's")

    monkeypatch.setattr(panel.PanelClient, "approve", fail_after_it)
    with pytest.raises(KeyError):
        world.do("approve")
    for _turn in range(3):
        world.now += timedelta(minutes=10)
        tasks.carry_out(PaymentList.objects.get().pk)
    assert (Payment.objects.get().state, asked) == ("unclear", ["v-ann"])


def test_a_rejection_takes_the_length_that_the_panel_asks_for(world: World) -> None:
    session = world.finish("ann")
    fail(cast("Any", world), cast("Any", SimpleNamespace(session=session)), "one", "two")
    world.read()
    listed, page = world.prepare("reject")
    assert listed is not None
    assert "Write at least 20 characters for each participant" in page
    assert 'maxlength="60"' in page
    assert "Write at least 20 characters" in world.confirm(listed, "x" * 19)
    world.confirm(listed, "You did not do as it said.")
    tasks.carry_out(listed.pk)
    assert world.account.reasons == {"v-ann": "You did not do as it said."}
    world.read()
    assert world.states() == {"v-ann": "rejected"}
    session.refresh_from_db()
    assert session.payable is False


def test_what_the_panel_does_not_offer_is_refused(world: World, panel: Any) -> None:
    with pytest.raises(PlatformRefusal, match="offer"):
        panel.PanelClient().screen_out("v-ann", code="OUT")
    world.finish("ann")
    world.read()
    for kind in ("screen_out", "request_return", "places"):
        listed, page = world.prepare(kind)
        assert listed is None
        assert "This platform doesn’t offer this kind of list." in page
    assert world.browser.post("/hooks/panel", b"{}", content_type="application/json").status_code == 401
    assert world.browser.post("/hooks/nowhere", b"{}", content_type="application/json").status_code == 404


def test_a_study_whose_raters_come_from_nowhere_that_pays_says_so(now: datetime, db: None) -> None:
    study = make_study(now=now, crowd__source="open")
    browser = Client()
    browser.force_login(User.objects.create_superuser("rosa", password="pw"))
    page = browser.get(f"/studies/{study.slug}/paying/").text
    assert "Earshot can’t pay through" in page
    assert "Prolific" not in page


def test_pages_and_jobs_say_that_the_plug_in_of_a_source_was_removed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.finish("ann")
    world.read()
    listed, _page = world.prepare("approve")
    assert listed is not None
    monkeypatch.delitem(sources.all_sources(), "panel")
    missing = "The crowd source “panel” is not installed on this server any more"
    assert missing in world.page()
    shown = world.browser.get(f"/studies/{world.study.slug}/paying/lists/{listed.pk}/")
    assert (shown.status_code, missing in shown.text) == (200, True)
    assert missing in world.confirm(listed)
    world.browser.get(f"/studies/{world.study.slug}/launch/")
    platform = PlatformStudy.objects.get()
    PlatformStudy.objects.update(state=jobs.QUEUED, queued_at=world.now)
    tasks.read_submissions(platform.pk)
    PaymentList.objects.update(state=jobs.QUEUED, queued_at=world.now, confirmed_at=world.now)
    tasks.carry_out(listed.pk)
    for row in (PlatformStudy.objects.get(), PaymentList.objects.get()):
        assert (row.state, "No crowd source 'panel'" in row.error) == (jobs.FAILED, True)
    assert Submission.objects.count() == 1
    assert missing in world.browser.get(f"/studies/{world.study.slug}/paying/lists/{listed.pk}/").text
