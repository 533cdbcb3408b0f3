from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.apps import AppConfig


class StudiesConfig(AppConfig):
    name = "studies"

    def ready(self) -> None:
        from core import hooks as core_hooks
        from studies import hooks
        from studies.clips import queries as clips_queries
        from studies.launch import (
            screening_checks,
        )
        from studies.spot_checks import before_launch

        hooks.launch_checks.register(screening_checks.findings)
        hooks.launch_checks.register(before_launch.findings)
        core_hooks.declared_words.append(setting_words)
        core_hooks.stored_files.append(clips_queries.files)
        core_hooks.stored_kinds.update(clips_queries.KINDS)
        core_hooks.chores.append(discard_old_uploads)


def setting_words() -> Iterator[str]:
    """Yield the words of settings, which are declared and not marked."""
    from studies.pages import settings_forms

    return settings_forms.words()


def discard_old_uploads(now: datetime) -> None:
    """Give up uploads of clips that nobody brought to an end."""
    from studies.imports import uploads

    uploads.discard_old(now=now)
