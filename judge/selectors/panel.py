"""The way from a study's launch page to what machines say of its clips."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from studies.definition.models import Study


def render(study: Study) -> str:
    """Return two links as safe HTML."""
    return format_html(
        '<p>{}</p><p><a href="{}">{}</a> · <a href="{}">{}</a></p>',
        _("Let a machine listen first: which traps are doubtful, what each system may get, which clips to listen to."),
        reverse("judge:prescreening", args=[study.slug]),
        _("Pre-screening"),
        reverse("judge:judge", args=[study.slug]),
        _("Judge"),
    )
