"""`quick_result [--stopped] [--json] --out DIR`: close a quick test, print its result and write its files."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.errors import DomainError
from quick import answers, request, results
from studies.definition.queries import get
from studies.launch import states


class Command(BaseCommand):
    help = "Close a quick test, print its result and write its files; started by `earshot quick`."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write into")
        parser.add_argument("--stopped", action="store_true", help="the test was stopped by hand")
        parser.add_argument("--json", action="store_true", help="print the result as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            kept = request.load()
            study = get(kept.slug)
            if study.state == study.State.LIVE:
                states.close(study=study)
            collected = answers.collect(kept, is_stopped=options["stopped"])
            result = results.compare(kept, collected, is_stopped=options["stopped"])
            results.write(result, options["out"])
        except DomainError as error:
            raise CommandError(error.message) from None
        except OSError as error:
            raise CommandError(f"Can't write to {options['out']}: {error.strerror}.") from None
        if options["json"]:
            self.stdout.write(json.dumps(results.as_json(result), ensure_ascii=False))
            return
        for line in result.lines:
            self.stdout.write(line)
        for each in result.verdicts:
            if each.against:
                texts = ", ".join(each.against)
                self.stdout.write(f"Texts with the opposite result for {each.first} and {each.second}: {texts}")
        self.stdout.write(f"Report: {options['out'] / 'report.html'} (the tables are next to it)")
