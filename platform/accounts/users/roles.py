"""The roles of researchers and experts, kept as groups so that the admin can show and extend them."""

from __future__ import annotations

from typing import Any

from django.apps import apps

RESEARCHERS = "Researchers"
# Marks people who accepted an invitation as expert; the studies assigned to them decide what they see.
EXPERTS = "Experts"
# What the group may do, within their own studies.
PERMISSIONS = {
    # Their own tokens; a token never has more rights than its owner.
    "accounts": ("add_apitoken", "view_apitoken", "change_apitoken"),
    "studies": (
        "add_study",
        "change_study",
        "view_study",
        "view_studyversion",
        "view_clip",
        "change_clip",
        "delete_clip",
        "view_question",
        "delete_question",
    ),
    # Excluding from the scores adds a verdict; undoing that changes it.
    "raters": (
        "view_session",
        "view_batch",
        "view_answer",
        "view_verdict",
        "add_verdict",
        "change_verdict",
        "view_invite",
        "add_invite",
        "change_invite",
        # Erasing a rater adds a request; cancelling the erasure changes it.
        "view_erasure",
        "add_erasure",
        "change_erasure",
    ),
    "analysis": ("view_export", "add_export"),
}


def ensure_researchers(**_: Any) -> None:
    """Make the groups if they are missing and give researchers their permissions; what was added by hand stays.

    Runs after each `migrate`, once permissions exist.
    """
    groups, permissions = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    groups.objects.get_or_create(name=EXPERTS)
    group, _created = groups.objects.get_or_create(name=RESEARCHERS)
    for app, names in PERMISSIONS.items():
        group.permissions.add(*permissions.objects.filter(content_type__app_label=app, codename__in=names))
