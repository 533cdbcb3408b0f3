"""Draft questions about a study's passages, or golden questions, with the language model of the settings."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from studies.drafting import command_line, queries
from studies.drafting.models import DraftRun
from studies.drafting.rules.plans import USUAL_CALLS, USUAL_QUESTIONS, USUAL_TOKENS
from studies.drafting.rules.question_checks import TRIES


class Command(BaseCommand):
    help = (
        "Draft questions, which wait for people's decisions. The exit status is 1 if fewer were drafted than asked for."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="short name of the study")
        parser.add_argument("--passage", action="append", default=[], metavar="TEXT_ID", help="a passage (all of them)")
        parser.add_argument("--number", type=int, default=USUAL_QUESTIONS, help=f"for each passage ({USUAL_QUESTIONS})")
        parser.add_argument("--golden", type=int, default=0, metavar="N", help="draft N golden questions instead")
        parser.add_argument("--language", default="", help="of golden questions (the study's)")
        parser.add_argument("--tries", type=int, default=TRIES, help=f"to answer without the passage ({TRIES})")
        parser.add_argument("--people", type=int, default=1, choices=(1, 2), help="who decide on each question (1)")
        parser.add_argument("--budget", type=int, default=USUAL_TOKENS, help=f"tokens ({USUAL_TOKENS})")
        parser.add_argument("--calls", type=int, default=USUAL_CALLS, help=f"requests ({USUAL_CALLS})")

    def handle(self, *args: Any, **options: Any) -> None:
        study = command_line.study_of(options["slug"])
        plan: dict[str, Any] = {"tries": options["tries"]}
        if options["golden"]:
            kind = DraftRun.Kind.GOLDEN
            language = options["language"] or study.definition.texts.language
            plan |= {"number": options["golden"], "language": language}
        else:
            kind = DraftRun.Kind.QUESTIONS
            by_name = {passage.name: passage for passage in queries.passages(study)}
            if unknown := [name for name in options["passage"] if name not in by_name]:
                raise CommandError(f"No clip speaks the passage {', '.join(unknown)}.")
            chosen = [by_name[name] for name in options["passage"]] or [each for each in by_name.values() if each.body]
            plan |= {"passages": [passage.pk for passage in chosen], "number": options["number"]}
        command_line.draft(
            study=study,
            kind=kind,
            plan=plan,
            write=self.stdout.write,
            budget_tokens=options["budget"],
            budget_calls=options["calls"],
            people=options["people"],
        )
