from __future__ import annotations

from datetime import datetime

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


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


def discard_old_uploads(now: datetime) -> None:
    """Delete the parts of uploads that were given up."""
    from accounts.services import uploads

    uploads.discard_old(now)
