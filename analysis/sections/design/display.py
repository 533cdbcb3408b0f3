"""The design, on the page of an analysis and in its report."""

from __future__ import annotations

from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from analysis.sections.parts import Part, row_name
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Table, titled
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
    "system_first": gettext_lazy("system first"),
    "reference_first": gettext_lazy("reference first"),
}


def part(results: Results) -> Part:
    """Return the section on material and protocol."""
    design = results.design
    if isinstance(design, Refusal):
        return Part("design", _("Design"), refused=design.refused)
    systems = tuple(
        (row_name(row), ", ".join(row.voices) or None, row.clips, row.texts, row.ratings, row.raters)
        for row in design.systems
    )
    heads = (_("System"), pgettext("names", "Voices"), _("Clips"), _("Texts"), _("Ratings"), _("Raters"))
    values = {**design.protocol, **design.parameters}
    settings = tuple((name.replace("_", " "), _setting(value)) for name, value in values.items())
    words = {name.replace("_", " "): _(label_of(name)) for name in values} | {code: str(CODES[code]) for code in CODES}
    tables = (
        Table("systems", _("Clips and texts with usable ratings"), titled(*heads), systems),
        Table("settings", _("Settings of the study"), titled(_("Setting"), _("Value")), settings, words=words),
    )
    return Part("design", _("Design"), tuple(design.scope), tables)


def _setting(value: Any) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if not isinstance(value, list | tuple):
        return str(value)
    return ", ".join(f"{each['name']}: {each['question']}" if isinstance(each, dict) else str(each) for each in value)
