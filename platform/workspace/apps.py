from __future__ import annotations

from django.apps import AppConfig


class WorkspaceConfig(AppConfig):
    name = "workspace"

    def ready(self) -> None:
        """Register the workspace's pages, and what the Live page reads of all sessions."""
        from studies import hooks
        from studies.summaries import services as summaries
        from workspace import live, new_study

        hooks.new_study_page.register(new_study.new)
        hooks.workspace_pages.register(
            hooks.WorkspacePages(home="workspace:home", overview="workspace:overview", recruit="workspace:recruit")
        )
        summaries.kinds.register(live.COLLECTED)
