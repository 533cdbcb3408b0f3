"""`move_store SLUG --to STORE`, or `move_store --all --to STORE`: move files to another store, verified by hash."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core import clock, hooks
from core.errors import DomainError
from core.files import moving, stores
from core.hooks import StoredFile
from studies.definition.queries import get

UNNAMED = "a file that no row names"
# Younger files may be incomplete, or their row may not be stored yet.
IN_THE_MAKING = timedelta(hours=1)


class Command(BaseCommand):
    help = (
        "Move a study's files, or all, to the store folder, s3 or former, while raters continue. Each copy is compared "
        "by its hash before the other one is deleted. If it is interrupted, run it again. To move back, name the other "
        "store. With --all, files of the last hour that nothing in the database names yet stay for the next time."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", nargs="?", help="the study whose files move")
        parser.add_argument("--all", action="store_true", help="move everything instead of one study")
        parser.add_argument("--to", required=True, metavar="STORE", help="folder, s3 or former")
        parser.add_argument("--keep", action="store_true", help="copy and compare, and delete nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        if bool(options["slug"]) == options["all"]:
            raise CommandError("Name one study, or use --all.")
        try:
            files = everything() if options["all"] else hooks.named_files(get(options["slug"]).pk)
            report = moving.move(
                files=files, to=options["to"], keep=options["keep"], clock=clock.now, say=self._progress
            )
        except DomainError as error:
            raise CommandError(error.message) from error
        self._progress(report)
        for trouble in report.troubles:
            self.stderr.write(trouble)
        if report.troubles:
            raise CommandError(f"{len(report.troubles)} files were not moved; all others are in the new store.")

    def _progress(self, report: moving.Report) -> None:
        self.stdout.write(
            f"{report.copied} files copied ({report.bytes / 2**20:.1f} MB), {report.there} existed already, "
            f"{report.forgotten} deleted elsewhere"
        )


def everything() -> Iterator[StoredFile]:
    """Yield the files that rows name, then the other files of the stores that are not new."""
    before = clock.now() - IN_THE_MAKING
    yield from hooks.named_files()
    for store in stores.members().values():
        # As a list: reading a folder while files are moved from it can skip or repeat some.
        yield from [StoredFile(file.name, UNNAMED) for file in list(stores.everything(store)) if file.at < before]
