"""The role of a researcher, kept as a group so that the admin can show and extend it."""

from __future__ import annotations

from typing import Any

from django.apps import apps

RESEARCHERS = "Researchers"
# What the group may do; what a researcher sees is further limited to their own studies.
PERMISSIONS = {
    "studies": (
        *("add_study", "change_study", "view_study", "view_studyversion"),
        *("view_clip", "change_clip", "delete_clip"),
    ),
    # To exclude from the scores is to add a verdict; to take one back is to change it.
    "raters": ("view_session", "view_batch", "view_answer", "view_verdict", "add_verdict", "change_verdict"),
    "analysis": ("view_export", "add_export"),
}


def ensure_researchers(**_: Any) -> None:
    """Make the group if it is missing and give it its permissions; what was added by hand stays.

    Runs after each `migrate`, once permissions exist.
    """
    groups, permissions = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    group, _created = groups.objects.get_or_create(name=RESEARCHERS)
    for app, names in PERMISSIONS.items():
        group.permissions.add(*permissions.objects.filter(content_type__app_label=app, codename__in=names))
