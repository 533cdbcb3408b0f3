"""`accept_keys`: accept the current keys for this database, after they were changed on purpose or lost."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from core.operations import keys


class Command(BaseCommand):
    help = (
        "Use the current EARSHOT_SECRET_KEY and EARSHOT_IDENTITY_KEYS from now on. Open sessions end, and ids that "
        "were encrypted under a key that is no longer named can't be read any more."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        for sentence in keys.wrong():
            self.stdout.write(sentence)
        keys.accept()
        self.stdout.write("This database now accepts the current keys. Restart every process.")
