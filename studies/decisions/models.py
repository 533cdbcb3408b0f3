"""Experts of a study, their invitations, and the clips they may hear."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.users.invitations import Invitation
from studies.clips.models import Clip
from studies.definition.models import Study


class StudyExpert(models.Model):
    """A person who may work on a study until the access is revoked."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="experts")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="expert_in")
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "user"], name="expert_once", condition=Q(revoked_at=None))
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.study}"


class ExpertInvite(Invitation):
    """An invitation to become an expert of a study; valid once."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="expert_invites")

    def __str__(self) -> str:
        return f"invitation {self.pk} · {self.study}"


class ExpertClip(models.Model):
    """The key by which one person fetches one clip; it reveals nothing about the clip. Also the time of their first
    play."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_index=False)
    clip = models.ForeignKey(Clip, models.CASCADE, related_name="+")
    key = models.CharField(max_length=22, unique=True)
    # First play by this person; they can't decide on a clip before it.
    played_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "clip"], name="expert_clip_once")]

    def __str__(self) -> str:
        return self.key
