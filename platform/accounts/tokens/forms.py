"""The form that makes a token."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts.tokens.models import ApiToken
from accounts.tokens.scopes import choices
from core import clock

if TYPE_CHECKING:
    Form = forms.ModelForm[ApiToken]
else:
    Form = forms.ModelForm


class NewTokenForm(Form):
    """What the token is for, what it may do, and until when."""

    scopes = forms.MultipleChoiceField(
        label=_("It may"),
        choices=choices,
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "Never more than you may yourself, and only in the studies that you see. Choose as little as will do."
        ),
    )
    expires_at = forms.DateField(
        label=_("last day"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=_("Empty: it works until it is revoked. The day ends at midnight UTC."),
    )

    class Meta:
        model = ApiToken
        fields = ("name", "scopes", "expires_at")

    def clean_expires_at(self) -> datetime | None:
        day: date | None = self.cleaned_data["expires_at"]
        if day is None:
            return None
        until = datetime.combine(day, time(), UTC) + timedelta(days=1)
        if until <= clock.now():
            raise ValidationError(_("Choose a day to come, or none."))
        return until
