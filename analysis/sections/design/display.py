"""The design, on the page of an analysis and in its report."""

from __future__ import annotations

from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from analysis.sections.design import Design
from analysis.sections.parts import Part, row_name
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Table, titled
from studies import task_types
from studies.launch import settings_forms

# Units of numbers, by the end of their setting's name.
UNITS: dict[str, Promise] = {
    "_seconds": gettext_lazy("{n} s"),
    "_minutes": gettext_lazy("{n} min"),
    "_share": gettext_lazy("{n} %"),
    "_graphemes": gettext_lazy("{n} letters and digits"),
    "_graphemes_cjk": gettext_lazy("{n} characters"),
    "_distance": gettext_lazy("{n} trials"),
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
    settings, words = _settings(results.study.task_type, design)
    tables = (
        Table("systems", _("Clips and texts with usable ratings"), titled(*heads), systems),
        Table("settings", _("Settings of the study"), titled(_("Setting"), _("Value")), settings, words=words),
    )
    return Part("design", _("Design"), tuple(design.scope), tables)


def _settings(task_type: str, design: Design) -> tuple[tuple[tuple[str, str], ...], dict[str, str]]:
    """Return (setting, value) of the settings that the task uses, and what people read instead of these codes."""
    unused = {*task_types.get(task_type).of(design.parameters).unused_settings()}
    # Without repeats, their distance means nothing.
    unused |= set() if design.protocol.get("repeats") else {"protocol.repeat_distance"}
    words: dict[str, str] = {"": _("not set")}
    rows: list[tuple[str, str, dict[str, str]]] = []
    for group, values in (("protocol", design.protocol), ("task", design.parameters)):
        for name, value in values.items():
            if f"{group}.{name}" in unused:
                continue
            label, choices = settings_forms.setting_words(task_type, group, name)
            code = name.replace("_", " ")
            words |= {code: label, **choices}
            rows.append((code, _setting(name, value), choices))
    # A value that has the name of a setting, too, can't be a code here: it would be read as that setting.
    names = {code for code, _value, _choices in rows}
    settings = tuple((code, choices.get(value, value) if value in names else value) for code, value, choices in rows)
    return settings, words


def _setting(name: str, value: Any) -> str:
    """Return a value with its unit; empty if it is not set."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, int | float):
        unit = next((str(unit) for end, unit in UNITS.items() if name.endswith(end)), "{n}")
        return unit.format(n=f"{100 * value if name.endswith('_share') else value:g}")
    if not isinstance(value, list | tuple):
        return str(value)
    return ", ".join(f"{each['name']}: {each['question']}" if isinstance(each, dict) else str(each) for each in value)
