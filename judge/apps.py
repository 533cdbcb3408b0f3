from __future__ import annotations

from typing import cast

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class JudgeConfig(AppConfig):
    name = "judge"

    def ready(self) -> None:
        from judge.selectors import launching, panel
        from studies import hooks

        hooks.study_links.register(hooks.StudyLink(cast(str, _("Judge")), "judge:judge"))
        hooks.study_links.register(hooks.StudyLink(cast(str, _("Pre-screening")), "judge:prescreening"))
        hooks.launch_checks.register(launching.findings)
        hooks.study_panels.register(hooks.StudyPanel(cast(str, _("Before people listen")), panel.render))
