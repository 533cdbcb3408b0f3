from __future__ import annotations

from datetime import datetime

from django.apps import AppConfig


class RatersConfig(AppConfig):
    name = "raters"

    def ready(self) -> None:
        from core import hooks

        hooks.chores.append(expire_idle)


def expire_idle(now: datetime) -> None:
    """Give back the places of raters who left."""
    from raters.services import batches

    batches.expire_idle(now=now)
