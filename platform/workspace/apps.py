from __future__ import annotations

from django.apps import AppConfig


class WorkspaceConfig(AppConfig):
    name = "workspace"

    def ready(self) -> None:
        """Register the page that creates a study, and what the Live page reads of all sessions."""
        from studies import hooks
        from studies.summaries import services as summaries
        from workspace import live, new_study

        hooks.new_study_page.register(new_study.new)
        summaries.kinds.register(live.COLLECTED)
