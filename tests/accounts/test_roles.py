"""The role of a researcher."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Group, Permission
from django.urls import reverse

from accounts.models import User
from accounts.users.roles import PERMISSIONS, RESEARCHERS, ensure_researchers
from tests.researchers import logged_in, researcher, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


def test_the_role_comes_with_the_database_and_keeps_what_was_added() -> None:
    group = Group.objects.get(name=RESEARCHERS)
    names = {name for names in PERMISSIONS.values() for name in names}
    assert set(group.permissions.values_list("codename", flat=True)) == names
    group.permissions.add(Permission.objects.get(codename="view_user"))
    ensure_researchers()
    assert set(group.permissions.values_list("codename", flat=True)) == {*names, "view_user"}


def test_a_new_user_starts_as_a_researcher() -> None:
    root = logged_in(User.objects.create_superuser("root", password="pw"))
    html = text(root.get(reverse("admin:accounts_user_add")))
    assert re.search(r'name="is_staff"[^>]*checked', html)
    assert re.search(r"<option[^>]*selected[^>]*>Researchers", html)
    data = {"username": "new", "password1": "long-enough-7", "password2": "long-enough-7", "usable_password": "true"}
    group = Group.objects.get(name=RESEARCHERS)
    root.post(reverse("admin:accounts_user_add"), {**data, "is_staff": "on", "groups": [group.pk]})
    assert User.objects.get(username="new").groups.get() == group


def test_a_researcher_makes_no_users() -> None:
    assert logged_in(researcher("rita")).get(reverse("admin:accounts_user_add")).status_code == 403
