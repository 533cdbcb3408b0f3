"""Say how many raters a study needs, before it begins or while it runs."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.data.hiding import scores_are_hidden
from analysis.planning import plans, view
from analysis.planning.forms import power_initial, width_initial
from analysis.planning.models import PowerPlan
from core import clock, jobs
from core.errors import DomainError
from studies.definition import queries as definition_queries


class Command(BaseCommand):
    help = "Plan a study: raters for a difference at a power, or ratings for a width; docs/planning.md has the inputs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="short name of the study")
        parser.add_argument("kind", choices=sorted(plans.KINDS), help="power: before; width: during a study")
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
            usual = power_initial(study, definition) if kind == "power" else width_initial(definition)
            raw = usual | dict(pair(text) for text in options["set"])
            plan = plans.request_plan(study_id=study.pk, kind=kind, raw=raw, user=None, now=clock.now())
            plans.run_plan(pk=plan.pk, clock=clock.now)
        except DomainError as error:
            raise CommandError(" ".join([error.message, *getattr(error, "problems", {}).values()])) from error
        plan.refresh_from_db()
        if plan.state != jobs.DONE:
            raise CommandError(plan.error)
        is_hidden = scores_are_hidden(study, None)
        self.stdout.write(
            as_json(plan, is_hidden=is_hidden) if options["json"] else in_words(plan, is_hidden=is_hidden)
        )


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


def in_words(plan: PowerPlan, *, is_hidden: bool) -> str:
    """Return the main results of a plan, one line each."""
    if plan.inputs["kind"] == "width":
        result = view.width(plan, is_hidden=is_hidden)
        lines = [f"Widest 95 % interval now: {result.widest or 'none yet'}; wanted: {result.inputs.width}."]
        lines += (
            ["Reached."]
            if result.reached
            else [f"Usable ratings still needed: {result.left or 'not by raters alone'}."]
        )
        lines += [f"At {result.pace} usable answers a day: {result.date or 'no day in sight'}."]
        return "\n".join(lines)
    shown = view.power(plan)
    of_all = shown.of_all
    lines = [
        f"{row.raters:>8} raters: {row.power:>5} {row.error}"
        + (f"  all {of_all.pairs} pairs: {row.power_all:>5}" if of_all else "")
        for row in shown.rows
    ]
    if shown.needed is None or shown.takes is None:
        return "\n".join([*lines, f"No number of raters is enough: with these clips the power stays at {shown.best}."])
    takes = shown.takes
    needs = f"Needed for {shown.wanted}: {shown.needed} raters, {takes['ratings']} usable ratings"
    lines += [f"{needs}; {takes['invited']} people to invite, {takes['answers']} answers with traps and losses."]
    return "\n".join([*lines, *(_of_all(shown.needed, of_all) if of_all else [])])


def _of_all(raters: str, shown: view.AllPairs) -> list[str]:
    note = f" ({raters} raters give {shown.at_needed})" if shown.at_needed else ""
    if shown.needed is None:
        stays = f"with these clips the power stays at {shown.best}"
        return [f"For all {shown.pairs} pairs at once no number of raters is enough: {stays}{note}."]
    return [
        f"For all {shown.pairs} pairs at once: {shown.needed} raters, {shown.ratings} usable ratings; "
        f"{shown.invited} people to invite{note}."
    ]
