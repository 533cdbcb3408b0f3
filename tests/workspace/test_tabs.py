"""The frame of a study's pages: its tabs, the pages below them, and what is saved by two people at once."""

from __future__ import annotations

import html
import re
from datetime import datetime
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from studies.models import Clip, Study
from tests import kinds
from tests.analysis.world import World
from tests.researchers import logged_in
from workspace.tabs import groups


def test_the_tab_of_the_page_is_marked_and_the_clips_are_counted(world: World, owner: User) -> None:
    clips = Clip.objects.filter(study=world.study, withdrawn_at=None).count()

    shown = {tab.label: tab for group in groups(world.study, owner, "clips") for tab in group.tabs}

    assert [label for label, tab in shown.items() if tab.is_here] == ["Clips"]
    assert shown["Clips"].count == str(clips)


def test_tabs_come_in_the_order_of_the_work(world: World, owner: User) -> None:
    shown = [(group.label, [tab.label for tab in group.tabs]) for group in groups(world.study, owner, "clips")]

    assert shown == [
        ("", ["Overview"]),
        ("Set up", ["Design", "Clips", "Check & launch"]),
        ("Collect", ["Recruit", "Live", "Payments"]),
        ("Use", ["Results", "Export"]),
        ("", ["Settings"]),
    ]


@pytest.mark.parametrize(
    ("address", "tab", "here"),
    [
        ("studies:texts", "Clips", "Texts"),
        ("studies:texts_import", "Clips", "Texts"),
        ("judge:prescreening", "Clips", "Pre-screening"),
        ("drafting:home", "Clips", "Texts"),
        ("analysis:planning", "Design", "Planning"),
        ("analysis:machines", "Results", "Metrics vs. listeners"),
        ("experts:review_overview", "Results", "Expert review"),
        ("studies:members", "Settings", "Members"),
        ("studies:history", "Settings", "History"),
    ],
)
def test_a_page_below_a_tab_is_marked_with_its_tab(
    world: World, owner: User, address: str, tab: str, here: str
) -> None:
    html = logged_in(owner).get(reverse(address, args=[world.study.slug]), follow=True).content.decode()

    marked = re.findall(r'<a href="[^"]*" aria-current="page">(.*?)\s*(?:<span|</a>)', html)
    # Tabs are written twice: for wide screens, and as the menu of narrow ones.
    assert marked == [tab, tab, here]


def test_pages_about_reasons_and_questions_are_only_in_studies_that_have_them(
    owner: User, now: datetime, files: Path
) -> None:
    client = logged_in(owner)
    shown = {}
    for kind in ("ternary", "acr"):
        study = kinds.make(kind, now=now)
        Study.objects.filter(pk=study.pk).update(owner=owner)
        pages = [reverse("analysis:study", args=[study.slug]), reverse("studies:clips", args=[study.slug])]
        html = "".join(client.get(page).content.decode() for page in pages)
        shown[kind] = [f">{label}</a>" in html for label in ("Expert review", "Codes in reasons", "Drafts")]
    assert shown == {"ternary": [True, True, False], "acr": [False, False, False]}


def test_signing_in_leads_to_the_studies_and_the_admins_index_stays(owner: User) -> None:
    client = Client()
    owner.set_password("a long password")
    owner.save()

    signed_in = client.post("/admin/login/", {"username": owner.get_username(), "password": "a long password"})

    assert signed_in.headers["Location"] == reverse("workspace:home")
    assert client.get("/admin/login/").headers["Location"] == reverse("workspace:home")
    assert client.get("/admin/").status_code == 200
    assert 'name="next" value="/studies/"' in Client().get("/admin/login/").content.decode()


def test_settings_that_another_person_saved_meanwhile_are_not_overwritten(world: World, owner: User) -> None:
    client, address = logged_in(owner), reverse("studies:settings", args=[world.study.slug])
    [seen] = re.findall(r'name="seen" value="([^"]*)"', client.get(address).content.decode())
    Study.objects.filter(pk=world.study.pk).update(title="Theirs", notice="Their notice")

    mine = {"title": "Mine", "notice": world.study.notice, "remark": "My remark", "seen": html.unescape(seen)}
    refused = client.post(address, mine)

    assert refused.status_code == 400
    assert "Theirs" in refused.content.decode()
    world.study.refresh_from_db()
    assert (world.study.title, world.study.remark) == ("Theirs", "")
    [again] = re.findall(r'name="seen" value="([^"]*)"', refused.content.decode())
    assert client.post(address, {**mine, "notice": "Their notice", "seen": html.unescape(again)}).status_code == 302
    world.study.refresh_from_db()
    assert (world.study.title, world.study.notice, world.study.remark) == ("Mine", "Their notice", "My remark")


def test_the_experts_desk_lists_a_researchers_studies_only_if_they_have_work(world: World, owner: User) -> None:
    Study.objects.create(
        **{**Study.objects.filter(pk=world.study.pk).values("draft").get(), "owner": owner},
        slug="empty",
        title="A draft without work",
    )

    html = logged_in(owner).get(reverse("experts:index")).content.decode()

    assert "A draft without work" not in html
