"""What a researcher fills in about raters."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class ReasonForm(forms.Form):
    """Why something is excluded."""

    reason = forms.CharField(
        label=_("Why?"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Kept with the verdict, for whoever reads the data later. Raters never see it."),
    )
