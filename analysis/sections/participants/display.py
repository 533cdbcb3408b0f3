"""Participants, on the page of an analysis and in its report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from analysis.sections.blocks import FlowBar
from analysis.sections.participants import Step, description
from analysis.sections.parts import Part
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Table, titled
from core.text.numbers import tenths, whole

if TYPE_CHECKING:
    from studies.definition.definition import Definition

BATCHES: dict[str, Promise] = {
    "valid": gettext_lazy("valid"),
    "invalid": gettext_lazy("invalid"),
    "waiting": pgettext_lazy("batches", "waiting"),
    "open": pgettext_lazy("batches", "open"),
    "expired": gettext_lazy("expired"),
    "closed": pgettext_lazy("batches", "closed"),
}


def lead(results: Results) -> list[str]:
    """Return the summary above the section."""
    section = results.participants
    if isinstance(section, Refusal):
        return []
    words = ngettext("{n} rater contributed usable ratings.", "{n} raters contributed usable ratings.", section.raters)
    return [words.format(n=whole(section.raters))]


def bars(results: Results) -> list[FlowBar]:
    """Return the flow of participants as bars, for the page."""
    section = results.participants
    steps = () if isinstance(section, Refusal) else section.steps
    most = max((step.count for step in steps), default=0)
    return [FlowBar(step.label, step.count, most, step.is_exit) for step in steps]


def part(results: Results, definition: Definition | None = None) -> Part:
    """Return the section on participants; without a definition, it lacks the filters of recruitment."""
    participants = results.participants
    if isinstance(participants, Refusal):
        return Part("participants", _("Participants"), refused=participants.refused)
    steps = tuple(_step(step) for step in participants.steps)
    batches = tuple((str(BATCHES.get(name, name)), number) for name, number in participants.batches.items())
    sentences = []
    if participants.minutes_median is not None:
        words = _("A session took {minutes} minutes (median of {n}).")
        sentences.append(
            words.format(minutes=tenths(participants.minutes_median), n=whole(participants.minutes_sessions))
        )
    # Simulated raters were recruited nowhere.
    recruitment = definition.recruitment if definition and results.study.simulated != "only" else None
    adds_up = (_("Numbers are sessions. Each one is the number above it plus or minus the changes in between."),)
    heads = (_("Sessions that"), _("Number"), _("Change"))
    tables = (
        Table("flow", _("Flow of participants"), titled(*heads), steps, adds_up),
        *description.check_tables(participants),
        Table("batches", _("Batches"), titled(_("State"), _("Number")), batches),
        *description.recruitment_tables(recruitment, description.about_of(participants)),
    )
    return Part("participants", _("Participants"), tuple(sentences), tables, ("flow",))


def _step(step: Step) -> tuple[Cell, ...]:
    if step.is_exit:
        return step.label, None, -step.count
    return (step.label, None, step.count) if step.is_entry else (step.label, step.count, None)
