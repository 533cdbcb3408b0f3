"""The questionnaire as a form; all questions are optional."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from raters.sessions.first_languages import SPOKEN
from raters.sessions.questionnaire import QuestionnaireAnswer
from studies.definition.settings.questionnaire import (
    AGE,
    DEVICE,
    GENDER,
    LANGUAGES,
    NOT_SAID,
    OTHER,
    SELF_DESCRIBED,
    SKIPPED,
    Questionnaire,
    QuestionnaireQuestion,
)

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words

LONGEST_WORDS = 100
LONGEST_TEXT = 2000
PROMPTS: dict[str, Words] = {
    GENDER: _("What is your gender?"),
    AGE: _("How old are you?"),
    LANGUAGES: _("What is your first language?"),
    DEVICE: _("What did you listen with?"),
}
LABELS: dict[str, Words] = {
    "woman": _("Woman"),
    "man": _("Man"),
    "non_binary": _("Non-binary"),
    SELF_DESCRIBED: _("I describe it myself"),
    "18-24": _("18 to 24"),
    "25-34": _("25 to 34"),
    "35-44": _("35 to 44"),
    "45-54": _("45 to 54"),
    "55-64": _("55 to 64"),
    "65+": _("65 or older"),
    "over_ear": _("Headphones on or over the ears"),
    "in_ear": _("Earphones in the ears"),
    "loudspeakers": _("Loudspeakers beside the device"),
    "built_in": _("The device’s own loudspeaker"),
    OTHER: _("Something else"),
    NOT_SAID: _("I prefer not to say"),
    SKIPPED: _("Left out"),
}
# Questions with a free-text field: its code and its label.
WORDS: dict[str, tuple[str, Words]] = {
    GENDER: (SELF_DESCRIBED, _("In your own words")),
    DEVICE: (OTHER, _("What else?")),
    LANGUAGES: (OTHER, _("Another language, if it is not in the list")),
}


@dataclass(frozen=True, slots=True)
class QuestionBlock:
    """One question on the page, with its fields; `is_own` if the researcher wrote it."""

    key: str
    prompt: Words
    kind: str
    fields: tuple[forms.BoundField, ...]
    is_own: bool

    @property
    def is_wrong(self) -> bool:
        return any(field.errors for field in self.fields)


class AboutForm(forms.Form):
    """Form of a study's questionnaire."""

    def __init__(self, questionnaire: Questionnaire, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.questions = questionnaire.asked()
        for question in self.questions:
            self.fields.update(_fields(question))
        if self.is_bound:
            self._mark()

    def blocks(self) -> Iterator[QuestionBlock]:
        """Yield the questions in order."""
        for question in self.questions:
            names = [name for name in self.fields if name == question.key or name.startswith(f"{question.key}-")]
            kind = "languages" if question.key == LANGUAGES else "choice" if question.codes else "words"
            fields = tuple(self[name] for name in names)
            is_own = bool(question.prompt)
            yield QuestionBlock(question.key, question.prompt or PROMPTS[question.key], kind, fields, is_own)

    def answers(self) -> list[QuestionnaireAnswer]:
        """Return the answers of a valid form."""
        return [self._answer(question) for question in self.questions]

    def _answer(self, question: QuestionnaireQuestion) -> QuestionnaireAnswer:
        key, data = question.key, self.cleaned_data
        words = data.get(f"{key}-words", "")
        if key == LANGUAGES:
            codes = list(dict.fromkeys(code for code in (data[key], data[f"{key}-more"]) if code))
            if NOT_SAID in codes:
                return QuestionnaireAnswer(key, NOT_SAID)
            return QuestionnaireAnswer(key, "|".join([*codes, OTHER] if words else codes) or SKIPPED, words)
        if not question.codes:
            return QuestionnaireAnswer(key, "" if data[key] else SKIPPED, data[key])
        code, _label = WORDS.get(key, ("", ""))
        # Text without a choice implies its choice.
        chosen = data[key] or (code if words else SKIPPED)
        return QuestionnaireAnswer(key, chosen, words if chosen == code else "")

    def _mark(self) -> None:
        """Mark wrong fields for assistive technology, and focus the first."""
        for number, name in enumerate(self.errors):
            if name in self.fields:
                attrs = self.fields[name].widget.attrs
                attrs |= {"aria-invalid": "true", "aria-describedby": f"{name}-problem"}
                if not number:
                    attrs["autofocus"] = True


def _fields(question: QuestionnaireQuestion) -> Iterator[tuple[str, forms.Field]]:
    key = question.key
    if key == LANGUAGES:
        listed = [(code, label) for code, label in SPOKEN.items()]
        yield key, _select(_("First language"), [("", "—"), *listed, (NOT_SAID, LABELS[NOT_SAID])])
        yield f"{key}-more", _select(_("A second one, if you grew up with two"), [("", "—"), *listed])
    elif question.codes:
        choices = [(code, question.choice(code) or LABELS[code]) for code in question.codes]
        messages = {"invalid_choice": _("Choose one of these answers.")}
        yield (
            key,
            forms.ChoiceField(
                choices=[*choices, (NOT_SAID, LABELS[NOT_SAID])],
                widget=forms.RadioSelect,
                required=False,
                error_messages=messages,
            ),
        )
    else:
        yield key, _text(question.prompt, LONGEST_TEXT, forms.Textarea(attrs={"rows": 3, "dir": "auto"}))
    if key in WORDS:
        attrs = {"dir": "auto", "autocomplete": "off"}
        yield f"{key}-words", _text(WORDS[key][1], LONGEST_WORDS, forms.TextInput(attrs=attrs))


def _select(label: Words, choices: list[tuple[str, Words]]) -> forms.Field:
    messages = {"invalid_choice": _("Choose a language from the list.")}
    return forms.ChoiceField(label=label, choices=choices, required=False, error_messages=messages)


def _text(label: Words, longest: int, widget: forms.Widget) -> forms.Field:
    messages = {"max_length": _("This is too long: write at most %(limit_value)d characters.")}
    return forms.CharField(label=label, max_length=longest, required=False, widget=widget, error_messages=messages)
