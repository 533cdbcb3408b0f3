"""Members of a study and their invitations."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.users.invitations import Invitation
from studies.definition.models import Study


class GivenRole(models.TextChoices):
    """The roles of `studies.rules.roles` that can be given, with labels."""

    EDITOR = "editor", _("Editor")
    VIEWER = "viewer", _("Viewer")
    BLINDED = "blinded", _("Score-blinded editor")
    PAYER = "payer", _("Payer")


class Member(models.Model):
    """A person with a role in another person's study, until they are removed."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="member_in")
    role = models.CharField(max_length=10, choices=GivenRole)
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    added_at = models.DateTimeField()
    removed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "user"], name="member_once", condition=Q(removed_at=None))
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.study}"


class MemberInvite(Invitation):
    """An invitation to a role in a study; valid once."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="member_invites")
    role = models.CharField(max_length=10, choices=GivenRole)

    def __str__(self) -> str:
        return f"invitation {self.pk} · {self.study}"
