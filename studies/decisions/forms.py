"""The form for inviting an expert."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class InviteForm(forms.Form):
    """The name by which the researcher recognises an invitation."""

    email = forms.EmailField(
        label=_("Recipient (e-mail, optional)"),
        required=False,
        help_text=_("Only shown in the list below: no e-mail is sent. Send the link to the person yourself."),
    )
