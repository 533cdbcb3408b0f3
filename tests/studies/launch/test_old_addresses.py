"""The addresses that a study's pages had below the admin in release 0.1 lead to where the pages are now."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import resolve, reverse

from accounts.models import User
from studies.models import Study
from tests.researchers import logged_in, researcher
from tests.world import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
OLD = {
    "clips/": "clips",
    "clips/labels/": "clip_labels",
    "clips/table/": "clip_table",
    "uploads/": "uploads",
    "uploads/k3y/": "upload",
    "uploads/k3y/parts/2/": "upload_part",
    "uploads/k3y/whole/": "upload_whole",
    "imports/5/": "import",
    "imports/5/status/": "import_status",
    "imports/5/report.csv": "import_report",
    "texts/": "texts",
    "texts/import/": "texts_import",
    "texts/list.csv": "texts_list",
    "questions/": "questions",
    "questions/import/": "questions_import",
    "questions/list.csv": "questions_list",
    "audit/": "audit",
    "audit/status/": "audit_status",
    "audit/repair/edges/": "repair",
    "audit/repair/edges/status/": "repair_status",
    "audit/repair/edges/audio/7/": "repair_audio",
    "launch/": "launch",
    "move/pause/": "move",
    "languages/": "languages",
    "experts/": "experts",
    "members/": "members",
}


@pytest.fixture
def study(now: datetime) -> Study:
    study = make_study(now=now, launch=False)
    Study.objects.update(owner=researcher("rita"))
    return study


@pytest.fixture
def page(study: Study) -> Client:
    return logged_in(User.objects.get(username="rita"))


def old(study: Study, rest: str) -> str:
    return f"/admin/studies/study/{study.pk}/{rest}"


@pytest.mark.parametrize("rest", OLD)
def test_every_old_address_leads_to_the_page_and_sends_a_form_again(page: Client, study: Study, rest: str) -> None:
    new = f"/studies/{study.slug}/{rest}"
    assert resolve(new).view_name == f"studies:{OLD[rest]}"
    for method, status in (("get", 301), ("head", 301), ("post", 308), ("put", 308), ("delete", 308)):
        answer: Any = getattr(page, method)(f"{old(study, rest)}?page=2&open=3")
        assert (answer.status_code, answer.headers["Location"]) == (status, f"{new}?page=2&open=3"), method


def test_a_form_that_was_open_before_the_move_still_arrives(page: Client, study: Study) -> None:
    sent = page.post(old(study, "texts/"), {"do": "add", "name": "t1", "body": "Good morning."}, follow=True)
    assert [status for _address, status in sent.redirect_chain] == [308, 302]
    assert study.corpus.get().name == "t1"


def test_strangers_and_those_not_signed_in_learn_no_address_from_a_number(study: Study) -> None:
    assert logged_in(researcher("sam")).get(old(study, "clips/")).status_code == 404
    assert logged_in(researcher("sue")).post(old(study, "move/launch/")).status_code == 404
    refused = Client().get(old(study, "clips/"))
    assert refused.headers["Location"].startswith(reverse("admin:login"))


def test_what_was_never_a_page_is_none(page: Client, study: Study) -> None:
    assert page.get(f"/admin/studies/study/{10**15}/clips/").status_code == 404
    assert page.get(old(study, "clips/other/"), follow=True).status_code == 404
