"""Say how many raters a study needs, before it begins or while it runs."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.data.hiding import scores_are_hidden
from analysis.planning import kappa, plans, view, wording
from analysis.planning.forms import power_initial, width_initial
from analysis.planning.inputs import KappaInputs
from analysis.planning.models import PowerPlan
from analysis.planning.wording import Part
from core import clock, jobs
from core.errors import DomainError
from core.text.numbers import decimals, percent, points, tenths, whole
from studies.definition import queries as definition_queries
from studies.definition.definition import Definition

# Computed at once, and not stored.
KAPPA = "kappa"


class Command(BaseCommand):
    help = "Plan raters for a difference, ratings for a width, or texts for experts' kappa; see docs/planning.md."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="short name of the study")
        parser.add_argument(
            "kind",
            choices=sorted([*plans.KINDS, KAPPA]),
            help="power: before; width: during a study; kappa: of experts",
        )
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="an input of the plan, such as difference=0.1",
        )
        parser.add_argument("--json", action="store_true", help="print inputs and results as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            study = definition_queries.study(options["slug"])
            definition = definition_queries.definition(study)
            kind = options["kind"]
            raw = dict(pair(text) for text in options["set"])
            if kind == KAPPA:
                self.stdout.write(experts_needed(raw, definition, as_json=options["json"]))
                return
            usual = power_initial(study, definition) if kind == "power" else width_initial(definition)
            plan = plans.request_plan(study_id=study.pk, kind=kind, raw=usual | raw, user=None, now=clock.now())
            plans.run_plan(pk=plan.pk, clock=clock.now)
        except DomainError as error:
            raise CommandError(" ".join([error.message, *getattr(error, "problems", {}).values()])) from error
        plan.refresh_from_db()
        if plan.state != jobs.DONE:
            raise CommandError(plan.error)
        is_hidden = scores_are_hidden(study, None)
        self.stdout.write(as_json(plan, is_hidden=is_hidden) if options["json"] else in_words(plan, definition))


def experts_needed(raw: dict[str, str], definition: Definition, *, as_json: bool) -> str:
    """Return how many texts two experts decide on for their kappa."""
    inputs = plans.validated(KappaInputs, raw)
    result = kappa.needs(inputs, definition)
    if as_json:
        return json.dumps({"inputs": inputs.model_dump(), "results": result._asdict()}, indent=2)
    in_all = f", {whole(result.texts)} in all with a double share of {result.double_share:g}" if result.texts else ""
    return f"Texts that two experts decide on: {whole(result.pairs)}{in_all}."


def pair(text: str) -> tuple[str, str]:
    """Split NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals:
        raise CommandError(f"--set wants NAME=VALUE, not {text!r}.")
    return name, value


def as_json(plan: PowerPlan, *, is_hidden: bool) -> str:
    """Return inputs and results as JSON; while scores are hidden, without results of single systems."""
    results = {name: value for name, value in plan.results.items() if not (is_hidden and name == "systems")}
    return json.dumps({"inputs": plan.inputs, "results": results}, ensure_ascii=False, indent=2)


def in_words(plan: PowerPlan, definition: Definition) -> str:
    """Return the main results of a plan."""
    return width_in_words(plan) if plan.inputs["kind"] == "width" else power_in_words(plan, definition)


def width_in_words(plan: PowerPlan) -> str:
    inputs, results = view.width_results(plan)
    widest = "none yet" if results.widest is None else decimals(results.widest)
    left = "not by raters alone" if results.left is None else whole(results.left)
    return "\n".join(
        [
            f"Widest 95 % interval now: {widest}; wanted: {inputs.width}.",
            "Reached." if results.reached else f"Usable ratings still needed: {left}.",
            f"At {tenths(results.pace)} usable answers a day: {results.date or 'no day in sight'}.",
        ]
    )


def power_in_words(plan: PowerPlan, definition: Definition) -> str:
    """Return the power of each number of raters, and the answers of the plan's page."""
    inputs, results = view.power_results(plan)
    lines = [
        f"{whole(point.raters):>8} raters: {percent(point.power):>5}"
        + (f" ± {points(view.SPREAD * point.error)}" if results.is_simulated else " ")
        + (f"  all {results.pairs} pairs: {percent(point.power_all):>5}" if results.pairs > 1 else "")
        for point in results.points
    ]
    return "\n".join([*lines, *map(part_in_words, wording.parts(inputs, results, definition))])


def part_in_words(part: Part) -> str:
    """Return the heading of an answer, and its sentences and table below it."""
    lines = [*part.paragraphs, *(f"- {text}" for text in part.items)]
    columns = list(zip(part.headers, *part.rows, strict=True)) if part.rows else []
    widths = [max(map(len, column)) for column in columns]
    for row in (part.headers, *part.rows) if part.rows else ():
        lines.append("  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)))
    return "\n".join(["", part.title, *(f"  {line}" for line in lines)])
