"""The form of the page that creates a study from a question, and the address it suggests."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from core.text.languages import with_names
from studies import hooks
from studies.definition import presets
from studies.definition.models import Study
from studies.definition.settings.crowd import Crowd
from studies.launch import saved_presets
from studies.launch.addresses import plain, unused
from studies.launch.duplicating import exclude_field, knows_people, with_clips_field
from studies.launch.states import slug_problem


class OriginSelect(forms.Select):
    """Studies to start from; marks those whose raters nobody knows again, so that the page doesn't exclude them."""

    def __init__(self, unknown: Collection[str], **options: Any) -> None:
        super().__init__(**options)
        self.unknown = unknown

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *args, **kwargs)
        if value in self.unknown:
            option["attrs"]["data-unknown"] = True
        return option


class NewStudy(forms.Form):
    """What one wants to know, a title, and an address that may be left to the server."""

    preset = forms.ChoiceField(required=False)
    origin = forms.ChoiceField(
        label=_("Study"),
        required=False,
        help_text=_("The new study gets its settings, texts and questions, in its language, and no answers."),
    )
    with_clips = with_clips_field()
    excludes = exclude_field()
    title = forms.CharField(
        label=_("Title"),
        max_length=200,
        help_text=_("Shown to raters."),
        error_messages={"required": _("Write a title. It is shown to raters.")},
        widget=forms.TextInput(attrs={"dir": "auto"}),
    )
    language = forms.ChoiceField(
        label=_("Language"),
        initial="en",
        help_text=_("Language of the preset texts. You can add other languages later."),
    )
    source = forms.ChoiceField(
        label=_("Where raters come from"),
        initial=Crowd().source,
        required=False,
        help_text=_(Crowd.model_fields["source"].description or ""),
    )
    anchors = forms.BooleanField(
        label=_("Low-pass anchors of each reference"),
        initial=True,
        required=False,
        help_text=_(
            "Raters also rate copies of each reference without its high frequencies. Without them the test is not "
            "MUSHRA as in ITU-R BS.1534."
        ),
    )
    slug = forms.CharField(
        label=_("Address"),
        required=False,
        help_text=_(
            "The last part of the rater link: lower-case letters, digits and hyphens. Leave empty to make it from the "
            "title. You can’t change it later."
        ),
    )

    def __init__(self, *args: Any, origins: Sequence[Study] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        preset, language, origin = (self.fields[name] for name in ("preset", "language", "origin"))
        assert isinstance(preset, forms.ChoiceField)
        assert isinstance(language, forms.ChoiceField)
        assert isinstance(origin, forms.ChoiceField)
        origin.choices = [("", _("None: start from a question")), *((each.slug, each.title) for each in origins)]
        origin.widget = OriginSelect({each.slug for each in origins if not knows_people(each)}, choices=origin.choices)
        source = self.fields["source"]
        assert isinstance(source, forms.ChoiceField)
        source.choices = [(each.name, each.label) for each in hooks.crowd_sources if not each.is_closed]
        if not origins:
            for name in ("origin", "with_clips", "excludes"):
                del self.fields[name]
        preset.choices = [*presets.choices(), *((each.slug, each.name) for each in saved_presets.listed())]
        language.choices = list(with_names(settings.CATALOGUES))

    def clean_slug(self) -> str:
        slug = str(self.cleaned_data["slug"])
        if slug and (problem := slug_problem(slug)):
            raise ValidationError(problem)
        return slug

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if "preset" in cleaned and not cleaned["preset"] and not cleaned.get("origin"):
            self.add_error("preset", _("Choose a question."))
        if {"preset", "title", "slug"} <= cleaned.keys() and not cleaned["slug"]:
            cleaned["slug"] = free_slug(cleaned["title"], otherwise=cleaned["preset"] or cleaned["origin"])
        return cleaned

    def focus(self) -> None:
        """Put the cursor into the first field that has a problem, at first into the title."""
        names = [name for name in ("title", "language", "slug") if not self.errors or name in self.errors]
        if names:
            self.fields[names[0]].widget.attrs["autofocus"] = True


def free_slug(title: str, *, otherwise: str) -> str:
    """Return an address that no study has, made of the Latin letters and digits of a title, else of `otherwise`."""
    base = plain(title)
    if slug_problem(base):
        base = plain(otherwise)
    return unused(base, set(Study.with_previews.filter(slug__startswith=base).values_list("slug", flat=True)))
