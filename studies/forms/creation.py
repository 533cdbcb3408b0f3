"""The form that makes a study from a preset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.languages import named
from studies import presets
from studies.models import Study
from studies.services.studies import slug_problem

if TYPE_CHECKING:
    StudyForm = forms.ModelForm[Study]
else:
    StudyForm = forms.ModelForm


class NewStudyForm(StudyForm):
    """Preset, language, title and address; everything else has a default and is changed on the next page."""

    preset = forms.ChoiceField(label=_("Preset"), widget=forms.RadioSelect)
    language = forms.ChoiceField(
        label=_("Language"),
        initial="en",
        help_text=_(
            "Of the texts that the study begins with. In another one, write them yourself, and more can follow."
        ),
    )

    class Meta:
        model = Study
        fields = ("title", "slug")
        labels = {"slug": _("Address")}
        help_texts = {
            "title": _("Raters see it."),
            "slug": _(
                "The last part of the raters’ link: lower-case letters, digits and hyphens. It can’t change later."
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
        language.choices = list(named(settings.CATALOGUES))
        # Django's own slug check comes before clean_slug and would allow capitals and underscores in words.
        self.fields["slug"].error_messages["invalid"] = slug_problem("")

    def clean_slug(self) -> str:
        slug = str(self.cleaned_data["slug"])
        if problem := slug_problem(slug):
            raise ValidationError(problem)
        return slug


def _said(preset: str, label: str) -> tuple[str, str]:
    summary = presets.get(preset).summary
    return gettext(label), gettext(summary) if summary else ""
