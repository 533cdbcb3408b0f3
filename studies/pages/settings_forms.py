"""The forms for creating a study from a preset and for its settings, with one field for each setting."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel

from core.errors import Invalid
from core.text.languages import with_names
from studies import hooks, task_types
from studies.definition import presets, texts
from studies.definition.definition import Definition, Translation
from studies.definition.models import Study
from studies.definition.queries import newest
from studies.launch import states
from studies.launch.states import slug_problem
from studies.pages.form_fields import fields_of, key, label_of

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
            "title": gettext_lazy("Shown to raters."),
            "notice": gettext_lazy("Shown to raters who come while the study is paused, full or closed."),
            "remark": gettext_lazy("Shown to researchers at the top of the study’s page; raters never see it."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        draft = self.instance.draft
        models = dict(models_of(draft["task_type"])) if self.groups else {}
        for group, names in self.groups.items():
            for name in names:
                # Drafts of earlier releases lack newer settings.
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
            states.checked_draft(study=self.instance, raw=self.raw())
        except Invalid as error:
            for dotted, message in error.problems.items():
                self._tell(dotted, message)
        return cleaned

    def raw(self) -> dict[str, Any]:
        """Return the draft with the entered values; an invalid field keeps its value and shows an error."""
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
            # A rule about several settings, or about settings that this page doesn't show.
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


class NewStudyForm(StudyForm):
    """Preset, language, title and address; everything else has a default and is changed on the next page."""

    preset = forms.ChoiceField(label=_("Preset"), widget=forms.RadioSelect)
    language = forms.ChoiceField(
        label=_("Language"),
        initial="en",
        help_text=_("Language of the preset texts. You can add other languages later."),
    )

    class Meta:
        model = Study
        fields = ("title", "slug")
        labels = {"slug": _("Address")}
        help_texts = {
            "title": _("Shown to raters."),
            "slug": _(
                "The last part of the rater link: lower-case letters, digits and hyphens. You can’t change it later."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cards = [
            (name, format_html("<strong>{}</strong> <span>{}</span>", *_said(name, label)))
            for name, label in presets.choices()
        ]
        preset = self.fields["preset"]
        assert isinstance(preset, forms.ChoiceField)
        preset.choices = cards
        self.initial.setdefault("preset", cards[0][0])
        language = self.fields["language"]
        assert isinstance(language, forms.ChoiceField)
        language.choices = list(with_names(settings.CATALOGUES))
        # Django's own slug check runs before clean_slug and would allow capitals and underscores.
        self.fields["slug"].error_messages["invalid"] = slug_problem("")

    def clean_slug(self) -> str:
        slug = str(self.cleaned_data["slug"])
        if problem := slug_problem(slug):
            raise ValidationError(problem)
        return slug


def _said(preset: str, label: str) -> tuple[str, str]:
    summary = presets.get(preset).summary
    return gettext(label), gettext(summary) if summary else ""


def words() -> Iterator[str]:
    """Yield labels and descriptions of all settings and presets, presets' texts, and labels of answers."""
    yield from texts.words()
    for task_type, _label in task_types.choices():
        declared: list[type[BaseModel]] = [*(model for _group, model in models_of(task_type)), Translation]
        for model in declared:
            for name, info in model.model_fields.items():
                yield label_of(name)
                yield info.description or ""
        kind = task_types.get(task_type)
        yield from (kind.label, *kind.score.codes.values())
        for breakdown in kind.breakdowns:
            yield from (breakdown.title, *breakdown.labels.values())
            yield from (breakdown.labels.get(line, line.capitalize()) for line in breakdown.merged)
    for name, label in presets.choices():
        yield label
        yield presets.get(name).summary
