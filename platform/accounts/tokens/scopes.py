"""What a token may be allowed to do, area by area."""

from __future__ import annotations

from typing import TYPE_CHECKING

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


def choices() -> list[tuple[str, str]]:
    """Return (scope, what it allows) pairs for forms."""
    return [(name, f"{name}: {says}") for name, says in SCOPES.items()]
