"""What a researcher fills in about raters."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

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
