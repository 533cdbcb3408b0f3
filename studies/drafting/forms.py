"""Forms of drafting: what to draft, with limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from core.web import client_input
from studies.corpus import queries as corpus_queries
from studies.corpus.models import CorpusText
from studies.drafting import queries
from studies.drafting.rules.plans import (
    LONGEST_TOPICS,
    MOST_DIMENSIONS,
    MOST_GOLDEN,
    MOST_TEXTS,
    USUAL_CALLS,
    USUAL_QUESTIONS,
    USUAL_TOKENS,
)
from studies.drafting.rules.question_checks import TRIES
from studies.drafting.rules.text_checks import SIMILARITY, usual_length
from studies.rules.text import FEWEST, MOST

if TYPE_CHECKING:
    from studies.definition.models import Study

# Passages to choose from.
LISTED = 500
# Stands for all dimensions of the study.
ALL = "*"
LIMITS = ("budget_tokens", "budget_calls", "people")


class DraftForm(forms.Form):
    """Shared by the forms of all kinds. The service checks limits, since commands use it too."""

    budget_tokens = forms.IntegerField(
        label=_("Budget: tokens"),
        initial=USUAL_TOKENS,
        help_text=_("The run ends before its next request once it has used as many."),
    )
    budget_calls = forms.IntegerField(label=_("Budget: requests"), initial=USUAL_CALLS)

    # Shown at once; the other fields are under Advanced.
    first: tuple[str, ...] = ()

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.study = study
        self.prepare()
        for name in self.fields:
            field = self[name]
            described = [f"{field.id_for_label}_helptext"] if field.help_text else []
            described += [f"{field.id_for_label}_error"] if self.is_bound and field.errors else []
            if described:
                field.field.widget.attrs["aria-describedby"] = " ".join(described)
            if self.is_bound and field.errors:
                field.field.widget.attrs["aria-invalid"] = "true"

    def prepare(self) -> None:
        """Fill in what depends on the study."""

    @property
    def plan(self) -> dict[str, Any]:
        """Return the entered plan without the limits."""
        return {name: value for name, value in self.cleaned_data.items() if name not in LIMITS}

    @property
    def limits(self) -> dict[str, int]:
        """Return the limits that were entered."""
        return {name: int(self.cleaned_data[name]) for name in LIMITS if name in self.cleaned_data}

    @property
    def shown(self) -> list[forms.BoundField]:
        return [self[name] for name in self.first]

    @property
    def advanced(self) -> list[forms.BoundField]:
        return [field for field in self.visible_fields() if field.name not in self.first]

    @property
    def is_advanced_wrong(self) -> bool:
        return any(field.errors for field in self.advanced)


class TextForm(DraftForm):
    """Texts for a dimension, or for all."""

    dimension = forms.ChoiceField(label=_("Dimension"))
    number = forms.IntegerField(
        label=_("Number of texts"), initial=10, min_value=1, max_value=MOST_TEXTS,
        help_text=_("For each dimension. Each is written, then made colloquial, then checked."),
    )  # fmt: skip
    language = forms.CharField(
        label=_("Language"), max_length=20, help_text=_("A language tag, such as zh-hans or en.")
    )
    box = forms.ChoiceField(label=_("Box"), required=False, choices=[("", _("neither")), *CorpusText.Box.choices])
    topics = forms.CharField(
        label=_("Topics (optional)"), required=False, max_length=LONGEST_TOPICS,
        widget=forms.Textarea(attrs={"rows": 2}), help_text=_("What the texts are about, such as: food, travel, work."),
    )  # fmt: skip
    shortest = forms.IntegerField(
        label=_("Shortest text, in characters"),
        required=False,
        help_text=_("Leave empty for the usual length in the language: 40 in Chinese, 120 in English."),
    )
    longest = forms.IntegerField(
        label=_("Longest text, in characters"),
        required=False,
        help_text=_("Leave empty for the usual length in the language: 120 in Chinese, 400 in English."),
    )
    similarity = forms.FloatField(
        label=_("Near duplicates from a similarity of"),
        initial=SIMILARITY,
        help_text=_("Share of common character n-grams, 0 to 1: bigrams in Chinese, five letters otherwise."),
    )
    first = ("dimension", "number", "language", "box", "topics")

    def prepare(self) -> None:
        dimensions = corpus_queries.dimensions(self.study)
        choices: list[tuple[str, Any]] = [(each.name, each.label) for each in dimensions]
        if 1 < len(dimensions) <= MOST_DIMENSIONS:
            choices.append((ALL, _("All {number} dimensions").format(number=len(dimensions))))
        self.fields["dimension"].choices = choices  # type: ignore[attr-defined]
        self.initial = {"language": self.study.definition.texts.language, **self.initial}

    def clean(self) -> dict[str, Any]:
        """Fill in empty lengths with those usual in the language."""
        shortest, longest = usual_length(str(self.cleaned_data.get("language", "")))
        usual = {"shortest": shortest, "longest": longest}
        empty = {name: value for name, value in usual.items() if self.cleaned_data.get(name, "") is None}
        chosen = {}
        if self.cleaned_data.get("dimension") == ALL:
            first, *others = (each.name for each in corpus_queries.dimensions(self.study))
            chosen = {"dimension": first, "others": others}
        return {**self.cleaned_data, **empty, **chosen}


class QuestionForm(DraftForm):
    """Questions about passages."""

    passages = forms.TypedMultipleChoiceField(
        label=_("Passages"), coerce=int, widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one passage.")},
    )  # fmt: skip
    number = forms.IntegerField(
        label=_("Questions for each passage"), initial=USUAL_QUESTIONS, min_value=FEWEST, max_value=MOST
    )
    people = forms.TypedChoiceField(
        label=_("Who decides on each question"),
        coerce=int,
        choices=[(1, _("one person")), (2, _("two people, independently"))],
        help_text=_("Where two people differ, the question is listed and settled by one more decision."),
    )
    tries = forms.IntegerField(
        label=_("Tries to answer without the passage"), initial=TRIES, min_value=0, max_value=10,
        help_text=_("With shuffled options. A question that three of four tries get right is flagged."),
    )  # fmt: skip
    first = ("passages", "number", "people")

    def prepare(self) -> None:
        known = queries.passages(self.study, limit=LISTED + 1)
        if len(known) > LISTED:
            known = queries.passages(self.study, limit=LISTED, new=True)
            self.fields["passages"].help_text = _(
                "At most {number} passages without questions are listed. The next ones follow once these have some."
            ).format(number=LISTED)
            if self.is_bound:
                # Another person may have drafted questions on the chosen ones in the meantime.
                keys = [key for each in cast(QueryDict, self.data).getlist(self.add_prefix("passages"))
                        if (key := client_input.whole_number(each)) is not None]  # fmt: skip
                known = list({each.pk: each for each in [*known, *queries.passages(self.study, keys=keys)]}.values())
        known = [passage for passage in known if passage.body]
        field = self.fields["passages"]
        field.choices = [(passage.pk, passage.name) for passage in known]  # type: ignore[attr-defined]
        new = [each.pk for each in known if not each.questions and not each.drafted]
        self.initial = {"passages": new, **self.initial}


class GoldenForm(DraftForm):
    """Golden questions."""

    number = forms.IntegerField(label=_("Number of questions"), initial=10, min_value=1, max_value=MOST_GOLDEN)
    language = forms.CharField(label=_("Language"), max_length=20)
    topics = forms.CharField(label=_("Topics (optional)"), required=False, max_length=LONGEST_TOPICS)
    people = QuestionForm.base_fields["people"]
    tries = forms.IntegerField(
        label=_("Tries to answer them"), initial=TRIES, min_value=0, max_value=10,
        help_text=_("A golden question that not every try gets right is flagged."),
    )  # fmt: skip
    first = ("number", "topics", "people")

    def prepare(self) -> None:
        self.initial = {"language": self.study.definition.texts.language, **self.initial}


FORMS: dict[str, type[DraftForm]] = {"texts": TextForm, "questions": QuestionForm, "golden": GoldenForm}
