"""Forms of the page of questions: one question, and the lists that are imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.web import client_input
from studies.clips.models import Question
from studies.drafting import by_hand
from studies.drafting.rules.question_checks import DISTRACTORS
from studies.imports import publishing
from studies.imports.ingest import questions as ingest
from studies.rules.text import ERRORS
from studies.task_types.base import Option

LISTS = {"questions": ingest.QUESTIONS, "golden": ingest.GOLDEN_QUESTIONS}


class QuestionForm(forms.Form):
    """A question with its right answer and its distractors, which have types of error unless it is golden.

    Fields are named as the import's columns, but types of error as “distractor_1_type”: a field with errors has a list
    of them by its name and “_error”. A new question has two distractors, another one as many as it has.
    """

    question = forms.CharField(
        label=gettext_lazy("Question"),
        max_length=ingest.LONGEST_QUESTION,
        widget=forms.Textarea({"rows": 2, "dir": "auto"}),
    )
    correct = forms.CharField(
        label=gettext_lazy("Right answer"),
        max_length=ingest.LONGEST_OPTION,
        widget=forms.TextInput({"dir": "auto", "autocomplete": "off"}),
    )

    def __init__(self, data: Any = None, *, golden: bool, key: str, question: Question | None = None) -> None:
        super().__init__(data, initial=_initial(question), auto_id=f"{key}_%s")
        self.distractors = range(1, len(question.options) if question else DISTRACTORS + 1)
        self.golden = golden
        for number in self.distractors:
            self.fields[f"distractor_{number}"] = forms.CharField(
                label=_("Distractor {number}").format(number=number),
                max_length=ingest.LONGEST_OPTION,
                widget=forms.TextInput({"dir": "auto", "autocomplete": "off"}),
            )
            if not golden:
                self.fields[f"distractor_{number}_type"] = forms.ChoiceField(
                    label=_("Type of error of distractor {number}").format(number=number),
                    choices=[("", "–"), *((code, gettext_lazy(label)) for code, label in ERRORS.items())],
                )
        if question is not None:
            # Sent back, so that what somebody else changed meanwhile isn't overwritten.
            self.fields["seen"] = forms.CharField(widget=forms.HiddenInput, initial=by_hand.fingerprint(question))

    def clean(self) -> dict[str, Any]:
        """Put words on one line, as in lists."""
        data = super().clean() or {}
        return {name: " ".join(value.split()) for name, value in data.items()}

    def tell(self, problems: Mapping[str, str]) -> None:
        """Put problems, by the import's columns, next to their fields; others above the form."""
        for column, problem in problems.items():
            name = column.replace("_error", "_type")
            self.add_error(name if name in self.fields else None, problem)

    @property
    def options(self) -> list[Option]:
        """Return the right answer and the distractors."""
        data = self.cleaned_data
        distractors = (
            Option(data[f"distractor_{number}"], data.get(f"distractor_{number}_type", ""))
            for number in self.distractors
        )
        return [Option(data["correct"]), *distractors]


def _initial(question: Question | None) -> dict[str, str]:
    if question is None:
        return {}
    right, *others = question.options
    values = {"question": question.prompt, "correct": right["text"]}
    for number, option in enumerate(others, start=1):
        values |= {f"distractor_{number}": option["text"], f"distractor_{number}_type": option["error"]}
    return values


class ImportQuestionsForm(forms.Form):
    """Two lists, of which one is enough: the files at first, then what they contained, to be confirmed."""

    questions = forms.FileField(label=gettext_lazy("Questions (CSV)"), required=False)
    golden = forms.FileField(label=gettext_lazy("Golden questions (CSV)"), required=False)
    questions_content = forms.CharField(required=False, widget=forms.HiddenInput, strip=False)
    golden_content = forms.CharField(required=False, widget=forms.HiddenInput, strip=False)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        for name in LISTS:
            file = data.get(name)
            if file is not None and (problem := client_input.too_large(file.size, client_input.LARGEST_CONFIRMED)):
                self.add_error(name, problem)
        if not self.errors and not any(data.get(name) or data.get(f"{name}_content") for name in LISTS):
            self.add_error("questions", _("Choose a file: questions, golden questions, or both."))
        return data

    @property
    def sent(self) -> publishing.Files:
        """Return the lists as bytes."""
        data = self.cleaned_data
        content = {
            name: bytes(file.read()) if (file := data.get(name)) else data[f"{name}_content"].encode() or None
            for name in LISTS
        }
        return publishing.Files(None, content["questions"], content["golden"])
