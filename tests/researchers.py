"""Researchers at their browsers."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.users.roles import RESEARCHERS
from studies.definition.form_fields import ListField

# What of a study stands in Django's admin.
ADMIN = {"changelist", "add", "change", "delete", "history"}


def researcher(name: str) -> User:
    """Return a new user with the role."""
    user = User.objects.create_user(name, password="pw", is_staff=True)
    user.groups.add(Group.objects.get(name=RESEARCHERS))
    return user


def logged_in(user: User) -> Client:
    """Return the browser of this user."""
    client = Client()
    client.force_login(user)
    return client


def as_sent(form: forms.BaseForm) -> dict[str, Any]:
    """Return the data of every field as it was shown; unchecked boxes and disabled fields are not sent."""
    data: dict[str, Any] = {}
    for bound in form:
        value = bound.value()
        if isinstance(bound.field, forms.BooleanField):
            if value:
                data[bound.html_name] = "on"
        elif isinstance(bound.field, forms.MultipleChoiceField):
            data[bound.html_name] = list(value or [])
        elif isinstance(bound.field, ListField):
            data[bound.html_name] = bound.field.sent(value or [])
        elif not bound.field.disabled:
            data[bound.html_name] = "" if value is None else str(value).replace("\n", "\r\n")
    return data


def url(name: str, *args: Any) -> str:
    """Return the address of one of a study's pages, or of studies in Django's admin."""
    return reverse(f"admin:studies_study_{name}" if name in ADMIN else f"studies:{name}", args=args)


def text(response: Any) -> str:
    """Return a page's source."""
    return str(response.content.decode())
