from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from studies.models import Study


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


def expire_idle(now: datetime) -> None:
    """Give back the places of raters who left."""
    from raters.services import batches

    batches.expire_idle(now=now)


def link_panel(study: Study) -> str:
    """Show the address that the researcher gives to the crowd platform."""
    from raters.admin import link_panel as render

    return render(study)
