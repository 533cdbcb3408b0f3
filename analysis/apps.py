from __future__ import annotations

from typing import cast

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AnalysisConfig(AppConfig):
    name = "analysis"

    def ready(self) -> None:
        from studies import hooks

        hooks.study_links.register(hooks.StudyLink(cast(str, _("Results")), "analysis:study"))
        hooks.study_links.register(hooks.StudyLink(cast(str, _("Download the data")), "analysis:export"))
