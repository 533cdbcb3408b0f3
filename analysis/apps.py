from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, cast

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from studies.hooks import Finding
    from studies.models import Study


class AnalysisConfig(AppConfig):
    name = "analysis"

    def ready(self) -> None:
        from core import hooks as core_hooks
        from studies import hooks

        hooks.study_links.register(hooks.StudyLink(cast(str, _("Results")), "analysis:study"))
        hooks.study_links.register(hooks.StudyLink(cast(str, _("Download the data")), "analysis:export"))
        hooks.study_links.register(hooks.StudyLink(cast(str, _("Planning and looks")), "analysis:planning"))
        hooks.launch_checks.register(check_looks)
        core_hooks.chores.append(due_looks)


def check_looks(study: Study) -> Iterator[Finding]:
    """Say what is wrong with looks that a launch would settle."""
    from analysis.selectors import look_checks

    return look_checks.findings(study)


def due_looks(now: datetime) -> None:
    """Take the looks that were named before the launch, when they are due."""
    from analysis.services import looks

    looks.due_looks(now)
