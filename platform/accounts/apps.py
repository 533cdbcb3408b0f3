from __future__ import annotations

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts.roles import ensure_researchers

        # auth comes after every app of ours in INSTALLED_APPS, so that their permissions exist by its turn.
        post_migrate.connect(
            ensure_researchers, sender=apps.get_app_config("auth"), dispatch_uid="accounts.ensure_researchers"
        )
