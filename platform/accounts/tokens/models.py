"""API tokens and their scopes."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

SCOPES: dict[str, _StrOrPromise] = {
    "studies:read": _("see studies, their versions, clips and imports"),
    "studies:write": _("make and change studies, launch and pause them, upload and withdraw clips"),
    "results:read": _("see progress, scores, ratings and metrics, and download exports"),
    "results:write": _("start exports, analyses and runs of the judge"),
    "experts:read": _("see what experts decided"),
    "people:read": _("see the crowd platform’s ids of raters"),
}


def scope_choices() -> list[tuple[str, str]]:
    """Return (scope, what it allows) pairs for forms."""
    return [(name, f"{name}: {says}") for name, says in SCOPES.items()]


class ApiToken(models.Model):
    """A program's key: it acts for its owner, within its scopes. Only its hash is kept."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(_("name"), max_length=100, help_text=_("What will use it, such as: nightly export."))
    # Its first characters, so that its owner recognises it.
    prefix = models.CharField(max_length=12)
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(_("scopes"), default=list)
    created_at = models.DateTimeField(_("made"))
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)

    class Meta:
        verbose_name = _("API token")
        verbose_name_plural = _("API tokens")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    def is_good(self, now: datetime) -> bool:
        """True unless it was revoked or has expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)
