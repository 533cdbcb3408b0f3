"""API tokens in the admin: made and shown once, listed without their secret, revoked."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.tokens import services
from accounts.tokens.models import ApiToken, scope_choices
from accounts.users.models import User
from accounts.users.own_rows import OwnRows
from core import clock

if TYPE_CHECKING:
    Form = forms.ModelForm[ApiToken]
else:
    Form = forms.ModelForm


class NewTokenForm(Form):
    """Name, scopes and expiry of a new token."""

    scopes = forms.MultipleChoiceField(
        label=_("It may"),
        choices=scope_choices,
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "Never more than you may yourself, and only in the studies that you see. Choose as little as will do."
        ),
    )
    expires_at = forms.DateField(
        label=_("Last day"),
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


@admin.register(ApiToken)
class ApiTokenAdmin(OwnRows[ApiToken]):
    """People see their own tokens. Superusers see and revoke all, but create only their own."""

    form = NewTokenForm
    list_display = ("name", "begins", "owner", "may", "created_at", "last_used_at", "expires_at", "revoked_at")
    list_select_related = ("owner",)
    actions = ("revoke",)
    view_on_site = False
    fields = ("name", "begins", "owner", "may", "created_at", "last_used_at", "expires_at", "revoked_at")

    @admin.display(description=_("begins with"))
    def begins(self, token: ApiToken) -> str:
        return f"{token.prefix}…"

    @admin.display(description=_("may"))
    def may(self, token: ApiToken) -> str:
        return ", ".join(token.scopes)

    def owned_by(self, rows: QuerySet[ApiToken], user: Any) -> QuerySet[ApiToken]:
        return rows.filter(owner=user)

    def get_fields(self, request: HttpRequest, obj: ApiToken | None = None) -> Any:
        return self.fields if obj else NewTokenForm.Meta.fields

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Tokens are revoked, never deleted: records name them."""
        return False

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """Revoking needs the right to change tokens, though no field of one ever changes."""
        return request.user.has_perm("accounts.change_apitoken")

    @admin.action(description=_("Revoke: let nobody in with it any more"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, chosen: QuerySet[ApiToken]) -> None:
        number = 0
        for token in chosen:
            if services.revoke(token=token, now=clock.now()):
                number += 1
                self.log_change(request, token, "Revoked.")
        sentence = ngettext("{number} token is revoked.", "{number} tokens are revoked.", number)
        messages.success(request, sentence.format(number=number))

    def save_model(self, request: HttpRequest, obj: ApiToken, form: Any, change: bool) -> None:
        assert isinstance(request.user, User)
        fields = form.cleaned_data
        token, secret = services.create(
            owner=request.user,
            name=fields["name"],
            scopes=fields["scopes"],
            expires_at=fields["expires_at"],
            now=clock.now(),
        )
        obj.pk = token.pk
        obj.refresh_from_db()
        # Shown only in the response to this request: only its hash is kept.
        request._made_token = secret  # type: ignore[attr-defined]

    def response_add(self, request: HttpRequest, obj: ApiToken, *args: Any, **kwargs: Any) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": _("The token is made"),
            "token": obj,
            "secret": request._made_token,  # type: ignore[attr-defined]
        }
        return TemplateResponse(request, "admin/accounts/apitoken/made.html", context)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        context |= {"show_save_and_add_another": False, "show_save_and_continue": False}
        return super().render_change_form(request, context, *args, **kwargs)
