"""Who took part, in the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from analysis.sections.participants import recruited, screened
from analysis.sections.participants.result import Step
from analysis.sections.parts import Part
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table

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


def part(results: Results, definition: Definition | None = None) -> Part:
    """Return the way of people through the study."""
    participants = results.participants
    if isinstance(participants, Refusal):
        return Part("participants", _("Participants"), refused=participants.refused)
    steps = tuple(_step(step) for step in participants.steps)
    batches = tuple((str(BATCHES.get(name, name)), number) for name, number in participants.batches.items())
    sentences = []
    if participants.minutes_median is not None:
        words = _("A session took {minutes} minutes (median of {n}).")
        sentences.append(words.format(minutes=f"{participants.minutes_median:.1f}", n=participants.minutes_sessions))
    adds_up = (_("Counted in sessions. Each number is the one above it with the changes between them."),)
    heads = (_("Sessions that"), _("Number"), _("Change"))
    tables = (
        Table("flow", _("Flow of participants"), tuple(map(Column, heads)), steps, adds_up),
        *screened.tables(participants),
        Table("batches", _("Batches"), (Column(_("State")), Column(_("Number"))), batches),
        *recruited.tables(definition.recruitment if definition else None, recruited.about_of(participants)),
    )
    return Part("participants", _("Participants"), tuple(sentences), tables, ("flow",))


def _step(step: Step) -> tuple[Cell, ...]:
    if step.is_exit:
        return step.label, None, -step.count
    return (step.label, None, step.count) if step.is_entry else (step.label, step.count, None)
