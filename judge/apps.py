from __future__ import annotations

from typing import cast

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class JudgeConfig(AppConfig):
    name = "judge"

    def ready(self) -> None:
        from core import hooks as core_hooks
        from judge.client import configured
        from judge.prescreening import launch_findings
        from studies import hooks

        core_hooks.diagnoses.register(core_hooks.Diagnosis("judge", configured.examine))
        hooks.study_links.register(hooks.StudyLink(cast(str, _("Judge")), "judge:judge"))
        hooks.study_links.register(hooks.StudyLink(cast(str, _("Pre-screening")), "judge:prescreening"))
        hooks.launch_checks.register(launch_findings.findings)
        hooks.study_panels.register(hooks.StudyPanel(cast(str, _("Before people listen")), launch_findings.panel))
