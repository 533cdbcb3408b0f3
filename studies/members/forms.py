"""The forms of a study's members."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from studies.members.models import GivenRole


class MemberInviteForm(forms.Form):
    """A role, and the name by which the owner recognises the invitation."""

    role = forms.ChoiceField(label=_("Role"), choices=GivenRole.choices, initial=GivenRole.EDITOR)
    email = forms.EmailField(
        label=_("Recipient (e-mail, optional)"),
        required=False,
        help_text=_("Only shown in the list below: no e-mail is sent. Send the link to the person yourself."),
    )
