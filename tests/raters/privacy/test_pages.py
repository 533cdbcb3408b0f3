"""What a rater may do on every page: read what they were told, leave with or without answers, change their mind."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.test import Client

from core import clock
from raters.models import Answer, Erasure, Session, Trial
from raters.privacy import erasing
from studies.models import Study
from tests.world import Person, carry, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
TOLD = "## Who we are\n\nWe study voices. Write to us at any time."


@pytest.fixture
def study(now: datetime) -> Study:
    return make_study(
        now=now, texts__information=TOLD, texts__consent="I take part of my own will.", texts__contact="lab@example.org"
    )


@pytest.fixture
def person(study: Study) -> Person:
    person = Person(study, clock.now()).start()
    person.rate()
    return person


@pytest.fixture
def browser(person: Person) -> Client:
    return carry(person)


def page(person: Person, name: str) -> str:
    return f"/rate/{person.study.slug}/{name}"


def test_what_was_agreed_to_can_be_read_again_with_its_version(person: Person, browser: Client) -> None:
    shown = browser.get(page(person, "information/")).content.decode()
    for words in ("Who we are</h", "I take part of my own will.", "version 1", "lab@example.org"):
        assert words in shown
    assert f"number {person.session.rater_id}" in shown


def test_it_can_be_taken_along_as_a_file(person: Person, browser: Client) -> None:
    answer = browser.get(page(person, "information/?download"))
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert f'download="{person.study.slug}-information.txt"' in browser.get(page(person, "information/")).text
    person.session.refresh_from_db()
    for words in (TOLD, "I take part of my own will.", "Agreed on 2", person.session.consent_sha256):
        assert words in answer.content.decode()


@pytest.mark.parametrize("step", ["instructions", "rating", "ended"])
def test_every_page_leads_to_it_and_to_the_way_out(person: Person, browser: Client, step: str) -> None:
    Session.objects.filter(pk=person.session.pk).update(step=step, outcome="complete" if step == "ended" else "")
    shown = browser.get(page(person, ""), follow=True).content.decode()
    assert page(person, "information/") in shown
    assert page(person, "your-data/" if step == "ended" else "leave/") in shown


def test_before_consent_there_is_nothing_to_withdraw(study: Study) -> None:
    person = Person(study, clock.now())
    shown = carry(person).get(page(person, ""), follow=True).content.decode()
    assert page(person, "information/") in shown
    assert page(person, "leave/") not in shown


def test_whoever_leaves_keeps_the_answers_in_the_study_unless_they_say_otherwise(
    person: Person, browser: Client
) -> None:
    assert browser.post(page(person, "leave/"), {"answers": "keep"}).status_code == 303
    assert not Erasure.objects.exists()
    assert "What you had saved is kept." in browser.get(page(person, "end/")).content.decode()


def test_whoever_leaves_without_answers_can_have_them_back_for_a_day(person: Person, browser: Client) -> None:
    assert browser.post(page(person, "leave/"), {"answers": "delete"}).status_code == 303
    shown = browser.get(page(person, "end/")).content.decode()
    assert "You asked for your answers to be deleted." in shown
    assert "What you had saved is kept." not in shown
    assert browser.post(page(person, "your-data/"), {"answers": "keep"})["Location"] == page(person, "end/")
    assert Erasure.objects.get().state == "undone"
    assert "You asked for" not in browser.get(page(person, "end/")).content.decode()


def test_every_page_has_one_way_to_leave_or_to_delete_the_answers(person: Person, browser: Client) -> None:
    leave, delete = f'href="{page(person, "leave/")}"', f'href="{page(person, "your-data/")}"'
    for step, name in (("rating", ""), ("rating", "information/"), ("instructions", "")):
        Session.objects.filter(pk=person.session.pk).update(step=step)
        shown = browser.get(page(person, name), follow=True).text
        assert (shown.count(leave), shown.count(delete)) == (1, 0), name
    Session.objects.filter(pk=person.session.pk).update(step="ended", outcome="complete")
    for name in ("end/", "information/"):
        shown = browser.get(page(person, name)).text
        assert (shown.count(leave), shown.count(delete)) == (0, 1), name


def test_after_the_day_it_is_too_late_and_the_page_says_when_they_went(person: Person, browser: Client) -> None:
    browser.post(page(person, "leave/"), {"answers": "delete", "why": "broken"})
    session = Session.objects.get(pk=person.session.pk)
    assert session.outcome == "technical_failure"
    erasure = Erasure.objects.get()
    later = clock.now() + timedelta(hours=25)
    assert erasing.carry_out(pk=erasure.pk, clock=lambda: later)
    assert not Answer.objects.exists()
    answer = browser.post(page(person, "your-data/"), {"answers": "keep"})
    assert answer.status_code == 409
    assert "can’t be cancelled" in answer.content.decode()
    assert f"Your answers were deleted on {later:%Y-%m-%d %H:%M}" in browser.get(page(person, "end/")).content.decode()


def test_whoever_is_done_can_still_have_the_answers_deleted(person: Person, browser: Client) -> None:
    Session.objects.filter(pk=person.session.pk).update(step="ended", outcome="complete", payable=True)
    assert "Delete my answers" in browser.get(page(person, "your-data/")).content.decode()
    browser.post(page(person, "your-data/"), {"answers": "delete"})
    session = Session.objects.get(pk=person.session.pk)
    assert (session.outcome, session.payable) == ("complete", True)
    assert not Trial.objects.filter(usable=True).exists()


def test_looking_changes_nothing(person: Person, browser: Client) -> None:
    Session.objects.filter(pk=person.session.pk).update(step="ended", outcome="complete")
    browser.get(page(person, "your-data/?answers=delete"))
    assert not Erasure.objects.exists()
