"""`backup FILE`: write all rows and stored files into one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from core import clock
from core.operations import backups


class Command(BaseCommand):
    help = (
        "Write every row and every stored file into FILE, while raters continue. It holds personal data: keep it safe."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a new file, such as earshot-2027-03-01.tar")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        unfinished = path.with_name(f"{path.name}.unfinished")
        if path.exists():
            raise CommandError(f"{path} is there already; name a new file.")
        unfinished.unlink(missing_ok=True)
        try:
            backups.write(unfinished, version=settings.VERSION, now=clock.now(), say=self.stdout.write)
            # Only a complete backup gets the requested name.
            unfinished.rename(path)
        except OSError as error:
            unfinished.unlink(missing_ok=True)
            raise CommandError(f"{path} can't be written: {error}") from error
        self.stdout.write(f"Written: {path}. Test it from time to time: restore it elsewhere.")
