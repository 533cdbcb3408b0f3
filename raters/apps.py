from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.apps import AppConfig

if TYPE_CHECKING:
    from studies.models import Study

LOOPBACK = {"127.0.0.1", "localhost", "::1"}


class RatersConfig(AppConfig):
    name = "raters"

    def ready(self) -> None:
        from django.utils.translation import gettext_lazy as _

        from core import hooks
        from raters import sources
        from studies import hooks as study_hooks

        hooks.chores.append(expire_idle)
        for name, label in sources.choices():
            study_hooks.crowd_sources.register(study_hooks.CrowdSource(name, label))
        study_hooks.study_panels.register(study_hooks.StudyPanel(_("The raters’ link"), link_panel, order=10))
        study_hooks.study_links.register(
            study_hooks.StudyLink(_("Expert review"), "experts:review_overview", order=200)
        )
        study_hooks.study_panels.register(study_hooks.StudyPanel(_("Spot check"), spot_check_panel, order=20))


def expire_idle(now: datetime) -> None:
    """Give back the places of raters who left."""
    from raters.services import batches

    batches.expire_idle(now=now)


def spot_check_panel(study: Study) -> str:
    """Say where the spot check before the launch stands."""
    from raters.views.experts import spot_overview

    return spot_overview.panel(study)


def link_panel(study: Study) -> str:
    """Show the address that the researcher gives to the crowd platform."""
    from django.conf import settings
    from django.utils.html import format_html
    from django.utils.translation import gettext as _

    from raters.admin import link_panel as render

    panel = render(study)
    if urlsplit(settings.BASE_URL).hostname not in LOOPBACK:
        return panel
    says = _("Only this machine can open this address. To invite others, see “Running it for others” in the README.")
    return format_html('{}<p class="here-only">{}</p>', panel, says)
