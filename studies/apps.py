from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.apps import AppConfig


class StudiesConfig(AppConfig):
    name = "studies"

    def ready(self) -> None:
        from core import hooks as core_hooks
        from studies import checks, hooks  # noqa: F401  (registers the system checks)
        from studies.selectors import screening_launch, spot_launch, stored

        hooks.launch_checks.register(screening_launch.findings)
        hooks.launch_checks.register(spot_launch.findings)
        core_hooks.declared_words.append(setting_words)
        core_hooks.stored_files.append(stored.files)
        core_hooks.stored_kinds.update(stored.KINDS)
        core_hooks.chores.append(discard_old_uploads)


def setting_words() -> Iterator[str]:
    """Yield the words of settings, which are declared and not marked."""
    from studies.forms import spoken

    return spoken.words()


def discard_old_uploads(now: datetime) -> None:
    """Give up uploads of clips that nobody brought to an end."""
    from studies.services import uploads

    uploads.discard_old(now=now)
