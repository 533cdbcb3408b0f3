"""The form for creating an account from an invitation."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class NewAccountForm(forms.Form):
    """User name and password of an invited person."""

    username = forms.CharField(
        label=_("User name"), max_length=150, widget=forms.TextInput(attrs={"autocomplete": "username"})
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=_("At least 12 characters, not one of the common passwords, and not like your name."),
    )
    again = forms.CharField(
        label=_("Repeat password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean_again(self) -> str:
        again = str(self.cleaned_data["again"])
        if "password" in self.cleaned_data and again != self.cleaned_data["password"]:
            raise forms.ValidationError(_("The passwords don’t match."))
        return again
