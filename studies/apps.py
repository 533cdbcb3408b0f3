from __future__ import annotations

from django.apps import AppConfig


class StudiesConfig(AppConfig):
    name = "studies"

    def ready(self) -> None:
        from studies import checks, hooks  # noqa: F401  (registers the system checks)
        from studies.selectors import spot_launch

        hooks.launch_checks.register(spot_launch.findings)
