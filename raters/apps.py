from __future__ import annotations

from django.apps import AppConfig


class RatersConfig(AppConfig):
    name = "raters"

    def ready(self) -> None:
        from core import hooks
        from raters.services import batches

        hooks.chores.append(lambda now: batches.expire_idle(now=now))
