"""Admin pages for raters' personal links: create a batch, list and revoke them."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import CharField, Exists, OuterRef, QuerySet
from django.db.models.functions import Cast
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.users.own_rows import OwnFilter, ReadOnly
from core import clock
from raters.people import invites
from raters.people.models import Session
from raters.sources.invite import InviteSource
from raters.sources.models import Invite
from studies.members import access
from studies.members.rows import StudyRows
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from accounts.users.models import User

MOST_INVITES = 1000


class InvitesForm(forms.Form):
    """Form for creating personal links to a study."""

    study: forms.ModelChoiceField[Any] = forms.ModelChoiceField(queryset=None, label=_("Study"))
    number = forms.IntegerField(
        label=_("How many links"), min_value=1, max_value=MOST_INVITES, initial=10, help_text=_("One for each person.")
    )
    label = forms.CharField(
        label=_("Label"),
        max_length=60,
        required=False,
        help_text=_(
            "To find them again, such as “Tuesday’s group”. Don’t write anybody’s name: raters stay pseudonyms."
        ),
    )

    def __init__(self, *args: Any, studies: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["study"].queryset = studies  # type: ignore[attr-defined]


@admin.register(Invite)
class InviteAdmin(StudyRows[Invite], ReadOnly[Invite]):
    """List personal links with their use, and revoke them."""

    actions = ("take_back",)
    list_display = ("id", "study", "label", "made_at", "made_by", "used", "revoked_at")
    list_filter = (("study", OwnFilter), "label", ("revoked_at", admin.EmptyFieldListFilter))
    list_select_related = ("study", "made_by")
    fields = ("study", "label", "made_by", "made_at", "used", "revoked_at")
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Invite]:
        came = Session.objects.filter(source=InviteSource.name, ext_session=Cast(OuterRef("pk"), CharField()))
        return super().get_queryset(request).annotate(is_used=Exists(came))

    @admin.display(description=_("used"), boolean=True)
    def used(self, invite: Invite) -> bool:
        return bool(getattr(invite, "is_used", False))

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return request.user.has_perm("raters.add_invite")

    def has_take_back_permission(self, request: HttpRequest) -> bool:
        """Revoking needs the change permission, although no field is editable."""
        return request.user.has_perm("raters.change_invite") and self.acts_somewhere(request)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Create links and return them in this response; only their hashes are stored."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        studies = access.visible(request.user, Capability.CHANGE_STUDY).order_by("title")
        form = InvitesForm(request.POST or None, studies=studies, initial={"study": request.GET.get("study")})
        if form.is_valid():
            return self._hand_over(request, **form.cleaned_data)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "form": form,
            "title": _("Create personal links"),
        }
        return TemplateResponse(request, "admin/raters/invites.html", context, status=422 if form.errors else 200)

    def _hand_over(self, request: HttpRequest, *, study: Any, number: int, label: str) -> HttpResponse:
        by: User = request.user  # type: ignore[assignment]
        links = invites.create_links(
            study_id=study.pk, slug=study.slug, number=number, label=label, by=by, now=clock.now()
        )
        response = HttpResponse(content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{study.slug}-links.csv"'
        table = csv.writer(response)
        table.writerow(["invitation", "link"])
        table.writerows(links)
        return response

    @admin.action(description=_("Revoke"), permissions=["take_back"])
    def take_back(self, request: HttpRequest, chosen: QuerySet[Invite]) -> None:
        done = invites.take_back(ids=list(chosen.values_list("pk", flat=True)), now=clock.now())
        message = ngettext("{number} link was revoked.", "{number} links were revoked.", done)
        messages.success(request, message.format(number=done))
