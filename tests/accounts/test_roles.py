"""The role of a researcher."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Group, Permission
from django.urls import reverse

from accounts.models import User
from accounts.users.roles import PERMISSIONS, RESEARCHERS, ensure_researchers
from studies.models import Study
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


def own_studies(owner: User, numbers: range) -> None:
    """Give a user studies."""
    Study.objects.bulk_create(Study(slug=f"study-{n}", title=f"Study {n}", owner=owner, draft={}) for n in numbers)


def test_a_user_who_has_studies_cannot_be_deleted_and_the_page_says_so_by_numbers() -> None:
    root, user = logged_in(User.objects.create_superuser("root", password="pw")), researcher("rita")
    address = reverse("admin:accounts_user_delete", args=[user.pk])
    own_studies(user, range(3))
    html = text(root.get(address))
    assert "Studies: 3<" in html
    assert f'<a href="{reverse("admin:accounts_user_change", args=[user.pk])}">' in html
    own_studies(user, range(3, 1_001))
    assert "Studies: more than 1000<" in text(root.get(address))
    root.post(address, {"post": "yes"})
    assert User.objects.filter(pk=user.pk).exists()


def test_a_user_who_has_nothing_that_stays_can_be_deleted() -> None:
    root, user = logged_in(User.objects.create_superuser("root", password="pw")), researcher("rita")
    address = reverse("admin:accounts_user_delete", args=[user.pk])
    assert "protected" not in text(root.get(address))
    root.post(address, {"post": "yes"})
    assert not User.objects.filter(pk=user.pk).exists()
