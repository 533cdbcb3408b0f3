"""Take another key for the platforms' ids of people."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core import sealing
from raters.services import identities


class Command(BaseCommand):
    help = "Encrypt all ids of people under the first of EARSHOT_IDENTITY_KEYS; the others can be dropped afterwards."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.stdout.write(f"{identities.reseal()} ids are encrypted under the newest key.")
        except sealing.Unreadable as error:
            raise CommandError(error.message) from error
