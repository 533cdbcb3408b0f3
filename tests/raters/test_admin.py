"""What raters did is shown to the study's owner, and can't be changed."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from raters.models import Answer, Batch, Session, Verdict
from studies.models import Study
from tests.researchers import logged_in, researcher, text, url
from tests.world import Person, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def page() -> Client:
    """Return the browser of Rita, whose study it is."""
    return logged_in(researcher("rita"))


@pytest.fixture
def stranger() -> Client:
    """Return the browser of a researcher with no studies."""
    return logged_in(researcher("sam"))


@pytest.fixture
def live(page: Client, now: datetime) -> Study:
    study = make_study(now=now)
    Study.objects.update(owner=User.objects.get(username="rita"))
    return study


def test_records_are_read_only(page: Client, live: Study, now: datetime) -> None:
    person = Person(live, now).start()
    person.rate()
    session = Session.objects.get()
    Verdict.objects.create(session=session, rule="by_hand", usable=False, at=now)
    rows = [
        *(live.versions.get(), live.clips.first()),
        *(session, Batch.objects.get(), Answer.objects.get(), Verdict.objects.get()),
    ]
    root = logged_in(User.objects.create_superuser("root", password="pw"))
    for row in rows:
        assert row
        name = f"admin:{row._meta.app_label}_{row._meta.model_name}"
        for client in (page, root):
            assert client.get(reverse(f"{name}_changelist")).status_code == 200, name
            shown = client.get(reverse(f"{name}_change", args=[row.pk]))
            assert shown.status_code == 200, name
            assert 'type="submit" value="Save"' not in text(shown), name
            assert client.post(reverse(f"{name}_change", args=[row.pk]), {}).status_code == 403, name
            assert client.post(reverse(f"{name}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403, name
            assert client.get(reverse(f"{name}_add")).status_code == 403, name
    assert page.post(url("delete", live.pk), {"post": "yes"}).status_code == 403


def test_raters_of_other_studies_are_not_seen(page: Client, stranger: Client, live: Study, now: datetime) -> None:
    Person(live, now).start().rate()
    session = Session.objects.get()
    for target in ({"session": session}, {"batch": Batch.objects.get()}, {"answer": Answer.objects.get()}):
        Verdict.objects.create(**target, rule="by_hand", usable=False, at=now)
    Verdict.objects.create(rater=session.rater, rule="by_hand", usable=False, at=now)
    Verdict.objects.create(clip=live.clips.first(), rule="by_hand", usable=False, at=now)
    for model, number in (("session", 1), ("batch", 1), ("answer", 1), ("verdict", 5)):
        address = reverse(f"admin:raters_{model}_changelist")
        assert page.get(address).context["cl"].result_count == number, model
        assert stranger.get(address).context["cl"].result_count == 0, model


def test_a_session_is_found_by_the_platforms_id(page: Client, live: Study, now: datetime) -> None:
    Person(live, now, name="ann").start().rate()
    Person(live, now, name="bob").start()
    for model, number in (("session", 1), ("batch", 1), ("answer", 1), ("verdict", 0)):
        address = reverse(f"admin:raters_{model}_changelist")
        assert page.get(address, {"q": "s-ann"}).context["cl"].result_count == number, model
        assert page.get(address, {"q": "s-an"}).context["cl"].result_count == 0, model
