"""Facts that raters read before they consent: where they are missing, the launch page asks for them itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from studies.launch.design_page import WITHIN, SettingRow, rows_of
from studies.launch.settings_forms import SettingsForm, name_of, settings_form

if TYPE_CHECKING:
    from studies.definition.models import Study

FACTS = ("texts.contact", "payment.rate", "payment.minutes")
NAMES = tuple(name_of(dotted) for fact in FACTS for dotted in (fact, *WITHIN.get(fact, ())))


def facts_form(study: Study, *data: Any) -> SettingsForm:
    """Return the form of Design with the fields of the facts alone."""
    return settings_form(study.draft["task_type"])(*data, study=study, only=NAMES)


def missing(form: SettingsForm, problems: Mapping[str, str]) -> dict[str, SettingRow]:
    """Return {dotted setting: its row} for the facts that the draft lacks."""
    rows = rows_of(form, problems)
    lacking = {dotted: rows[dotted] for dotted in FACTS if dotted in rows and form.values[dotted] in (None, "")}
    for row in lacking.values():
        row.bound.field.widget.attrs["aria-describedby"] = f"{row.name}-problem"
    return lacking


def propose(row: SettingRow, value: int) -> None:
    """Fill in a value that the person may change before saving it."""
    row.bound.form.initial[row.name] = value
