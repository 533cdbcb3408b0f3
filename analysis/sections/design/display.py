"""The design, on the page of an analysis and in its report."""

from __future__ import annotations

from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from analysis.sections.blocks import Block, TextTable, name_of
from analysis.sections.parts import Part, listed, row_name
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Column, Table
from core.text.languages import speaks_english
from core.text.numbers import whole
from studies.definition.form_fields import label_of

CODES: dict[str, Promise] = {
    "enforce": gettext_lazy("enforce"),
    "record": gettext_lazy("record"),
    "void": gettext_lazy("void"),
    "restart": gettext_lazy("restart"),
    "keep": gettext_lazy("keep"),
    "never": gettext_lazy("never"),
    "crossed": gettext_lazy("crossed"),
    "drawn": gettext_lazy("drawn"),
    "fixed": gettext_lazy("fixed"),
    "counterbalanced": gettext_lazy("counterbalanced"),
    "synchronous": gettext_lazy("synchronous"),
    "while": gettext_lazy("while"),
    "after": gettext_lazy("after"),
    "system_first": gettext_lazy("system_first"),
    "reference_first": gettext_lazy("reference_first"),
}


def block(results: Results) -> Block:
    """Return the block of the systems compared, and of the figures' scope."""
    section, title = results.design, _("Design")
    if isinstance(section, Refusal):
        return Block("design", title, section.refused)
    rows = [
        [
            name_of(thing),
            whole(thing.clips),
            whole(thing.texts),
            listed(thing.voices) or "–",
            whole(thing.raters),
            whole(thing.ratings),
        ]
        for thing in section.systems
    ]
    head = [_("System"), _("Clips"), _("Texts"), pgettext("names", "Voices"), _("Raters"), _("Ratings")]
    return Block("design", title, lines=section.scope, tables=[TextTable(_("What was heard"), head, rows)])


def part(results: Results) -> Part:
    """Return the report's section on material and protocol."""
    design = results.design
    if isinstance(design, Refusal):
        return Part("design", _("Design"), refused=design.refused)
    systems = tuple(
        (row_name(row), ", ".join(row.voices) or None, row.clips, row.texts, row.ratings, row.raters)
        for row in design.systems
    )
    heads = (_("System"), pgettext("names", "Voices"), _("Clips"), _("Texts"), _("Ratings"), _("Raters"))
    settings = tuple(
        (_name(name), _setting(value))
        for group in (design.protocol, design.parameters)
        for name, value in group.items()
    )
    tables = (
        Table("systems", _("What was heard, among the ratings that count"), tuple(map(Column, heads)), systems),
        Table("settings", _("Settings of the study"), (Column(_("Setting")), Column(_("Value"))), settings),
    )
    return Part("design", _("Design"), tuple(design.scope), tables)


def _name(name: str) -> str:
    """Return a setting's label in the active language; in English, its code."""
    label = name.replace("_", " ")
    return label if speaks_english() else _(label_of(name))


def _code(value: str) -> str:
    """Return a setting's value: the label of a code if it has one, otherwise the value itself."""
    return str(CODES.get(value, value))


def _setting(value: Any) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if not isinstance(value, list | tuple):
        return _code(str(value))
    return ", ".join(f"{each['name']}: {each['question']}" if isinstance(each, dict) else str(each) for each in value)
