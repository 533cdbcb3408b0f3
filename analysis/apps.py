from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

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
        hooks.score_gates.register(may_see_codes)
        core_hooks.chores.append(due_looks)


def check_looks(study: Study) -> Iterator[Finding]:
    """Say what is wrong with looks that a launch would settle."""
    from analysis.selectors import look_checks

    return look_checks.findings(study)


def may_see_codes(study: Study, user: Any) -> bool:
    """Say whether the codes found in answers may be seen, which tell human from machine as scores do; note the look."""
    from analysis.selectors.hiding import scores_are_hidden
    from analysis.services.hiding import log_sight
    from core import clock

    if scores_are_hidden(study, user):
        return False
    log_sight(study=study, user=user, what="codes", now=clock.now())
    return True


def due_looks(now: datetime) -> None:
    """Take the looks that were named before the launch, when they are due."""
    from analysis.services import looks

    looks.due_looks(now)
