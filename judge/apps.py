from __future__ import annotations

from typing import cast

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class JudgeConfig(AppConfig):
    name = "judge"

    def ready(self) -> None:
        from core import hooks as core_hooks
        from judge.client import configured
        from judge.prescreening import calibration, launch_findings
        from judge.runs import queries as runs_queries
        from studies import hooks
        from studies.summaries import services as summaries

        core_hooks.diagnoses.register(core_hooks.Diagnosis("judge", configured.examine))
        hooks.study_links.register(
            hooks.StudyLink(cast(str, _("Judge")), "judge:judge", tab="clips", covers=("judge:run",))
        )
        hooks.study_links.register(hooks.StudyLink(cast(str, _("Pre-screening")), "judge:prescreening", tab="clips"))
        hooks.launch_checks.register(launch_findings.findings)
        hooks.study_panels.register(
            hooks.StudyPanel(
                cast(str, _("Score clips with a model")),
                launch_findings.panel,
                order=30,
                of_draft=True,
                purpose=cast(str, _("A model listens to the clips before people do.")),
            )
        )
        for kind in (calibration.SUMMARY, runs_queries.SUMMARY):
            summaries.kinds.register(kind)
