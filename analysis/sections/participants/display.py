"""Participants, on the page of an analysis and in its report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from analysis.sections.blocks import Block, FlowBar, TextTable
from analysis.sections.participants import CheckCount, Step, description
from analysis.sections.parts import Part
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table
from core.text.numbers import tenths, whole
from raters.sessions import screening, slow_line

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


def block(results: Results) -> Block:
    """Return the block of the flow of participants, with bars."""
    section, title = results.participants, _("Participants")
    if isinstance(section, Refusal):
        return Block("participants", title, section.refused)
    most = max((step.count for step in section.steps), default=0)
    steps = [FlowBar(_label(step), step.count, most, step.is_exit) for step in section.steps]
    lead = [_("Counted in sessions; the answers that count are of {n} raters.").format(n=whole(section.raters))]
    lines = []
    if section.minutes_median is not None:
        lines.append(_("Median {n} minutes for those who came to the end.").format(n=tenths(section.minutes_median)))
    return Block("participants", title, lines=lines, steps=steps, tables=_checks(section.checks), lead=lead)


def _label(step: Step) -> str:
    """Return a step's label in the active language; for unknown steps of an earlier release, the stored one."""
    stage, _dot, rest = step.key.partition(".")
    end, _dot, check = rest.partition(".")
    if check:
        return _("screened out: {check}").format(check=_names().get(check, check))
    return {**_stages(), **_ends(), **_open(stage)}.get(end or stage, step.label)


def _stages() -> dict[str, str]:
    return {
        "arrived": _("arrived"),
        "consented": _("agreed to take part"),
        "started": _("began to rate"),
        "complete": _("came to the end"),
        "unrated": _("no answer about a test clip is there: none given, or erased"),
        "unusable": _("gave no answer that counts"),
        "partial": _("did not finish, but gave answers that count"),
        "analysed": _("gave answers that count"),
    }


def _ends() -> dict[str, str]:
    return {
        "declined": _("did not agree"),
        "bad_device": _("screened out: device"),
        "screened_out": _("screened out"),
        "failed_comprehension": _("screened out: instructions"),
        "failed_attention": _("failed attention"),
        "technical_failure": _("technical failure"),
        "returned": _("returned their place at the platform"),
        "timed_out": _("ran out of the platform’s time"),
        "no_place": _("found every place taken"),
    }


def _open(stage: str) -> dict[str, str]:
    """Return the labels of open and withdrawn sessions at a stage."""
    words = {
        "arrived": (_("neither agreed nor left, so far"), _("left before agreeing")),
        "consented": (_("neither began nor left, so far"), _("left before rating")),
        "started": (_("neither finished nor left, so far"), _("left on the way")),
    }
    return dict(zip(("open", "withdrawn"), words.get(stage, ()), strict=False))


def _names() -> dict[str, str]:
    return {**{check.name: str(check.label) for check in screening.all_checks()}, slow_line.NAME: _("Slow connection")}


def _checks(checks: Sequence[CheckCount]) -> list[TextTable]:
    names = _names()
    rows = [
        [
            names.get(row.name, row.label),
            _("between sets") if row.later else _("before the first clip"),
            *map(whole, (row.decided, row.passed, row.failed, row.left)),
        ]
        for row in checks
    ]
    head = [_("Check"), _("When"), _("Checked"), _("Passed"), _("Failed"), _("Left by it")]
    return [TextTable(_("Checks of raters"), head, rows)] if rows else []


def part(results: Results, definition: Definition | None = None) -> Part:
    """Return the report's section on participants."""
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
        *description.check_tables(participants),
        Table("batches", _("Batches"), (Column(_("State")), Column(_("Number"))), batches),
        *description.recruitment_tables(
            definition.recruitment if definition else None, description.about_of(participants)
        ),
    )
    return Part("participants", _("Participants"), tuple(sentences), tables, ("flow",))


def _step(step: Step) -> tuple[Cell, ...]:
    if step.is_exit:
        return step.label, None, -step.count
    return (step.label, None, step.count) if step.is_entry else (step.label, step.count, None)
