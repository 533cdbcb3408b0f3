"""What the page Design shows of a study: its main settings, all others by group, and what they ask of raters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.text.languages import translate
from studies.definition import presets
from studies.definition.definition import Definition
from studies.definition.form_fields import LinesField, ListField, PageField
from studies.definition.settings.payment import FIXED_RATES
from studies.launch import drafting
from studies.launch.settings_forms import GROUPS, OF_EACH_STUDY, SettingsForm, name_of
from studies.launch.states import AT_ONCE

# Settings in the study's currency.
AMOUNTS = {f"payment.{name}" for name in ("rate", "bonus_per_valid_batch", "hourly_least", *FIXED_RATES.values())}
# What raters are asked, above the main settings of presets that have one question.
ASKED = ("task.question",)
# What raters read before they consent, next to the main settings of every preset.
CONSENT = ("texts.contact",)
# Settings inside the row of another: before and after its input.
WITHIN = {"payment.rate": ("payment.currency", "payment.per")}
# Texts of one line that need the whole width.
WIDE = {"task.question", "texts.contact", "texts.institution"}
# Longest value that the history shows, in characters.
LONGEST_LOGGED = 80


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting: its field, what its default is, and what is wrong with it or why it is fixed."""

    dotted: str
    name: str
    bound: BoundField
    # The value in words, for those who may only read it.
    value: str
    default: str
    is_default: bool
    fixed: str
    problem: str
    fingerprint: str
    # Currency of an amount, "" for other settings.
    unit: str = ""
    # Settings inside this row: before and after its input.
    within: tuple[SettingRow, ...] = ()

    @property
    def is_at_once(self) -> bool:
        """Return whether a change applies without a new version."""
        return self.dotted.partition(".")[0] in AT_ONCE

    @property
    def is_group(self) -> bool:
        """Return whether the setting has several inputs."""
        return isinstance(self.bound.field, (forms.MultipleChoiceField, ListField))

    @property
    def is_text(self) -> bool:
        """Return whether the setting takes the whole width."""
        return self.dotted in WIDE or isinstance(self.bound.field, (LinesField, PageField, ListField))


@dataclass(frozen=True, slots=True)
class SettingGroup:
    """The settings of one group."""

    name: str
    title: str
    rows: list[SettingRow] = field(default_factory=list)

    @property
    def problems(self) -> int:
        """Return how many settings could not be saved."""
        return sum(bool(row.problem) for row in self.rows)

    @property
    def changed(self) -> int:
        """Return how many settings differ from the preset."""
        return sum(not row.is_default for row in self.rows)


def main_settings(definition: Definition) -> tuple[str, ...]:
    """Return the dotted settings that matter most for this preset."""
    return presets.of(definition).main_settings or definition.kind.main_settings


def groups(form: SettingsForm, problems: dict[str, str] | None = None) -> tuple[list[SettingRow], list[SettingGroup]]:
    """Return the main settings with the question and the contact that raters read, and the groups of all others."""
    main = (*ASKED, *main_settings(form.study.definition), *CONSENT)
    rows = rows_of(form, problems or {})
    others = {name: SettingGroup(name, str(title)) for name, title in GROUPS.items()}
    for dotted, row in rows.items():
        if dotted not in main:
            others[dotted.partition(".")[0]].rows.append(row)
    return [rows[dotted] for dotted in main if dotted in rows], [group for group in others.values() if group.rows]


def rows_of(form: SettingsForm, problems: Mapping[str, str]) -> dict[str, SettingRow]:
    """Return {dotted setting: its row} for the form's fields, without those inside another row."""
    rows = {row.dotted: row for row in _rows(form, problems)}
    for dotted, names in WITHIN.items():
        if dotted in rows:
            rows[dotted] = replace(rows[dotted], within=tuple(rows.pop(name) for name in names), unit="")
    return rows


def fingerprints(rows: Iterable[SettingRow]) -> dict[str, str]:
    """Return {field's name: fingerprint of its value} of rows and the settings inside them."""
    return {row.name: row.fingerprint for outer in rows for row in (outer, *outer.within)}


def _rows(form: SettingsForm, problems: Mapping[str, str]) -> Iterator[SettingRow]:
    sources = presets.of(form.study.definition).sources
    for name, dotted in form.dotted().items():
        bound = form[name]
        described = [f"{name}-unit"] if dotted in AMOUNTS and dotted not in WITHIN else []
        described += [f"{name}-help"] if bound.help_text else []
        bound.field.widget.attrs |= {"aria-describedby": " ".join([*described, f"{name}-problem"])}
        bound.field.widget.attrs.pop("cols", None)
        problem = problems.get(dotted, "") or next(iter(bound.errors), "")
        if problem:
            bound.field.widget.attrs["aria-invalid"] = "true"
        yield SettingRow(
            dotted=dotted,
            name=name,
            bound=bound,
            value=shown(bound.field, form.values[dotted]),
            # What belongs to each study is never "changed", so there is no default to go back to.
            default=""
            if dotted in OF_EACH_STUDY
            else _default(bound.field, form.defaults.get(dotted), sources.get(dotted, "")),
            is_default=form.is_default(dotted),
            fixed=form.fixed.get(dotted, ""),
            problem=str(problem),
            fingerprint=drafting.fingerprint(form.values[dotted]),
            unit=form.values["payment.currency"] if dotted in AMOUNTS else "",
        )


def shown(field: forms.Field, value: Any) -> str:
    """Return a value in words."""
    if isinstance(field, ListField):
        return "\n".join(f"{each['name']}: {each['question']}" for each in value or [])
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if value is None or value in ("", []):
        return _("not set")
    choices = {str(each): str(label) for each, label in getattr(field, "choices", ())}
    values = value if isinstance(value, list) else [value]
    words = [choices.get(str(each), _number(each)) for each in values]
    return ("\n" if isinstance(field, LinesField) else ", ").join(words)


def changes_in_words(before: SettingsForm, saved: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each saved setting that differs from the form's values; long texts are only named."""
    sentences = []
    for dotted, value in saved.items():
        old, bound = before.values[dotted], before[name_of(dotted)]
        if value == old:
            continue
        values = [shown(bound.field, each) for each in (old, value)]
        is_long = isinstance(bound.field, (LinesField, PageField, ListField)) or max(map(len, values)) > LONGEST_LOGGED
        text = _("{setting}: changed") if is_long else _("{setting}: {before} → {after}")
        sentences.append(text.format(setting=bound.label, before=values[0], after=values[1]))
    return sentences


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) and abs(value) < 1e6 else str(value)


# Ends of sentences, which need no period after them.
ENDS = (".", "?", "!", "。", "？", "！")


def _default(field: forms.Field, value: Any, source: str) -> str:
    """Return the sentence on a setting's default; none for long texts."""
    if (isinstance(field, (LinesField, PageField, ListField)) and value) or value in (None, "", []):
        return ""
    if source:
        return _("Default: {value} ({source}).").format(value=shown(field, value), source=_(source))
    words = shown(field, value)
    text = _("Default: {value}") if words.endswith(ENDS) else _("Default: {value}.")
    return text.format(value=words)


def entered(bound: BoundField, value: Any) -> list[str]:
    """Return a value as a browser would send the field."""
    if isinstance(bound.field, forms.BooleanField):
        return ["on"] if value else []
    if isinstance(bound.field, forms.MultipleChoiceField):
        return [str(each) for each in value or []]
    if isinstance(bound.field, ListField):
        return bound.field.sent(value or [])
    prepared = bound.field.prepare_value(value)
    return ["" if prepared is None else str(prepared)]


def states_of(form: SettingsForm, dotted: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return for each of these fields what a page needs after saving: its value, and how it compares to the preset."""
    names = {name_of(each): each for each in dotted if name_of(each) in form.fields}
    return {
        name: {
            "value": entered(form[name], form.values[each]),
            "shown": drafting.fingerprint(form.values[each]),
            "is_default": form.is_default(each),
            "words": shown(form[name].field, form.values[each]),
        }
        for name, each in names.items()
    }


def activity(definition: Definition) -> list[str]:
    """Return what a rater does, sentence by sentence."""
    protocol, kind = definition.protocol, definition.kind
    tests = _tests(kind.shows, protocol.tests_per_batch)
    size = protocol.batch_size - protocol.repeats
    if kind.traps and size > protocol.tests_per_batch:
        batches = ngettext("{number} batch of {size} clips", "{number} batches of {size} clips",
                           protocol.batches_per_session)  # fmt: skip
        if kind.shows == "pair":
            batches = ngettext("{number} batch of {size} pairs", "{number} batches of {size} pairs",
                               protocol.batches_per_session)  # fmt: skip
        traps = [
            ngettext("{number} flawed trap", "{number} flawed traps", protocol.flawed_traps),
            ngettext("{number} human trap", "{number} human traps", protocol.human_traps),
        ]
        counts = zip(traps, (protocol.flawed_traps, protocol.human_traps), strict=True)
        parts = ", ".join([tests, *(text.format(number=number) for text, number in counts if number)])
        batch = batches.format(number=protocol.batches_per_session, size=size)
        first = _("{batches}: {parts}.").format(batches=batch, parts=parts)
    else:
        text = ngettext("{number} batch of {tests}.", "{number} batches of {tests}.", protocol.batches_per_session)
        first = text.format(number=protocol.batches_per_session, tests=tests)
    again = ngettext(
        "Gets {number} test of each batch again, at least {distance} trials later, without being told.",
        "Gets {number} tests of each batch again, at least {distance} trials later, without being told.",
        protocol.repeats,
    )
    return [
        first,
        *([again.format(number=protocol.repeats, distance=protocol.repeat_distance)] if protocol.repeats else []),
        _("Hears each clip whole before answering.")
        if protocol.playback == "enforce"
        else _("May answer before a clip ends; such answers are marked."),
        *([_("After a pause or in a hidden tab, the clip starts again.")] if protocol.interruption == "void" else []),
        *(translate(sentence) for sentence in kind.activity(definition.params) or (_(kind.label),)),
    ]


def _tests(shows: str, number: int) -> str:
    text = {
        "clip": ngettext("{number} test clip", "{number} test clips", number),
        "pair": ngettext("{number} pair", "{number} pairs", number),
        "screen": ngettext("{number} screen", "{number} screens", number),
    }[shows]
    return text.format(number=number)
