from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from importlib import import_module

from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "core"

    def ready(self) -> None:
        from core import hooks

        # Registers the system checks.
        import_module("core.operations.checks")
        hooks.chores.register(forget_expired_counts)
        hooks.chores.register(refresh_statistics)
        hooks.after_restore.register(analyse_restored)


def forget_expired_counts(now: datetime) -> None:
    """Delete expired counts of rate limits."""
    from core.web import limits

    limits.forget_expired(now)


def refresh_statistics(now: datetime) -> None:
    """Analyse tables that have grown much since PostgreSQL last looked at them."""
    from core.operations import statistics

    statistics.refresh()


def analyse_restored(say: Callable[[str], object]) -> None:
    """Analyse the tables that a restore has filled, and report how many."""
    from core.operations import statistics

    if tables := statistics.refresh():
        say(f"{len(tables)} tables analysed")
