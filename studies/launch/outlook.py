"""What a study with these settings would ask of raters, also while it has no clips."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from studies.definition.definition import Definition
from studies.definition.models import Study
from studies.launch import checks
from studies.launch.checks import LaunchPlan
from studies.launch.effort import Effort, effort
from studies.rules.validity import guesser_rate
from studies.task_types.base import ItemLayout, ItemPlan

# Test clips that are assumed while there are none, or as many as one rater is offered.
ASSUMED = 100


@dataclass(frozen=True, slots=True)
class Outlook:
    """The plan of a launch and its effort.

    `assumed` is the number of test clips that were assumed, 0 where the study's own were planned. `guesser` is the
    share of batches that somebody passes who only guesses, None without traps. `problems` is what prevents a batch.
    """

    plan: LaunchPlan
    effort: Effort
    assumed: int
    guesser: float | None
    problems: list[str]


def outlook(study: Study, definition: Definition) -> Outlook:
    """Return what a launch with these settings asks of raters."""
    plan = checks.plan_of(study, definition)
    has_clips = bool(plan.layout.items or plan.layout.problems)
    shown = plan if plan.tests else assumed_plan(plan)
    protocol, kind = definition.protocol, definition.kind
    has_traps = kind.traps and bool(protocol.flawed_traps or protocol.human_traps)
    return Outlook(
        plan=shown,
        effort=effort(shown),
        assumed=0 if plan.tests else len(shown.tests),
        guesser=guesser_rate(protocol, kind.options) if has_traps else None,
        problems=checks.layout_findings(plan) if has_clips else [],
    )


def assumed_plan(plan: LaunchPlan) -> LaunchPlan:
    """Return the plan with `ASSUMED` test clips, each of a text of its own, and enough traps for all batches."""
    protocol = plan.definition.protocol
    batches = protocol.batches_per_session
    number = max(ASSUMED, batches * protocol.tests_per_batch)
    tests = tuple(ItemPlan((clip,), "", "test", f"text {clip}") for clip in range(number))
    traps = {"trap_flawed": batches * protocol.flawed_traps, "trap_human": batches * protocol.human_traps}
    items = tuple(ItemPlan((0,), "", role) for role, count in traps.items() for _number in range(count))
    return replace(plan, layout=ItemLayout((*tests, *items)), tests=tests, rated=Counter())
