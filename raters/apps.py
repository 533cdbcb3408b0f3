from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.apps import AppConfig

if TYPE_CHECKING:
    from studies.hooks import Finding
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
        hooks.chores.append(compare_reasons)
        hooks.chores.append(refresh_keys)
        for source in sources.offered():
            study_hooks.crowd_sources.register(study_hooks.CrowdSource(source.name, source.label, source.codes))
        study_hooks.launch_checks.register(check_source)
        study_hooks.study_panels.register(study_hooks.StudyPanel(_("The raters’ link"), link_panel, order=10))
        study_hooks.study_links.register(
            study_hooks.StudyLink(_("Expert review"), "experts:review_overview", order=200)
        )
        study_hooks.study_links.register(
            study_hooks.StudyLink(_("Codes in reasons"), "experts:coding_overview", order=210)
        )
        study_hooks.study_panels.register(study_hooks.StudyPanel(_("Spot check"), spot_check_panel, order=20))


def expire_idle(now: datetime) -> None:
    """Give back the places of raters who left."""
    from raters.services import batches

    batches.expire_idle(now=now)


def refresh_keys(now: datetime) -> None:
    """Look once a day by which keys platforms sign their links."""
    from raters.services import signing_keys

    signing_keys.refresh_old(now=now)


def check_source(study: Study) -> Iterator[Finding]:
    """Say what a study's crowd source still needs before the launch."""
    from raters import sources
    from studies.hooks import Finding

    crowd = study.definition.crowd
    if crowd.source in sources.found():
        for problem in sources.get(crowd.source).problems(crowd):
            yield Finding("warning", str(problem))


def compare_reasons(now: datetime) -> None:
    """Flag reasons that nearly repeat another rater's."""
    from raters.services import review_queue

    review_queue.compare_all()


def spot_check_panel(study: Study) -> str:
    """Say where the spot check before the launch stands."""
    from raters.views.experts import spot_overview

    return spot_overview.panel(study)


def link_panel(study: Study) -> str:
    """Show the address that the researcher gives to the crowd platform."""
    from django.conf import settings
    from django.utils.html import format_html
    from django.utils.translation import gettext as _

    from raters.admin.links import panel as render

    panel = render(study)
    if urlsplit(settings.BASE_URL).hostname not in LOOPBACK:
        return panel
    says = _("Only this machine can open this address. To invite others, see “Running it for others” in the README.")
    return format_html('{}<p class="here-only">{}</p>', panel, says)
