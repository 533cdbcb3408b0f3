"""The roles of researchers and experts, kept as groups so that the admin can show and extend them."""

from __future__ import annotations

from typing import Any

from django.apps import apps

RESEARCHERS = "Researchers"
# Says who was let in as an expert; what they see follows from the studies given to them, not from permissions.
EXPERTS = "Experts"
# What the group may do; what a researcher sees is further limited to their own studies.
PERMISSIONS = {
    # Their own: a token can do no more than whoever made it.
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
    # To exclude from the scores is to add a verdict; to take one back is to change it.
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
        # To erase somebody is to add a request, to keep their answers after all is to change one.
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
