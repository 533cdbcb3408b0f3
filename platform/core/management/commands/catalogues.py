"""./run manage catalogues: bring the files in locale/ up to what the code and the templates say."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import to_locale

from core.text.catalogues import marked, po

HEAD = "Project-Id-Version: Earshot\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n"


class Command(BaseCommand):
    """Write new sentences into each .po, drop those that are gone, and compile the .mo; say what is not translated."""

    help = "Update the catalogues of languages in locale/, and compile them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--add", metavar="LANGUAGE", help="Begin a catalogue of one more language, such as de.")

    def handle(self, *args: Any, **options: Any) -> None:
        folder = settings.LOCALE_PATHS[0]
        if options["add"]:
            begun = folder / to_locale(options["add"]) / "LC_MESSAGES" / "django.po"
            if begun.exists():
                raise CommandError(f"There is a catalogue already: {begun}")
            begun.parent.mkdir(parents=True)
            empty = po.Catalogue(f"{HEAD}Language: {to_locale(options['add'])}\n", {})
            begun.write_text(po.write(empty, {}), encoding="utf-8")
        found = marked.sentences()
        for path in sorted(folder.glob("*/LC_MESSAGES/django.po")):
            catalogue = po.read(path.read_text(encoding="utf-8"))
            path.write_text(po.write(catalogue, found), encoding="utf-8")
            current = po.Catalogue(
                catalogue.head, {each: catalogue.said[each] for each in found if each in catalogue.said}
            )
            path.with_suffix(".mo").write_bytes(po.compiled(current))
            problems = list(po.problems(current, found))
            self.stdout.write(f"{path.parent.parent.name}: {len(current.said)} of {len(found)} sentences")
            for problem in problems[:50]:
                self.stdout.write(f"  {problem}")
