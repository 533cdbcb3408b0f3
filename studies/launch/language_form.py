"""The forms for adding a language and translating a study's texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django import forms
from django.conf.locale import LANG_INFO
from django.utils.translation import gettext_lazy as _

from core.errors import Invalid
from core.text.languages import translate, with_names
from core.web.meanwhile import MeanwhileMixin
from studies.definition.definition import Definition, Translation
from studies.definition.form_fields import LinesField, field_of, key, label_of, model_of
from studies.definition.question_lists import LISTS

TEXTS, PROMPTS, QUESTIONS = "texts", "prompts", "questions"


class AddLanguageForm(forms.Form):
    """The language to add."""

    language = forms.ChoiceField(label=_("Language"))

    def __init__(self, *args: Any, used: tuple[str, ...], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = with_names(code for code, info in LANG_INFO.items() if "name_local" in info and code not in used)
        choices = sorted((each.name, each.code) for each in known)
        self.fields["language"].choices = [  # type: ignore[attr-defined]
            (code, f"{name} ({code})") for name, code in choices
        ]


class TranslationForm(MeanwhileMixin, forms.Form):
    """The study's texts in one language, each below the same text in the study's own."""

    def __init__(self, *args: Any, definition: Definition, language: str, **kwargs: Any) -> None:
        translation = definition.translations[language]
        initial = {key(group, name): value for group, name, value, _own in _texts(definition, translation)}
        super().__init__(*args, **{"initial": initial, **kwargs})
        kind = definition.kind
        # The text of each field in the study's own language.
        self.owns: dict[str, str] = {}
        for group, name, _value, own in _texts(definition, translation):
            declared = Translation.model_fields if group == TEXTS else kind.Params.model_fields
            field = _lines(name, own) if model_of(declared[name]) else field_of(name, declared[name])
            field.required = False
            field.widget.attrs |= {"lang": language, "dir": "auto"}
            self.fields[key(group, name)] = field
            self.owns[key(group, name)] = "\n".join(own) if isinstance(own, tuple) else own
        # The dotted setting that a field holds in this language.
        self.lists: dict[str, str] = {}
        for each in LISTS:
            own, written = each.own(definition), each.written(definition, language)
            if own or written:
                name = key(QUESTIONS, f"{each.group}_{each.field}")
                rows = max(3, len(own), len(written))
                self.fields[name] = LinesField(
                    label=translate(each.label),
                    required=False,
                    initial=written,
                    help_text=_(
                        "Write as many lines as in the original, with the answers in the same order and the star "
                        "before the same one. If empty, raters of this language read the original."
                    ),
                    strip=False,
                    widget=forms.Textarea(attrs={"lang": language, "dir": "auto", "rows": rows}),
                )
                self.owns[name] = "\n".join(own)
                self.lists[name] = each.name
        self._prefix = f"translations.{language}."

    def rows(self) -> list[tuple[forms.BoundField, str]]:
        """Return each field with the text to translate."""
        return [(self[name], self.owns[name]) for name in self.fields]

    def raw(self) -> dict[str, Any]:
        """Return the translation from the form."""
        values: dict[str, Any] = {PROMPTS: {}, QUESTIONS: {}}
        for name, value in self.cleaned_data.items():
            group, _dots, field = name.partition("__")
            if group == TEXTS:
                values[field] = value
            elif value:
                values[group][self.lists.get(name, field)] = value
        return values

    def tell(self, error: Invalid) -> None:
        """Add errors to the form, at their field if the page shows it."""
        with_names = {dotted: name for name, dotted in self.lists.items()}
        for dotted, message in error.problems.items():
            group, _dot, rest = dotted.removeprefix(self._prefix).partition(".")
            name = {QUESTIONS: with_names.get(rest, ""), PROMPTS: key(PROMPTS, rest)}.get(group, key(TEXTS, group))
            self.add_error(name if name in self.fields else None, message)
        if not error.problems:
            self.add_error(None, error.message)


def _texts(definition: Definition, translation: Translation) -> Iterator[tuple[str, str, Any, Any]]:
    """Yield (group, name, text in this language, text in the study's own)."""
    for name in ("title", *type(definition.texts).model_fields):
        if name != "language":
            yield TEXTS, name, getattr(translation, name), getattr(definition.texts, name, "")
    for name in definition.kind.prompts():
        yield PROMPTS, name, translation.prompts.get(name, ""), definition.kind.texts(definition.params)[name]


def _lines(name: str, own: Sequence[str]) -> LinesField:
    help_text = _("Write as many lines as in the original, in the same order.")
    return LinesField(
        label=translate(label_of(name)), help_text=help_text, widget=forms.Textarea(attrs={"rows": len(own)})
    )
