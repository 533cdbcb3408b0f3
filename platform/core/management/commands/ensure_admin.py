"""Make the first administrator."""

from __future__ import annotations

import sys
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    help = "Make the user admin with the password read from standard input, unless there is an administrator already."

    def handle(self, *args: Any, **options: Any) -> None:
        users: Any = get_user_model()._default_manager
        if users.filter(is_superuser=True, is_active=True).exists():
            self.stdout.write("exists")
            return
        if users.filter(username="admin").exists():
            raise CommandError(
                "The user admin is there but may not administer. Make another with: ./run manage createsuperuser"
            )
        password = sys.stdin.readline().strip()
        if len(password) < 12:
            raise CommandError("Give a password of at least 12 characters on standard input.")
        users.create_superuser("admin", password=password)
        self.stdout.write("created")
