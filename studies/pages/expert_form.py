"""What a researcher fills in to invite an expert."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class InviteForm(forms.Form):
    """Whom an invitation is for, as the researcher remembers them."""

    email = forms.EmailField(
        label=_("Whom it is for (e-mail, optional)"),
        required=False,
        help_text=_(
            "Only to tell invitations apart in the list below: nothing is sent. Give the link to the person yourself."
        ),
    )
