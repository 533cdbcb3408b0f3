"""`restore FILE`: fill an empty server from a backup."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core import hooks
from core.errors import Invalid
from core.operations import backups, keys


class Command(BaseCommand):
    help = "Fill an empty database and an empty store from a backup of this release, completely or not at all."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--erasures",
            type=Path,
            action="append",
            default=[],
            metavar="OTHER",
            help="a newer backup, complete or not: people whose data it lists as erased are erased again",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            backups.read(options["file"], say=self.stdout.write)
            for other in options["erasures"]:
                self.stdout.write(f"{backups.take_list(other)} erasures that only {other} knows of")
        except Invalid as error:
            raise CommandError(error.message) from error
        except (OSError, tarfile.TarError) as error:
            raise CommandError(f"{options['file']} can't be read as a backup: {error}") from error
        # Everybody must log in again in any case; but people's ids can be read only with the key that encrypted them.
        keys.accept_secret()
        for sentence in keys.wrong():
            self.stderr.write(sentence)
        for step in hooks.after_restore:
            step(self.stdout.write)
        self.stdout.write("Restored. Everybody has to log in again.")
