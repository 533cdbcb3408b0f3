from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from core.hooks import Kept
    from studies.definition.models import Study
    from studies.hooks import Finding


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
        hooks.erasures.register(hooks.ErasureHook(forget_rows, forget_files))
        core_hooks.stored_files.append(stored_files)
        core_hooks.stored_kinds.update(("exports", "analyses"))


def stored_files(study: int | None) -> Iterator[Kept]:
    """Yield the stored files of exports and analyses."""
    from analysis.runs import stored

    return stored.files(study)


def check_looks(study: Study) -> Iterator[Finding]:
    """Say what is wrong with looks that a launch would settle."""
    from analysis.planning import look_checks

    return look_checks.findings(study)


def may_see_codes(study: Study, user: Any) -> bool:
    """Say whether the codes found in answers may be seen, which tell human from machine as scores do; note the look."""
    from analysis.data.hiding import log_sight, scores_are_hidden
    from core import clock

    if scores_are_hidden(study, user):
        return False
    log_sight(study=study, user=user, what="codes", now=clock.now())
    return True


def due_looks(now: datetime) -> None:
    """Take the looks that were named before the launch, when they are due."""
    from analysis.planning import looks

    looks.due_looks(now)


def forget_rows(study_id: int, raters: int, now: datetime) -> None:
    """Drop figures that were made of answers which are being deleted."""
    from analysis.runs import erasing

    erasing.forget_rows(study_id, raters, now)


def forget_files(study_id: int) -> None:
    """Delete exports that hold answers which are being deleted."""
    from analysis.runs import erasing

    erasing.forget_files(study_id)
