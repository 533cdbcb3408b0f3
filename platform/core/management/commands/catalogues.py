"""./run manage catalogues: bring the files in locale/ up to date with the sentences of the code and the templates."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import to_locale


class Command(BaseCommand):
    """Write new sentences into each .po, drop those that are gone, write the .mo; list what is not translated."""

    help = "Update the translations in locale/: the .po files, and the .mo files that Django reads."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--add", metavar="LANGUAGE", help="Add a language, such as de.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            from core.text import catalogues
        except ModuleNotFoundError as error:
            raise CommandError("Run ./check once: it installs Babel, which writes these files.") from error
        folder = settings.LOCALE_PATHS[0]
        if options["add"]:
            new = folder / to_locale(options["add"]) / "LC_MESSAGES" / "django.po"
            if new.exists():
                raise CommandError(f"There is a catalogue already: {new}")
            new.parent.mkdir(parents=True)
            new.touch()
        places = catalogues.sentences()
        for path in sorted(folder.glob("*/LC_MESSAGES/django.po")):
            locale = path.parent.parent.name
            translations = catalogues.read(path.read_text(encoding="utf-8"))
            catalogues.write(catalogues.catalogue(locale, places, translations), path)
            self.stdout.write(f"{locale}: {len(translations.keys() & places.keys())} of {len(places)} sentences")
            for problem in list(catalogues.problems(translations, places))[:50]:
                self.stdout.write(f"  {problem}")
