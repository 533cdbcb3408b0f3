"""Take another key for the platforms' ids of people."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core import sealing
from raters.privacy import identities


class Command(BaseCommand):
    help = "Encrypt all ids of people under the first of EARSHOT_IDENTITY_KEYS, and say whether others can be dropped."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.stdout.write(f"{identities.reseal()} ids are encrypted under the newest key.")
        except sealing.Unreadable as error:
            raise CommandError(error.message) from error
        if number := identities.tombstones():
            self.stderr.write(
                f"Keep the other keys behind it: {number} erased names are known by them alone, and without them "
                "whoever was erased would come back by the same link."
            )
        else:
            self.stdout.write("The other keys can be dropped.")
