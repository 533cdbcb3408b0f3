"""Forms of the page of texts: one text, the dimensions of a study, and the table that is imported."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.text.languages import translate
from core.web import client_input
from studies.corpus import queries, text_table
from studies.corpus.models import CorpusSettings, CorpusText
from studies.definition.models import Study

MOST_DIMENSIONS = 40


class TextForm(forms.Form):
    """A text with its facts; the id can be set only for a new one."""

    name = forms.CharField(label=gettext_lazy("Text id"), max_length=200, help_text=gettext_lazy("As clips name it."))
    body = forms.CharField(label=gettext_lazy("Text"), max_length=20_000, widget=forms.Textarea({"rows": 4}))
    dimension = forms.CharField(label=gettext_lazy("Dimension"), max_length=100, required=False)
    box = forms.ChoiceField(
        label=gettext_lazy("Box"),
        choices=[("", "–"), *CorpusText.Box.choices],
        required=False,
        help_text=gettext_lazy("The words of black-box texts never leave this server in public."),
    )
    language = forms.CharField(label=gettext_lazy("Language"), max_length=20, required=False)
    style = forms.CharField(
        label=gettext_lazy("Style prompt"),
        max_length=2_000,
        required=False,
        help_text=gettext_lazy("How it should sound, such as “tired, whispering”."),
    )
    turns = forms.CharField(
        label=gettext_lazy("Dialogue before it"),
        max_length=20_000,
        required=False,
        widget=forms.Textarea({"rows": 2}),
        help_text=gettext_lazy("One turn a line, such as “Anna: Are you coming?”."),
    )
    source = forms.CharField(label=gettext_lazy("Source"), max_length=300, required=False)
    licence = forms.CharField(label=gettext_lazy("License"), max_length=200, required=False)

    def __init__(self, data: Any = None, *, study: Study, text: CorpusText | None = None) -> None:
        initial = {"language": study.definition.texts.language}
        if text is not None:
            initial = {name: getattr(text, name) for name in self.base_fields} | {
                "turns": text_table.lines_of(text.turns)
            }
        super().__init__(data, initial=initial, auto_id=f"text{text.pk if text else ''}_%s")
        self.fields["dimension"].widget.attrs["list"] = "known-dimensions"
        for name in ("body", "style", "turns", "source"):
            self.fields[name].widget.attrs["dir"] = "auto"
        if text is not None:
            del self.fields["name"]

    def clean_turns(self) -> list[dict[str, str]]:
        try:
            return text_table.turns_of(self.cleaned_data["turns"])
        except ValueError as error:
            raise forms.ValidationError(translate(str(error))) from error

    @property
    def values(self) -> dict[str, Any]:
        """Return the fields of the text, without its id."""
        values = {name: value for name, value in self.cleaned_data.items() if name != "name"}
        return {**values, "body": values["body"].replace("\r\n", "\n")}


class CorpusSettingsForm(forms.Form):
    """The study's dimensions, one a line, and whether a second person checks."""

    dimensions = forms.CharField(
        label=gettext_lazy("Dimensions"),
        max_length=20_000,
        required=False,
        widget=forms.Textarea({"rows": 5, "dir": "auto"}),
        help_text=gettext_lazy(
            "One a line: name, colon, one sentence. Leave empty for the five dimensions of the ATT paper."
        ),
    )
    cross_check = forms.BooleanField(
        label=gettext_lazy("A second person cross-checks accepted texts"),
        required=False,
        help_text=gettext_lazy(
            "Lists then contain only texts that two people approved. Turn it off if you work on the texts alone."
        ),
    )

    def clean_dimensions(self) -> list[dict[str, str]]:
        found: dict[str, str] = {}
        for line in self.cleaned_data["dimensions"].replace("\uff1a", ":").splitlines():
            name, _mark, explanation = line.partition(":")
            if len(name.strip()) > 100:
                raise forms.ValidationError(_("The name of a dimension has at most 100 characters."))
            if name.strip():
                found[name.strip()] = explanation.strip()[:500]
        if len(found) > MOST_DIMENSIONS:
            raise forms.ValidationError(_("List at most {most} dimensions.").format(most=MOST_DIMENSIONS))
        return [{"name": name, "explanation": explanation} for name, explanation in found.items()]

    @classmethod
    def of(cls, row: CorpusSettings) -> CorpusSettingsForm:
        """Return the form with what is set."""
        lines = [f"{each['name']}: {each['explanation']}".rstrip(": ") for each in row.dimensions]
        return cls(initial={"dimensions": "\n".join(lines), "cross_check": row.cross_check})


class SplitForm(forms.Form):
    """A random split of all texts into black box and white box."""

    percent = forms.IntegerField(
        label=gettext_lazy("Black box, % of each dimension"), min_value=1, max_value=99, initial=50
    )
    seed = forms.IntegerField(label=gettext_lazy("Seed"), min_value=0, max_value=2**31 - 1, initial=1)


class ImportTextsForm(forms.Form):
    """A CSV of texts: the file at first, then what it contained, to be confirmed."""

    table = forms.FileField(label=gettext_lazy("Texts (CSV)"), required=False)
    content = forms.CharField(required=False, widget=forms.HiddenInput, strip=False)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        table = data.get("table")
        if table is not None and (problem := client_input.too_large(table.size, client_input.LARGEST_CONFIRMED)):
            self.add_error("table", problem)
        elif table is None and not data.get("content"):
            self.add_error("table", _("Choose a file."))
        return data

    @property
    def sent(self) -> bytes:
        """Return the table as bytes."""
        table = self.cleaned_data.get("table")
        return bytes(table.read()) if table is not None else self.cleaned_data["content"].encode()


def dimension_choices(study: Study) -> list[tuple[str, str]]:
    """Return (name, label) of the study's dimensions, and names that its texts have besides."""
    known = {each.name: str(each.label) for each in queries.dimensions(study)}
    return list((known | {name: name for name in queries.choices(study, "dimension") if name not in known}).items())
