"""The effort of a study with these settings, also without clips."""

from __future__ import annotations

from dataclasses import dataclass, replace

from studies.launch import checks
from studies.launch.effort import Effort, effort
from studies.launch.plan import LaunchPlan
from studies.rules.validity import guesser_rate

# Test clips assumed while there are none, or as many as one rater is offered.
ASSUMED = 100


@dataclass(frozen=True, slots=True)
class Outlook:
    """The plan of a launch and its effort.

    `assumed` is the number of assumed test clips, 0 if the study has clips. `guesser` is the share of batches passed by
    guessing, None without traps. `problems` lists what prevents a batch.
    """

    plan: LaunchPlan
    effort: Effort
    assumed: int
    guesser: float | None
    problems: list[str]


def outlook(plan: LaunchPlan) -> Outlook:
    """Return the effort of a launch of this plan."""
    has_clips = bool(plan.numbers.items or plan.numbers.problems)
    shown = plan if plan.tests else assumed_plan(plan)
    protocol, kind = plan.definition.protocol, plan.definition.kind
    return Outlook(
        plan=shown,
        effort=effort(shown),
        assumed=0 if plan.tests else shown.tests,
        guesser=guesser_rate(protocol, kind.guessed) if kind.traps else None,
        problems=checks.layout_findings(plan) if has_clips else [],
    )


def assumed_plan(plan: LaunchPlan) -> LaunchPlan:
    """Return the plan with `ASSUMED` test clips, each with its own text, and enough traps for all batches."""
    protocol = plan.definition.protocol
    batches = protocol.batches_per_session
    number = max(ASSUMED, batches * protocol.tests_per_batch)
    traps = {"trap_flawed": batches * protocol.flawed_traps, "trap_human": batches * protocol.human_traps}
    assumed = replace(
        plan.numbers,
        items={"test": number, **traps},
        clips=number,
        has_screens=False,
        texts=number,
        textless=0,
        rated={},
    )
    return replace(plan, numbers=assumed)
