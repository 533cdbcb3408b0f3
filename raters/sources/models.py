"""Personal invitations, and the keys by which platforms sign their links."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class Invite(models.Model):
    """One person's link to a study; only its hash is stored."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="rater_invites")
    token_sha256 = models.CharField(max_length=64, unique=True)
    # The researcher's name for these links, such as "Tuesday's group".
    label = models.CharField(max_length=60, blank=True, default="")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("personal link")

    def __str__(self) -> str:
        return f"invitation {self.pk}"


class KeySet(models.Model):
    """A platform's public keys, as last fetched."""

    url = models.CharField(max_length=500, unique=True)
    keys = models.JSONField(default=list)
    # Time of the last attempt; later than `fetched_at` if the platform is unreachable.
    tried_at = models.DateTimeField()
    fetched_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.url
