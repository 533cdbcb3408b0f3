"""The form of a study's settings: one field for each setting of its definition."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy
from pydantic import BaseModel

from core.errors import Invalid
from studies import hooks, task_types
from studies.forms.fields import fields_of, key
from studies.models import Study
from studies.presets.definition import Definition
from studies.selectors.studies import newest
from studies.services import studies

GROUPS = {
    "task": gettext_lazy("Task"),
    "protocol": gettext_lazy("Protocol"),
    "texts": gettext_lazy("Texts"),
    "audio": gettext_lazy("Audio"),
    "crowd": gettext_lazy("Crowd"),
    "recruitment": gettext_lazy("Who takes part"),
    "screening": gettext_lazy("First checks and practice"),
    "questionnaire": gettext_lazy("Questions at the end"),
    "results": gettext_lazy("Looks and hidden scores"),
    "payment": gettext_lazy("Payment"),
    "review": gettext_lazy("Expert review"),
    "coding": gettext_lazy("Coding of reasons"),
    "spot_check": gettext_lazy("Spot check before the launch"),
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


if TYPE_CHECKING:
    StudyForm = forms.ModelForm[Study]
else:
    StudyForm = forms.ModelForm


class SettingsForm(StudyForm):
    """Title, notice, remark and every setting of the draft. Made for one task type by `settings_form`."""

    groups: dict[str, tuple[str, ...]] = {}

    class Meta:
        model = Study
        fields = ("title", "notice", "remark")
        help_texts = {
            "title": gettext_lazy("Raters see it."),
            "notice": gettext_lazy("Shown to raters who come while the study is paused, full or closed."),
            "remark": gettext_lazy("Shown to researchers at the top of the study’s page; raters never see it."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        draft = self.instance.draft
        models = dict(models_of(draft["task_type"])) if self.groups else {}
        for group, names in self.groups.items():
            for name in names:
                # A draft of an earlier release lacks what came later.
                default = models[group].model_fields[name].get_default(call_default_factory=True)
                self.initial.setdefault(key(group, name), draft.get(group, {}).get(name, default))
        if newest(self.instance) is not None:
            for group in ("audio", "results"):
                for name in self.groups[group]:
                    self.fields[key(group, name)].disabled = True
        sources = [(source.name, source.label) for source in hooks.crowd_sources]
        if sources and "crowd__source" in self.fields:
            now = str(self.initial["crowd__source"] or "")
            unknown = [] if now in dict(sources) else [(now, now)]
            self.fields["crowd__source"] = forms.ChoiceField(
                choices=[*sources, *unknown], help_text=self.fields["crowd__source"].help_text
            )

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        try:
            studies.checked_draft(study=self.instance, raw=self.raw())
        except Invalid as error:
            for dotted, message in error.problems.items():
                self._tell(dotted, message)
        return cleaned

    def raw(self) -> dict[str, Any]:
        """Return the draft with what was entered; a field that can't be read keeps its value, its error is told."""
        raw: dict[str, Any] = dict(self.instance.draft)
        for group, names in self.groups.items():
            old = dict(raw.get(group, {}))
            entered = {
                name: self.cleaned_data[key(group, name)] for name in names if key(group, name) in self.cleaned_data
            }
            raw[group] = {**old, **entered}
        return raw

    def _tell(self, dotted: str, message: str) -> None:
        group, _dot, rest = dotted.partition(".")
        name = key(group, rest.partition(".")[0])
        if name not in self.fields:
            # A rule about several settings at once, or about what this page doesn't show.
            place = GROUPS.get(group)
            self.add_error(None, f"{place}: {message}" if place else message)
        elif name not in self.errors:
            self.add_error(name, message)


@cache
def settings_form(task_type: str) -> type[SettingsForm]:
    """Return the form class for studies of this task type."""
    groups: dict[str, tuple[str, ...]] = {}
    fields: dict[str, Any] = {}
    for group, model in models_of(task_type):
        groups[group] = tuple(model.model_fields)
        fields.update(fields_of(model, group))
    return type("SettingsForm", (SettingsForm,), {**fields, "groups": groups})
