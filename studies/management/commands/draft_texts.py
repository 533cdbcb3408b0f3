"""Draft texts for dimensions of a study with the language model of the settings."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from studies.corpus import queries as corpus_queries
from studies.drafting import command_line
from studies.drafting.models import DraftRun
from studies.drafting.rules.plans import USUAL_CALLS, USUAL_TOKENS
from studies.drafting.rules.text_checks import SIMILARITY, usual_length


class Command(BaseCommand):
    help = "Draft texts, which wait for people's review. The exit status is 1 if fewer were drafted than asked for."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="short name of the study")
        parser.add_argument(
            "--dimension",
            action="append",
            required=True,
            help="what the texts are to test, such as polyphones; may be repeated",
        )
        parser.add_argument("--number", type=int, required=True, help="how many texts for each dimension")
        parser.add_argument("--language", default="", help="language tag, such as zh-hans (the study's)")
        parser.add_argument("--box", default="", choices=("", "white", "black"), help="white or black (neither)")
        parser.add_argument("--topic", default="", help="what the texts are about")
        parser.add_argument("--shortest", type=int, help="characters (40 in Chinese, 120 in English)")
        parser.add_argument("--longest", type=int, help="characters (120 in Chinese, 400 in English)")
        parser.add_argument("--similarity", type=float, default=SIMILARITY, help=f"of near duplicates ({SIMILARITY})")
        parser.add_argument("--budget", type=int, default=USUAL_TOKENS, help=f"tokens ({USUAL_TOKENS})")
        parser.add_argument("--calls", type=int, default=USUAL_CALLS, help=f"requests ({USUAL_CALLS})")

    def handle(self, *args: Any, **options: Any) -> None:
        study = command_line.study_of(options["slug"])
        language = options["language"] or study.definition.texts.language
        shortest, longest = usual_length(language)
        dimension, *others = options["dimension"]
        known = [each.name for each in corpus_queries.dimensions(study)]
        if unknown := [name for name in options["dimension"] if name not in known]:
            self.stderr.write(
                f"Not among the study's dimensions: {', '.join(unknown)}. Those are {', '.join(known)}. "
                "The texts get the dimension that you named."
            )
        command_line.draft(
            study=study,
            kind=DraftRun.Kind.TEXTS,
            plan={
                "dimension": dimension,
                "others": others,
                "language": language,
                "box": options["box"],
                "topics": options["topic"],
                "number": options["number"],
                "shortest": options["shortest"] or shortest,
                "longest": options["longest"] or longest,
                "similarity": options["similarity"],
            },
            write=self.stdout.write,
            budget_tokens=options["budget"],
            budget_calls=options["calls"],
        )
