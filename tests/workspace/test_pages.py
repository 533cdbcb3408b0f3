"""The home page and a study's frame: what they name as the next step, and for whom."""

from __future__ import annotations

import re
from datetime import datetime

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from analysis.data.models import Simulated
from analysis.live import snapshots
from studies.members.models import Member
from studies.models import Clip, Study
from tests.analysis.world import World
from tests.researchers import logged_in, researcher
from workspace.frame import next_step, tabs


@pytest.fixture
def owner(world: World) -> User:
    user = researcher("rita")
    Study.objects.filter(pk=world.study.pk).update(owner=user)
    world.study.refresh_from_db()
    return user


def page(client: Client, name: str, study: Study | None = None) -> str:
    response = client.get(reverse(f"workspace:{name}", args=[study.slug] if study else []))
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def share(study: Study, user: User, role: str, now: datetime) -> None:
    Member.objects.create(study=study, user=user, role=role, added_at=now)


@pytest.mark.parametrize(
    ("state", "label", "address"),
    [
        ("draft", "Check and launch", "launch/"),
        ("live", "Watch", "results/"),
        ("paused", "Resume or close", "launch/"),
        ("closed", "See the results", "results/"),
    ],
)
def test_each_state_of_a_study_has_its_next_step(
    world: World, owner: User, state: str, label: str, address: str
) -> None:
    world.study.state = state

    step = next_step(world.study, owner)

    assert (step.label, step.url.endswith(address)) == (label, True)


def test_a_draft_without_clips_asks_for_clips_first(world: World, owner: User) -> None:
    world.study.state = Study.State.DRAFT
    Clip.objects.filter(study=world.study).update(withdrawn_at=world.now)

    assert next_step(world.study, owner).label == "Add clips"


def test_a_payer_is_sent_to_the_payments_and_sees_no_other_tab_than_they_may_open(world: World, owner: User) -> None:
    payer = researcher("paula")
    share(world.study, payer, "payer", world.now)

    assert next_step(world.study, payer).url.endswith("/paying/")
    assert [tab.label for tab in tabs(world.study, payer, "overview")] == ["Overview", "Payments", "Export"]
    assert "About this study" not in page(logged_in(payer), "overview", world.study)


def test_the_home_page_shows_how_far_each_study_is_and_nothing_of_those_of_others(world: World, owner: User) -> None:
    pk = snapshots.request_refresh(study_id=world.study.pk, simulated=Simulated.WITHOUT, now=world.now)
    assert pk is not None
    assert snapshots.refresh_snapshot(pk=pk, clock=lambda: world.now)
    filled, wanted, _people = snapshots.counts([world.study.pk])[world.study.pk]

    mine, theirs = page(logged_in(owner), "home"), page(logged_in(researcher("otto")), "home")

    assert world.study.title in mine
    assert f"{filled} of {wanted} ratings wanted" in mine
    assert world.study.title not in theirs
    assert "You have no studies yet" in theirs


def test_the_overview_of_a_study_is_for_those_who_have_a_role_in_it(world: World, owner: User) -> None:
    address = reverse("workspace:overview", args=[world.study.slug])

    assert logged_in(researcher("otto")).get(address).status_code == 403
    assert logged_in(owner).get(address).status_code == 200
    assert logged_in(owner).get(reverse("workspace:overview", args=["nothing"])).status_code == 404
    assert Client().get(address).status_code == 302


def test_the_tab_of_the_page_is_marked_and_the_clips_are_counted(world: World, owner: User) -> None:
    clips = Clip.objects.filter(study=world.study, withdrawn_at=None).count()

    shown = {tab.label: tab for tab in tabs(world.study, owner, "clips")}

    assert [label for label, tab in shown.items() if tab.is_here] == ["Clips"]
    assert shown["Clips"].count == str(clips)


def test_the_recruit_page_gives_the_link_for_raters(world: World, owner: User) -> None:
    assert reverse("raters:arrive", args=[world.study.slug]) in page(logged_in(owner), "recruit", world.study)


def test_the_overview_of_a_draft_says_which_steps_to_the_launch_are_done(world: World, owner: User) -> None:
    Study.objects.filter(pk=world.study.pk).update(state=Study.State.DRAFT, launched_at=None)

    shown = re.sub(r"<[^>]+>", "", page(logged_in(owner), "overview", world.study))

    assert re.search(r"Clips\s+✓ done", shown)
    assert re.search(r"Check &amp; launch\s+to do", shown)
