from __future__ import annotations

from datetime import datetime
from importlib import import_module

from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "core"

    def ready(self) -> None:
        from core import hooks

        # Registers the system checks.
        import_module("core.checks")
        hooks.chores.append(forget_expired_counts)


def forget_expired_counts(now: datetime) -> None:
    """Delete counts of limits that are over."""
    from core import limits

    limits.forget_expired(now)
