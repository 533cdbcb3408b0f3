from __future__ import annotations

import io

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


def ensure(monkeypatch, typed=""):
    out = io.StringIO()
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    call_command("ensure_admin", stdout=out)
    return out.getvalue().strip()


def test_an_administrator_without_a_password_is_made_and_gets_the_first_one_given(monkeypatch):
    assert ensure(monkeypatch) == "exists"
    admin = get_user_model().objects.get(username="admin", is_superuser=True, is_staff=True)
    assert not admin.has_usable_password()
    assert ensure(monkeypatch, PASSWORD + "\n") == "password set"
    admin.refresh_from_db()
    assert admin.check_password(PASSWORD)


def test_a_password_in_use_is_never_changed(monkeypatch):
    get_user_model().objects.create_superuser("somebody", password=PASSWORD)
    assert ensure(monkeypatch, "another long password\n") == "exists"
    assert list(get_user_model().objects.values_list("username", flat=True)) == ["somebody"]
    assert get_user_model().objects.get().check_password(PASSWORD)


def test_a_short_password_is_refused(monkeypatch):
    with pytest.raises(CommandError, match="at least 12"):
        ensure(monkeypatch, "short\n")


def test_an_admin_who_may_not_administer_is_left_alone(monkeypatch):
    get_user_model().objects.create_user("admin", password=PASSWORD)
    with pytest.raises(CommandError, match="createsuperuser"):
        ensure(monkeypatch)
