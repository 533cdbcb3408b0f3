"""What was compared, in the report."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from analysis.sections.parts import Part, name_of
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Column, Table


def part(results: Results) -> Part:
    """Return what was to be heard, by whom, under which protocol."""
    design = results.design
    if isinstance(design, Refusal):
        return Part("design", _("Design"), refused=design.refused)
    systems = tuple(
        (name_of(row), ", ".join(row.voices) or None, row.clips, row.texts, row.ratings, row.raters)
        for row in design.systems
    )
    heads = (_("System"), _("Voices"), _("Clips"), _("Texts"), _("Ratings"), _("Raters"))
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
    """Return a setting as forms call it in another language; in English, its own name."""
    label = name.replace("_", " ")
    called = _(label.capitalize())
    return label if called == label.capitalize() else called


def _setting(value: Any) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
