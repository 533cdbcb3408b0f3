"""What a researcher fills in about raters."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from raters import sources
from raters.selectors import rights

MOST_INVITES = 1000


class ReasonForm(forms.Form):
    """Why something is excluded."""

    reason = forms.CharField(
        label=_("Why?"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Kept with the verdict, for whoever reads the data later. Raters never see it."),
    )


class InvitesForm(forms.Form):
    """How many links, and for which study."""

    study: forms.ModelChoiceField[Any] = forms.ModelChoiceField(queryset=None, label=_("Study"))
    number = forms.IntegerField(
        label=_("How many links"), min_value=1, max_value=MOST_INVITES, initial=10, help_text=_("One for each person.")
    )
    label = forms.CharField(
        label=_("What for"),
        max_length=60,
        required=False,
        help_text=_(
            "To find them again, such as “Tuesday’s group”. Don’t write anybody’s name: raters stay pseudonyms."
        ),
    )

    def __init__(self, *args: Any, studies: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["study"].queryset = studies  # type: ignore[attr-defined]


class ErasePersonForm(forms.Form):
    """Whom to erase: by what their platform calls them, or by our own number."""

    source: forms.ChoiceField = forms.ChoiceField(label=_("Where they came from"), choices=())
    person = forms.CharField(
        label=_("The platform’s id of the person"),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text=_("Such as a PROLIFIC_PID."),
    )
    rater = forms.IntegerField(
        label=_("Or the number of the rater"),
        min_value=1,
        required=False,
        help_text=_("Raters find it on the page “Study information”."),
    )
    sure = forms.BooleanField(label=_("I have checked that this is the person who asks"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = [(source.name, source.label) for source in sources.offered()]
        self.fields["source"].choices = offered  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Find the person; `found` is the rater's number."""
        given: dict[str, Any] = super().clean() or self.cleaned_data
        person, number = given.get("person"), given.get("rater")
        if bool(person) == bool(number):
            raise forms.ValidationError(_("Give one of the two: the platform’s id, or the number."))
        found = number
        if person:
            found = rights.rater_called(source=given["source"], person=person)
        if found is None or not rights.is_known(found):
            raise forms.ValidationError(_("Nobody is known by this, or not any more."))
        return {**given, "found": found}


class NewExpertForm(forms.Form):
    """The account of somebody who was invited."""

    username = forms.CharField(
        label=_("Name to sign in with"), max_length=150, widget=forms.TextInput(attrs={"autocomplete": "username"})
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=_("At least 8 characters, and not one of the common ones."),
    )
    again = forms.CharField(
        label=_("Password, once more"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean_again(self) -> str:
        again = str(self.cleaned_data["again"])
        if "password" in self.cleaned_data and again != self.cleaned_data["password"]:
            raise forms.ValidationError(_("The two passwords differ."))
        return again
