"""Make the first administrator."""

from __future__ import annotations

import sys
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from core.operations import keys
from core.paths import PROGRAM


class Command(BaseCommand):
    help = (
        "Make the user admin, unless there is an administrator already. A password on standard input is set when "
        "nobody could log in otherwise."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        keys.require()
        users: Any = get_user_model()._default_manager
        admins = list(users.filter(is_superuser=True, is_active=True).order_by("pk"))
        password = "" if sys.stdin.isatty() else sys.stdin.readline().strip()
        if not admins:
            if users.filter(username="admin").exists():
                raise CommandError(
                    "The user admin exists, but is no administrator. "
                    f"Create another with: {PROGRAM} manage createsuperuser"
                )
            # Without a password, nobody can log in as admin yet.
            admins = [users.create_superuser("admin", password=None)]
        if not password or any(user.has_usable_password() for user in admins):
            self.stdout.write("exists")
            return
        try:
            validate_password(password, admins[0])
        except ValidationError as error:
            raise CommandError(f"Give another password on standard input. {' '.join(error.messages)}") from error
        admins[0].set_password(password)
        admins[0].save(update_fields=["password"])
        self.stdout.write("password set")
