"""Personal links in the admin: made once as a table, listed without their secrets, taken back."""

from __future__ import annotations

import csv
import io
from datetime import datetime

import pytest
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.test import Client
from django.urls import reverse

from accounts.models import User
from raters.models import Invite, Session
from studies.models import Study
from tests.researchers import logged_in, researcher, text
from tests.world import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
ADD, LIST = "admin:raters_invite_add", "admin:raters_invite_changelist"


@pytest.fixture
def page() -> Client:
    return logged_in(researcher("rita"))


@pytest.fixture
def study(page: Client, now: datetime) -> Study:
    study = make_study(now=now, crowd__source="invite")
    Study.objects.update(owner=User.objects.get(username="rita"))
    return study


def made(page: Client, study: Study, number: int, label: str = "") -> list[dict[str, str]]:
    """Make links, and return the table that is handed over."""
    answer = page.post(reverse(ADD), {"study": study.pk, "number": number, "label": label})
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    assert answer["Content-Disposition"] == f'attachment; filename="{study.slug}-links.csv"'
    return list(csv.DictReader(io.StringIO(answer.text)))


def test_links_are_handed_over_as_a_table_and_each_opens_a_session(page: Client, study: Study) -> None:
    table = made(page, study, 3, "Tuesday")
    assert [row["invitation"] for row in table] == [str(pk) for pk in Invite.objects.values_list("pk", flat=True)]
    assert len({row["link"] for row in table}) == 3
    for row in table:
        assert Client().get(row["link"].removeprefix("http://testserver")).status_code == 303
    assert Session.objects.filter(source="invite").count() == 3


def test_the_list_shows_who_came_and_no_secret(page: Client, study: Study) -> None:
    first, second = made(page, study, 2, "Tuesday")
    Client().get(first["link"].removeprefix("http://testserver"))
    listed = page.get(reverse(LIST)).text
    assert listed.count('class="field-used"') == 2
    assert ('alt="True"' in listed, 'alt="False"' in listed) == (True, True)
    secrets = [row["link"].rpartition("=")[2] for row in (first, second)]
    shown = listed + page.get(reverse("admin:raters_invite_change", args=[first["invitation"]])).text
    assert not [secret for secret in secrets if secret in shown]


def test_a_link_that_is_taken_back_lets_nobody_in(page: Client, study: Study) -> None:
    first, second = made(page, study, 2)
    done = page.post(reverse(LIST), {"action": "take_back", ACTION_CHECKBOX_NAME: [first["invitation"]]}, follow=True)
    assert "1 link was revoked" in text(done)
    statuses = [Client().get(row["link"].removeprefix("http://testserver")).status_code for row in (first, second)]
    assert statuses == [409, 303]


def test_links_are_made_for_one_s_own_studies_alone(study: Study) -> None:
    stranger = logged_in(researcher("sam"))
    refused = stranger.post(reverse(ADD), {"study": study.pk, "number": 2})
    assert refused.status_code == 422
    assert not Invite.objects.exists()
    assert str(study) not in stranger.get(reverse(LIST)).text


@pytest.mark.parametrize("number", ["0", "1001", "many", ""])
def test_a_number_that_makes_no_sense_makes_nothing(page: Client, study: Study, number: str) -> None:
    assert page.post(reverse(ADD), {"study": study.pk, "number": number}).status_code == 422
    assert not Invite.objects.exists()


def test_the_study_s_page_offers_personal_links_and_a_test_run(page: Client, study: Study) -> None:
    shown = page.get(reverse("studies:launch", args=[study.slug])).text
    assert f"{reverse(ADD)}?study={study.pk}" in shown
    assert "invite=TOKEN" in shown
    assert f"/s/{study.slug}/?preview=" in shown


def test_a_draft_can_t_be_tried_out_yet(page: Client, now: datetime) -> None:
    draft = make_study(now=now, launch=False)
    Study.objects.filter(pk=draft.pk).update(owner=User.objects.get(username="rita"))
    assert "?preview=" not in page.get(reverse("studies:launch", args=[draft.slug])).text
