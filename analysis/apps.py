from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from django.apps import AppConfig
from django.db import transaction
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from studies.definition.models import Study


class AnalysisConfig(AppConfig):
    name = "analysis"

    def ready(self) -> None:
        from analysis.data import hiding
        from analysis.live import stored
        from analysis.metrics import queries as metrics_queries
        from analysis.metrics import word_errors
        from analysis.planning import forms, launch_checks, look_checks
        from analysis.runs import erasing
        from analysis.runs import queries as runs_queries
        from core import hooks as core_hooks
        from raters.previews import hooks as preview_hooks
        from studies import hooks
        from studies.summaries import services as summaries

        hooks.study_links.register(hooks.StudyLink(cast(str, _("Results")), "analysis:study"))
        hooks.study_links.register(hooks.StudyLink(cast(str, _("Download the data")), "analysis:export"))
        hooks.study_links.register(
            hooks.StudyLink(
                cast(str, _("Planning")), "analysis:planning", tab="design", covers=("analysis:plan", "analysis:look")
            )
        )
        planning = hooks.StudyLink(_("How sure will the results be? Open Planning"), "analysis:planning")
        hooks.design_links.register(planning)
        hooks.launch_checks.register(look_checks.findings)
        hooks.launch_checks.register(launch_checks.findings)
        hooks.text_doubts.register(word_errors.doubts)
        hooks.score_gates.register(hiding.may_see_codes)
        hooks.erasures.register(hooks.ErasureHook(erasing.forget_rows, erasing.forget_files))
        preview_hooks.dry_run_figures.register(preview_hooks.DryRunFigures(dry_run_figures, "analysis:dry_run_results"))
        core_hooks.chores.register(due_looks)
        hooks.clips_changed.register(clips_changed)
        for kind in (metrics_queries.MISSING, stored.FIGURES):
            summaries.kinds.register(kind)
        core_hooks.declared_words.register(forms.words)
        core_hooks.stored_files.register(runs_queries.stored_files)
        for name in ("exports", "analyses"):
            core_hooks.stored_kinds.register(name)


def due_looks(now: datetime) -> None:
    """Queue the planned interim analyses that are due."""
    # Imported here because it loads the statistics, which the web process avoids.
    from analysis.planning import looks

    looks.due_looks(now)


def clips_changed(study: Study, now: datetime) -> None:
    """Recount the values of each metric: they are deleted together with a draft's clips."""
    from analysis.metrics import sets

    if study.launched_at is None:
        # After the commit, to keep the lock order of `put`: set before clips.
        transaction.on_commit(lambda: sets.recount(study.pk))


def dry_run_figures(study_id: int, now: datetime) -> dict[str, Any]:
    """Compute the figures of the Results page from the simulated raters of a dry run's copy."""
    # Imported here because it loads the statistics, which the web process avoids.
    from analysis.data.models import Simulated
    from analysis.live import figures
    from analysis.sections.results import dump

    return dump(figures.compute(study_id=study_id, simulated=Simulated.ONLY, now=now))
