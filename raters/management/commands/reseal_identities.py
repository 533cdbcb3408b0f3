"""Encrypt the platforms' ids of raters with a new key."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core import sealing
from raters.privacy import identities


class Command(BaseCommand):
    help = "Encrypt all ids with the first key of EARSHOT_IDENTITY_KEYS, and say whether older keys can be removed."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.stdout.write(f"{identities.reseal()} ids are encrypted with the newest key.")
        except sealing.Unreadable as error:
            raise CommandError(error.message) from error
        if number := identities.tombstones():
            self.stderr.write(
                f"Keep the older keys after it: {number} erased names can only be recognised with them. Without them, "
                "erased people could return by the same link."
            )
        else:
            self.stdout.write("The older keys can be removed.")
