from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate

if TYPE_CHECKING:
    from core.hooks import Kept


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts.roles import ensure_researchers
        from core import hooks

        # auth comes after every app of ours in INSTALLED_APPS, so that their permissions exist by its turn.
        post_migrate.connect(
            ensure_researchers, sender=apps.get_app_config("auth"), dispatch_uid="accounts.ensure_researchers"
        )
        hooks.chores.append(discard_old_uploads)
        hooks.stored_files.append(stored_files)
        hooks.stored_kinds.add("uploads")


def stored_files(study: int | None) -> Iterator[Kept]:
    """Yield the stored parts of uploads; they are nobody's study yet."""
    from accounts.selectors import uploads

    return uploads.stored() if study is None else iter(())


def discard_old_uploads(now: datetime) -> None:
    """Delete the parts of uploads that were given up."""
    from accounts.services import uploads

    uploads.discard_old(now)
