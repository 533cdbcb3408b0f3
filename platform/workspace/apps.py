from __future__ import annotations

from django.apps import AppConfig


class WorkspaceConfig(AppConfig):
    name = "workspace"

    def ready(self) -> None:
        """Register what the Live page reads of all sessions, which a worker computes in large studies."""
        from studies.summaries import services as summaries
        from workspace import live

        summaries.kinds.register(live.COLLECTED)
