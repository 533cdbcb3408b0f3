"""Experts: who may work on which study, the invitations that let them in, and the names of clips they listen to."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from studies.models.clips import Clip
from studies.models.study import Study


class StudyExpert(models.Model):
    """Somebody who may work on a study until that is taken back."""

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


class ExpertInvite(models.Model):
    """A link that makes one person an expert of a study, once; only its hash is kept."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="expert_invites")
    token_sha256 = models.CharField(max_length=64, unique=True)
    # To tell invitations apart; nothing is ever mailed.
    email = models.EmailField(blank=True, default="")
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    used_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"invitation {self.pk} · {self.study}"


class ExpertClip(models.Model):
    """The name under which one expert may fetch one clip; it says nothing about the clip."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_index=False)
    clip = models.ForeignKey(Clip, models.CASCADE, related_name="+")
    key = models.CharField(max_length=22, unique=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "clip"], name="expert_clip_once")]

    def __str__(self) -> str:
        return self.key
