"""`move_store SLUG --to STORE`, or `move_store --all --to STORE`: bring files to another store, proved by hash."""

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
# What is younger may be half written, and a row on its way.
IN_THE_MAKING = timedelta(hours=1)


class Command(BaseCommand):
    help = (
        "Move a study's files, or all, to the store folder, s3 or former, while raters go on. Each copy is compared by "
        "its hash before the other one is deleted; interrupted, run it again; the other way round, it moves back. "
        "With --all, files of the last hour that nothing in the database names yet stay for the next time."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", nargs="?", help="the study whose files move")
        parser.add_argument("--all", action="store_true", help="move everything instead of one study")
        parser.add_argument("--to", required=True, metavar="STORE", help="folder, s3 or former")
        parser.add_argument("--keep", action="store_true", help="copy and compare, and delete nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        if bool(options["slug"]) == options["all"]:
            raise CommandError("Name one study, or say --all.")
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
            raise CommandError(f"{len(report.troubles)} files were left as they are; everything else is in its place.")

    def _progress(self, report: moving.Report) -> None:
        self.stdout.write(
            f"{report.copied} files copied ({report.bytes / 2**20:.1f} MB), {report.there} were there, "
            f"{report.forgotten} deleted elsewhere"
        )


def everything() -> Iterator[StoredFile]:
    """Yield what rows name, then whatever else lies in the stores, but for what may be in the making."""
    before = clock.now() - IN_THE_MAKING
    yield from hooks.named_files()
    for store in stores.members().values():
        # As a list: a folder that is read while files go from it shows some of them twice and some never.
        yield from [StoredFile(file.name, UNNAMED) for file in list(stores.everything(store)) if file.at < before]
