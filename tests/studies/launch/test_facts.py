"""Contact, pay and minutes are filled in on the launch page itself, where they are missing."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from studies.launch import facts
from studies.launch.design_page import fingerprints
from studies.members.models import Member
from studies.models import Study
from tests.researchers import logged_in, researcher, text
from tests.world import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
NOW = datetime(2026, 3, 1, tzinfo=UTC)
UNSET = {"texts__contact": "", "payment__rate": None, "payment__minutes": None}
SENT = {
    "texts__contact": "Rita, rita@example.org",
    "payment__currency": "EUR",
    "payment__rate": "1.50",
    "payment__per": "session",
    "payment__minutes": "6",
}


@pytest.fixture
def page() -> Client:
    return logged_in(researcher("rita"))


def make(**settings: Any) -> Study:
    study = make_study(now=NOW, launch=False, **{**UNSET, **settings})
    Study.objects.filter(pk=study.pk).update(owner=researcher_of("rita"))
    return study


def researcher_of(name: str) -> Any:
    from accounts.models import User

    return User.objects.get(username=name)


def launch_page(page: Client, study: Study) -> str:
    return text(page.get(reverse("studies:launch", args=[study.slug])))


def send(page: Client, study: Study, **sent: str) -> Any:
    rows = facts.missing(facts.facts_form(study), {})
    data = {**sent, "shown": json.dumps(fingerprints(rows.values()))}
    return page.post(reverse("studies:save_facts", args=[study.slug]), data)


def test_what_is_missing_is_asked_for_and_saved_by_one_click(page: Client):
    study = make()
    html = launch_page(page, study)
    assert [f'name="{name}"' in html for name in SENT] == [True] * len(SENT)
    assert send(page, study, **SENT)["Location"] == reverse("studies:launch", args=[study.slug])
    study.refresh_from_db()
    payment = study.definition.payment
    assert (payment.currency, payment.rate, payment.per, payment.minutes) == ("EUR", 1.5, "session", 6)
    assert study.definition.texts.contact == "Rita, rita@example.org"
    assert not any(f'name="{name}"' in launch_page(page, study) for name in SENT)
    assert "Pay: not set → 1.5" in LogEntry.objects.order_by("-pk")[0].get_change_message()


def test_only_what_is_missing_is_asked_for(page: Client):
    html = launch_page(page, make(payment__rate=2, payment__minutes=5))
    assert 'name="texts__contact"' in html
    assert 'name="payment__rate"' not in html
    assert 'name="payment__minutes"' not in html


def test_the_estimated_minutes_are_filled_in(page: Client):
    study = make()
    html = launch_page(page, study)
    [proposed] = [part.split('"')[0] for part in html.split('name="payment__minutes" value="')[1:]]
    assert int(proposed) > 0


def test_a_value_that_is_not_valid_is_said_at_its_field_and_the_others_are_saved(page: Client):
    study = make()
    response = send(page, study, **{**SENT, "payment__minutes": "0"})
    assert response.status_code == 400
    assert 'id="payment__minutes-problem"' in text(response)
    assert 'name="texts__contact"' not in text(response)
    study.refresh_from_db()
    assert (study.definition.payment.rate, study.definition.payment.minutes) == (1.5, None)


def test_what_somebody_else_saved_meanwhile_stays(page: Client):
    study = make()
    shown = json.dumps(fingerprints(facts.missing(facts.facts_form(study), {}).values()))
    send(page, study, texts__contact="First")
    response = page.post(reverse("studies:save_facts", args=[study.slug]), {"texts__contact": "Second", "shown": shown})
    assert response.status_code == 400
    study.refresh_from_db()
    assert study.definition.texts.contact == "First"


def test_who_may_only_look_gets_no_fields_and_changes_nothing(page: Client):
    study = make()
    Member.objects.create(study=study, user=researcher("vera"), role="viewer", added_at=NOW)
    viewer = logged_in(researcher_of("vera"))
    assert "save_facts" not in launch_page(viewer, study)
    assert 'name="payment__rate"' not in launch_page(viewer, study)
    assert send(viewer, study, **SENT).status_code == 403


def test_the_page_says_who_pays_raters_of_an_open_link(page: Client):
    by_hand = "Earshot doesn’t pay these raters"
    study = make(crowd__source="open")
    assert by_hand in launch_page(page, study)
    send(page, study, **SENT)
    assert by_hand in launch_page(page, study)
    study.refresh_from_db()
    study.draft = study.draft | {"payment": study.draft["payment"] | {"rate": 0}}
    study.save()
    assert by_hand not in launch_page(page, study)


def test_the_page_does_not_say_so_where_earshot_pays(page: Client):
    assert "Earshot doesn’t pay these raters" not in launch_page(page, make(crowd__source="prolific"))


def test_the_page_says_that_nobody_behind_an_open_link_has_a_name(page: Client):
    told = "Behind an open link they have no names"
    study = make(crowd__source="open")
    shown = launch_page(page, study)
    assert told in shown
    design = reverse("studies:design", args=[study.slug])
    assert f'<a href="{design}#texts.information">' in shown
    assert f'<a href="{design}#crowd.source">' in shown
    assert told not in launch_page(page, make(crowd__source="invite"))
