"""The plan, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.data.groups import HUMAN
from analysis.sections.parts import Part, listed
from analysis.sections.plan import Change, Plan, PowerPlan, Reached
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table, titled
from core.text.numbers import percent, whole
from studies.launch import settings_forms

REACHED: dict[str, Promise] = {
    "clip": gettext_lazy("Usable ratings reached per clip"),
    "pair": gettext_lazy("Usable ratings reached per pair"),
    "screen": gettext_lazy("Usable ratings reached per screen"),
}


def part(results: Results) -> Part:
    """Return the section on planned numbers, margin and contrasts, and on changes since the launch."""
    plan, title = results.plan, _("Plan and changes")
    if isinstance(plan, Refusal):
        return Part("plan", title, refused=plan.refused)
    tables = [_numbers(plan), _reached(plan)] if plan.reached else []
    changes = [_changes(results.study.task_type, plan)] if plan.changes else []
    return Part("plan", title, tuple(_sentences(plan, results.study.scale.unit)), (*tables, *changes))


def _sentences(plan: Plan, unit: str) -> list[str]:
    launched = _("The plan is that of the launch on {date}.").format(date=plan.launched)
    return [launched, *power(plan.power, unit), *_margin(plan, unit), *_contrasts(plan), *_since(plan)]


def power(planned: PowerPlan | None, unit: str) -> list[str]:
    """Return a sentence on the number of raters planned before the launch."""
    if planned is None:
        return [_("No number of raters was planned here before the launch.")]
    words = (
        _("Planned on {date}: {n} raters find a difference of {difference} with a power of {power}.")
        if planned.raters is not None
        else _("Planned on {date}: no number of raters finds a difference of {difference} with a power of {power}.")
    )
    n = "" if planned.raters is None else whole(planned.raters)
    values = {"date": planned.date, "difference": _points(planned.difference, unit), "power": percent(planned.power)}
    return [words.format(n=n, **values)]


def _margin(plan: Plan, unit: str) -> list[str]:
    if plan.margin is None:
        return [_("No margin was fixed.")]
    sentences = [_("The margin fixed at the launch is {margin}.").format(margin=_points(plan.margin, unit))]
    if plan.margin_reason:
        return [*sentences, _("Reason for the margin: {reason}").format(reason=plan.margin_reason)]
    return [*sentences, _("No reason was given for the margin.")]


def _points(value: float, unit: str) -> str:
    return _("{n} percentage points").format(n=f"{value:g}") if unit == "%" else f"{value:g}"


def _contrasts(plan: Plan) -> list[str]:
    named = (
        _("The primary contrast named at the launch is {contrast}.").format(contrast=plan.primary)
        if plan.primary
        else _("No primary contrast was named.")
    )
    if not plan.looks:
        return [named, _("No interim analysis was planned.")]
    looks = _("Interim analyses were planned at {looks}, of these contrasts: {contrasts}.")
    return [named, looks.format(looks=listed(plan.looks), contrasts=listed(plan.contrasts))]


def _since(plan: Plan) -> list[str]:
    if not plan.changes and not plan.clips_added:
        return [_("Nothing was changed since the launch.")]
    added = _("Clips added since the launch: {n}.").format(n=whole(plan.clips_added))
    return [added] if plan.clips_added else []


def _numbers(plan: Plan) -> Table:
    everything = plan.reached[0]
    planned = plan.power.raters if plan.power else None
    rows: tuple[tuple[Cell, ...], ...] = (
        (_("Test items"), everything.items, everything.rated),
        (_("Usable answers"), everything.wanted, everything.ratings),
        (_("Raters"), planned, plan.raters),
    )
    notes = (_("A test item is what one trial asks about: a clip, a pair or a screen. Reached: at least one rating."),)
    return Table("planned", _("Planned and reached"), titled(_("Number"), _("Planned"), _("Reached")), rows, notes)


def _reached(plan: Plan) -> Table:
    rows = tuple((_name(row), row.items, plan.ratings_wanted, row.least, row.median, row.most) for row in plan.reached)
    heads = (_("System"), _("Test items"), _("Wanted each"), _("Least"))
    columns = (*titled(*heads), Column(_("Median"), 1), Column(_("Most")))
    return Table("reached", str(REACHED[plan.shows]), columns, rows, (_("Items without a usable rating count as 0."),))


def _name(row: Reached) -> str:
    return _("Human") if row.name == HUMAN else row.name or _("All")


def _changes(task_type: str, plan: Plan) -> Table:
    columns = titled(_("Version"), _("Date"), _("Setting"), _("Before"), _("After"))
    rows = tuple(_change(task_type, change) for change in plan.changes)
    return Table("changes", _("Settings changed since the launch"), columns, rows)


def _change(task_type: str, change: Change) -> tuple[Cell, ...]:
    label, choices = settings_forms.setting_words(task_type, change.group, change.name)
    if not change.before and not change.after:
        return change.version, change.date, label, None, _("another text")
    before, after = (choices.get(value, value or _("not set")) for value in (change.before, change.after))
    return change.version, change.date, label, before, after
