"""Passwords that anybody could guess are refused wherever one is set; those that exist keep working."""

from __future__ import annotations

import io
from datetime import datetime
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.users import invitations
from core.errors import Invalid
from launcher import prepare
from tests.researchers import logged_in

pytestmark = pytest.mark.django_db
NAME = "rita.researcher"
GOOD = "umbrella-harbour-27"


def refuses(html: str) -> bool:
    return any(word in html for word in ("too short", "too common", "too similar"))


@pytest.mark.parametrize("password", ["passw0rd!", "earshot1", NAME * 2, "qwertyuiop123", "1qaz2wsx3edc"])
def test_a_password_that_is_short_common_or_the_own_name_is_refused_by_invitations_and_the_admin(password: str) -> None:
    with pytest.raises(Invalid) as refused:
        invitations.create_account(username=NAME, password=password, email="")
    assert refuses(str(refused.value.problems))
    root = logged_in(User.objects.create_superuser("root", password="pw"))
    data = {"username": NAME, "password1": password, "password2": password, "usable_password": "true"}
    page = root.post(reverse("admin:accounts_user_add"), data)
    assert refuses(page.content.decode())
    assert not User.objects.filter(username=NAME).exists()
    user = User.objects.create_user(NAME, password="pw", is_staff=True)
    change = reverse("admin:auth_user_password_change", args=[user.pk])
    assert refuses(root.post(change, data).content.decode())
    own = {"old_password": "pw", "new_password1": password, "new_password2": password}
    assert refuses(logged_in(user).post(reverse("admin:password_change"), own).content.decode())
    user.refresh_from_db()
    assert user.check_password("pw")


@pytest.mark.parametrize("password", ["passw0rd!", "earshot1", "admin" * 2, "1qaz2wsx3edc"])
def test_the_first_administrator_gets_no_password_that_anybody_could_guess(password: str, monkeypatch: Any) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{password}\n"))
    with pytest.raises(CommandError, match=r"too (short|common|similar)"):
        call_command("ensure_admin")
    assert not User.objects.get(username="admin").has_usable_password()


def test_the_password_that_the_launcher_makes_is_accepted(monkeypatch: Any) -> None:
    def manage(environ: dict[str, str], *arguments: str, password: str = "") -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{password}\n"))
        out = io.StringIO()
        call_command(*arguments, stdout=out)
        return out.getvalue().strip()

    monkeypatch.setattr(prepare, "manage", manage)
    made = prepare.password({})
    assert User.objects.get(username="admin").check_password(made)


def test_a_shorter_password_from_before_keeps_working_and_a_good_one_is_accepted(now: datetime) -> None:
    User.objects.create_superuser("rosa", password="earshot1")
    signed_in = Client().post(reverse("admin:login"), {"username": "rosa", "password": "earshot1"})
    assert signed_in.status_code == 302
    assert invitations.create_account(username=NAME, password=GOOD, email="").check_password(GOOD)
