"""The form of a study's settings, with one field for each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy
from pydantic import BaseModel

from core.errors import Invalid
from studies import hooks, task_types
from studies.definition import presets, texts
from studies.definition.definition import Definition, Translation
from studies.definition.form_fields import fields_of, key, label_of, labels_of, model_of
from studies.definition.models import Study
from studies.definition.settings.crowd import CODES
from studies.launch import drafting, states
from studies.launch.return_urls import usual_url

GROUPS = {
    "task": gettext_lazy("Task"),
    "protocol": gettext_lazy("Protocol"),
    "texts": gettext_lazy("Texts"),
    "audio": gettext_lazy("Audio"),
    "crowd": gettext_lazy("Crowd"),
    "recruitment": gettext_lazy("Who takes part"),
    "screening": gettext_lazy("First checks and practice"),
    "questionnaire": gettext_lazy("Questions at the end"),
    "results": gettext_lazy("Interim analyses and hidden scores"),
    "payment": gettext_lazy("Payment"),
    "review": gettext_lazy("Expert review"),
    "coding": gettext_lazy("Coding of reasons"),
    "spot_check": gettext_lazy("Spot check before the launch"),
    "audit": gettext_lazy("Audit of the clips (advanced)"),
}

# {dotted setting: its help by the answers to traps: labels, preferences or points}.
TRAP_HELP = {
    "protocol.flawed_traps": {
        "label": gettext_lazy("Deliberately flawed clips in a batch. “Machine” is the right answer."),
        "pair": gettext_lazy(
            "Pairs in a batch with a deliberately flawed clip. Preferring the other clip is the right answer."
        ),
        "points": gettext_lazy(
            "Deliberately flawed clips in a batch. A low point is right, or the expected answer if the clip has one."
        ),
    },
    "protocol.human_traps": {
        "label": gettext_lazy("Human recordings in a batch, as traps. “Human” is the right answer."),
        "pair": gettext_lazy(
            "Pairs in a batch whose clips are the same recording. “No preference” is the right answer."
        ),
        "points": gettext_lazy(
            "Human recordings in a batch, as traps. A high point is right, or the expected answer if the clip has one."
        ),
    },
}


def models_of(task_type: str) -> Iterator[tuple[str, type[BaseModel]]]:
    """Yield (group, declared model) of a definition with this task type."""
    for group in GROUPS:
        if group == "task":
            yield group, task_types.get(task_type).Params
        else:
            yield group, _model(group)


def _model(group: str) -> type[BaseModel]:
    annotation: Any = Definition.model_fields[group].annotation
    return annotation  # type: ignore[no-any-return]


class SettingsForm(forms.Form):
    """The settings of a draft that its task type can use. Made for one task type by `settings_form`.

    With `only`, the form has these fields alone.
    """

    groups: dict[str, tuple[str, ...]] = {}

    def __init__(self, *args: Any, study: Study, only: Collection[str] | None = None, **kwargs: Any) -> None:
        self.study = study
        definition = study.definition
        # The value of each dotted setting, as JSON.
        self.values = drafting.values(definition)
        self.defaults = defaults(definition)
        super().__init__(
            *args, **{"initial": {name_of(dotted): self.values[dotted] for dotted in self.values}, **kwargs}
        )
        unused = definition.kind.unused_settings()
        for dotted in list(self.dotted().values()):
            is_unused = dotted in unused or dotted.partition(".")[0] in unused
            # One that was changed all the same may be what prevents a launch: it can be set back.
            if (is_unused and self.is_default(dotted)) or (only is not None and name_of(dotted) not in only):
                del self.fields[name_of(dotted)]
        self.fixed = states.fixed_settings(study)
        for dotted in self.fixed:
            if name_of(dotted) in self.fields:
                self.fields[name_of(dotted)].disabled = True
        now = str(self.initial.get("crowd__source") or "")
        sources = [(each.name, each.label) for each in hooks.crowd_sources if not each.is_closed or each.name == now]
        if sources and "crowd__source" in self.fields:
            unknown = [] if now in dict(sources) else [(now, now)]
            before = self.fields["crowd__source"]
            self.fields["crowd__source"] = forms.ChoiceField(
                choices=[*sources, *unknown], label=before.label, help_text=before.help_text
            )

        answers = definition.kind.score.part if definition.kind.score.part == "label" else "points"
        answers = "pair" if definition.kind.shows == "pair" else answers
        for dotted, by_answers in TRAP_HELP.items():
            if name_of(dotted) in self.fields:
                self.fields[name_of(dotted)].help_text = by_answers[answers]

    def dotted(self) -> dict[str, str]:
        """Return {field's name: dotted setting}, in the order of the groups."""
        names = [(key(group, name), f"{group}.{name}") for group, names in self.groups.items() for name in names]
        return {name: dotted for name, dotted in names if name in self.fields}

    def is_default(self, dotted: str) -> bool:
        """Return whether a setting is as the preset sets it; source and completion codes belong to each study."""
        return dotted in OF_EACH_STUDY or self.values[dotted] == self.defaults.get(dotted, self.values[dotted])

    def changes(self, shown: Mapping[str, str]) -> dict[str, Any]:
        """Return {dotted setting: valid value} of the fields whose value isn't the one that was shown."""
        self.full_clean()
        return {
            dotted: self.cleaned_data[name]
            for name, dotted in self.dotted().items()
            if name in self.cleaned_data
            and not self.fields[name].disabled
            and dotted in shown
            and drafting.fingerprint(self.cleaned_data[name]) != shown[dotted]
        }


OF_EACH_STUDY = {"crowd.source", *(f"crowd.{name}" for name in CODES.values())}


def name_of(dotted: str) -> str:
    """Return the form field's name of a dotted setting."""
    group, _dot, name = dotted.partition(".")
    return key(group, name)


def defaults(definition: Definition) -> dict[str, Any]:
    """Return {dotted setting: what the preset sets}, with its texts in the study's language and its source's URL."""
    preset = presets.of(definition).definition
    # There are no ready texts in other languages.
    with suppress(Invalid):
        preset = texts.begun_in(preset, definition.texts.language)
    return {**drafting.values(preset), "crowd.return_url": usual_url(definition.crowd.source)}


@cache
def settings_form(task_type: str) -> type[SettingsForm]:
    """Return the form class for studies of this task type."""
    groups: dict[str, tuple[str, ...]] = {}
    fields: dict[str, Any] = {}
    for group, model in models_of(task_type):
        groups[group] = tuple(model.model_fields)
        fields.update(fields_of(model, group))
    return type("SettingsForm", (SettingsForm,), {**fields, "groups": groups})


def setting_words(task_type: str, group: str, name: str) -> tuple[str, dict[str, str]]:
    """Return the label of a setting, and {value: what forms show for it}, translated."""
    info = dict(models_of(task_type))[group].model_fields.get(name) if group in GROUPS else None
    values = labels_of(info) if info else {}
    return gettext(label_of(name, info)), {value: gettext(label) for value, label in values.items()}


def words() -> Iterator[str]:
    """Yield labels and descriptions of all settings and presets, presets' texts, and labels of answers."""
    yield from texts.words()
    for task_type, _label in task_types.choices():
        declared: list[type[BaseModel]] = [*(model for _group, model in models_of(task_type)), Translation]
        declared += [inner for model in declared for info in model.model_fields.values() if (inner := model_of(info))]
        for model in declared:
            for name, info in model.model_fields.items():
                # Reports in other languages name settings by their names.
                yield from (label_of(name), label_of(name, info), *labels_of(info).values())
                yield info.description or ""
        kind = task_types.get(task_type)
        yield from (kind.label, *kind.score.codes.values())
        for breakdown in kind.breakdowns:
            yield from (breakdown.title, *breakdown.labels.values())
            yield from (breakdown.labels.get(line, line.capitalize()) for line in breakdown.merged)
    for name, label in presets.choices():
        yield label
        yield presets.get(name).summary
        yield from presets.get(name).sources.values()
