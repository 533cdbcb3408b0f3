"""Staff erase who asks for it: by a page and by a command, with the right to, and asked twice."""

from __future__ import annotations

import io
import sys
from datetime import datetime

import pytest
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from raters.models import Erasure, Identity, PlatformStudy, Session, Submission
from raters.privacy import requests
from raters.sessions import lifecycle
from raters.sources.base import RaterArrival
from studies.models import Study
from tests.researchers import logged_in, researcher
from tests.world import Person, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
ADD, LIST = "admin:raters_erasure_add", "admin:raters_erasure_changelist"


@pytest.fixture
def rita(db: None) -> User:
    return researcher("rita")


@pytest.fixture
def person(rita: User, now: datetime) -> Person:
    study = make_study(now=now)
    Study.objects.update(owner=rita)
    return Person(study, now, name="pid-of-somebody").start()


def fill(**given: object) -> dict[str, object]:
    return {"source": "prolific", "person": "", "rater": "", **given}


def test_a_person_is_found_shown_and_only_then_erased(rita: User, person: Person) -> None:
    page = logged_in(rita)
    shown = page.post(reverse(ADD), fill(person="pid-of-somebody")).content.decode()
    assert person.study.title in shown
    assert not Erasure.objects.exists()
    assert page.post(reverse(ADD), fill(person="pid-of-somebody", sure="on"))["Location"] == reverse(LIST)
    erasure = Erasure.objects.get()
    assert (erasure.rater_id, erasure.session_id, erasure.asked_by) == (person.session.rater_id, None, rita)
    listed = page.get(reverse(LIST)).content.decode()
    assert f"rater {person.session.rater_id}" in listed
    assert "pid-of-somebody" not in listed
    assert "pid-of-somebody" not in page.get(reverse("admin:index")).content.decode()


def test_what_is_not_paid_yet_is_said_before_somebody_is_erased(rita: User, person: Person) -> None:
    page = logged_in(rita)
    asked = fill(rater=person.session.rater_id)
    assert "not paid yet" not in page.post(reverse(ADD), asked).content.decode()
    Session.objects.update(outcome="complete", payable=True)
    assert "1 of these sessions has not been paid" in page.post(reverse(ADD), asked).content.decode()
    platform = PlatformStudy.objects.create(study=person.study, ext_study="ext", added_at=person.now)
    Submission.objects.create(
        platform=platform, ext_session="s", session=person.session, seen_at=person.now, state="approved"
    )
    assert "not paid yet" not in page.post(reverse(ADD), asked).content.decode()


@pytest.mark.parametrize(
    "given", [{}, {"person": "nobody"}, {"rater": "99999"}, {"person": "pid-of-somebody", "rater": "1"}]
)
def test_whoever_is_not_known_is_not_erased(rita: User, person: Person, given: dict[str, str]) -> None:
    assert logged_in(rita).post(reverse(ADD), fill(**given, sure="on")).status_code == 422
    assert not Erasure.objects.exists()


def test_nobody_erases_people_of_others(rita: User, person: Person, now: datetime) -> None:
    other = make_study(now=now)
    Study.objects.filter(pk=other.pk).update(owner=researcher("otto"))
    arrival = RaterArrival("prolific", "pid-of-somebody", "ext-2", "s-2")
    lifecycle.arrive(study_id=other.pk, arrival=arrival, now=now)
    page = logged_in(rita)
    refused = page.post(reverse(ADD), fill(rater=person.session.rater_id, sure="on"))
    assert refused.status_code == 422
    assert "Ask a superuser" in refused.content.decode()
    assert other.title not in refused.content.decode()
    root = Client()
    root.force_login(User.objects.create_superuser("root", password="pw"))
    assert root.post(reverse(ADD), fill(rater=person.session.rater_id, sure="on")).status_code == 302


def test_without_the_right_there_is_no_such_page(person: Person) -> None:
    someone = Client()
    someone.force_login(User.objects.create_user("sam", password="pw", is_staff=True))
    assert someone.get(reverse(ADD)).status_code == 403


def test_staff_take_a_raters_request_back_in_time(rita: User, person: Person) -> None:
    from core import clock

    erasure = requests.delete_answers(session_id=person.session.pk, now=clock.now())
    page = logged_in(rita)
    page.post(reverse(LIST), {"action": "take_back", ACTION_CHECKBOX_NAME: [erasure.pk]})
    erasure.refresh_from_db()
    assert (erasure.state, erasure.undone_by) == ("undone", rita)


def test_a_session_shows_what_was_agreed_to(rita: User, person: Person) -> None:
    page = logged_in(rita)
    assert "version 1, en" in page.get(reverse("admin:raters_session_changelist")).content.decode()
    shown = page.get(reverse("admin:raters_session_change", args=[person.session.pk])).content.decode()
    assert "information sheet" in shown.lower()
    assert "that of another text" not in shown
    Session.objects.update(consent_sha256="0" * 64)
    shown = page.get(reverse("admin:raters_session_change", args=[person.session.pk])).content.decode()
    assert "that of another text" in shown


def test_the_command_erases_at_once(person: Person, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("erase_person", "pid-of-somebody", "--yes")
    assert not Identity.objects.exists()
    assert f"Rater {person.session.rater_id} is erased" in capsys.readouterr().out
    with pytest.raises(CommandError, match="Nobody has this ID"):
        call_command("erase_person", "pid-of-somebody", "--yes")


def test_the_command_reads_the_name_from_its_input_and_asks(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("pid-of-somebody\nno\n"))
    with pytest.raises(CommandError, match="Nothing was changed"):
        call_command("erase_person", "-")
    monkeypatch.setattr(sys, "stdin", io.StringIO("pid-of-somebody\n"))
    with pytest.raises(CommandError, match="or use --yes"):
        call_command("erase_person", "-")
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"pid-of-somebody\n{person.session.rater_id}\n"))
    call_command("erase_person", "-")
    assert not Identity.objects.exists()
    with pytest.raises(CommandError, match="Give either the ID"):
        call_command("erase_person")
