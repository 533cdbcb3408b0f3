from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.apps import AppConfig, apps
from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.db.models.signals import post_migrate

if TYPE_CHECKING:
    from django.http import HttpRequest

    from accounts.users.models import User
    from core.hooks import StoredFile


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts.users.roles import ensure_researchers
        from core import hooks

        # auth comes after all of our apps in INSTALLED_APPS, so that their permissions exist by then.
        post_migrate.connect(
            ensure_researchers, sender=apps.get_app_config("auth"), dispatch_uid="accounts.ensure_researchers"
        )
        user_login_failed.connect(note_wrong_password, dispatch_uid="accounts.note_wrong_password")
        user_logged_in.connect(tell_of_wrong_passwords, dispatch_uid="accounts.tell_of_wrong_passwords")
        hooks.chores.register(discard_old_uploads)
        hooks.stored_files.register(stored_files)
        hooks.stored_kinds.register("uploads")


def stored_files(study: int | None) -> Iterator[StoredFile]:
    """Yield the stored parts of uploads. They belong to no study yet."""
    from accounts.uploads import queries as uploads_queries

    return uploads_queries.stored() if study is None else iter(())


def discard_old_uploads(now: datetime) -> None:
    """Delete the parts of abandoned uploads."""
    from accounts.uploads import services as uploads_services

    uploads_services.discard_old(now)


def note_wrong_password(credentials: dict[str, Any], **kwargs: Any) -> None:
    """Count a wrong password for the account's owner."""
    from accounts.users import sign_ins
    from core import clock

    sign_ins.note_wrong_password(username=str(credentials.get("username", "")), now=clock.now())


def tell_of_wrong_passwords(request: HttpRequest, user: User, **kwargs: Any) -> None:
    """Warn account owners on their next page of wrong passwords tried with their name."""
    from django.contrib import messages
    from django.utils.formats import date_format
    from django.utils.translation import ngettext

    from accounts.users import sign_ins

    notice = sign_ins.take_notice(user=user)
    if notice is not None:
        text = ngettext(
            "Since your last sign-in, somebody entered your name with a wrong password {number} time, last on {when}. "
            "If it wasn’t you, change your password and tell an administrator.",
            "Since your last sign-in, somebody entered your name with a wrong password {number} times, last on {when}. "
            "If it wasn’t you, change your password and tell an administrator.",
            notice.number,
        )
        when = date_format(notice.last_at, "DATETIME_FORMAT")
        messages.warning(request, text.format(number=notice.number, when=f"{when} UTC"), fail_silently=True)
