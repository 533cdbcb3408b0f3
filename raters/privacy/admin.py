"""Admin pages for erasure requests: list and undo them, and erase a person."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.users.own_rows import ReadOnly
from core import clock
from core.errors import DomainError
from core.nudge import nudge
from raters import sources
from raters.payments import reconciling
from raters.people.models import Erasure, Session
from raters.privacy import requests
from raters.rating import rights
from studies.members import access
from studies.members.rows import StudyRows
from studies.rules.roles import Capability


class ErasePersonForm(forms.Form):
    """Form that finds the person to erase by platform id or rater number."""

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
        data: dict[str, Any] = super().clean() or self.cleaned_data
        person, number = data.get("person"), data.get("rater")
        if bool(person) == bool(number):
            raise forms.ValidationError(_("Enter either the platform’s ID or the number, not both."))
        rater = number
        if person:
            rater = rights.rater_with_id(source=data["source"], person=person)
        if rater is None or not rights.is_known(rater):
            raise forms.ValidationError(_("Nobody has this ID or number, or their ID has been deleted."))
        return {**data, "found": rater}


@admin.register(Erasure)
class ErasureAdmin(StudyRows[Erasure], ReadOnly[Erasure]):
    """List requests with their times and the number of deleted rows, but no deleted data."""

    study = "session__study"
    actions = ("take_back",)
    list_display = ("id", "kind", "rater", "session", "asked_at", "asked_by", "queued_at", "state", "erased_at")
    list_filter = ("kind", "state")
    list_select_related = ("rater", "session", "asked_by")
    search_fields = ("=rater__id", "=session__id")
    search_help_text = _("Number of the rater or of the session")
    fields = (
        "kind",
        "rater",
        "session",
        "asked_at",
        "asked_by",
        "queued_at",
        "state",
        "undone_at",
        "undone_by",
        "erased_at",
        "counts",
    )
    show_full_result_count = False

    sees = Capability.SEE_SESSIONS

    def of_studies(self, rows: QuerySet[Erasure], user: Any, capability: Capability) -> QuerySet[Erasure]:
        studies = access.visible(user, capability).values("pk")
        raters = Session.objects.filter(study__in=studies).values("rater")
        return rows.filter(Q(session__study__in=studies) | Q(session=None, rater__in=raters))

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return request.user.has_perm("raters.add_erasure")

    def has_take_back_permission(self, request: HttpRequest) -> bool:
        """Undoing needs the change permission, although no field is editable."""
        return request.user.has_perm("raters.change_erasure") and self.acts_somewhere(request)

    @admin.action(description=_("Keep the answers"), permissions=["take_back"])
    def take_back(self, request: HttpRequest, chosen: QuerySet[Erasure]) -> None:
        done = 0
        for row in chosen:
            try:
                requests.undo(erasure_id=row.pk, now=clock.now(), by=request.user)  # type: ignore[arg-type]
            except DomainError as error:
                messages.error(request, f"{row}: {error.message}")
            else:
                self.log_change(request, row, "Taken back.")
                done += 1
        if done:
            message = ngettext("{number} request was cancelled.", "{number} requests were cancelled.", done)
            messages.success(request, message.format(number=done))

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Find the person, show the data about them, and erase them after confirmation."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = ErasePersonForm(request.POST or None)
        sessions: list[Session] = []
        if form.is_valid():
            rater = form.cleaned_data["found"]
            sessions = list(Session.objects.filter(rater=rater).select_related("study").order_by("pk"))
            strangers = [session for session in sessions if not self._may_erase(request, session)]
            if strangers:
                form.add_error(None, _("This person took part in studies of others, too. Ask a superuser."))
                sessions = []
            elif form.cleaned_data["sure"]:
                return self._erase(request, rater)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "form": form,
            "sessions": sessions,
            "unpaid": reconciling.unpaid(sessions),
            "title": _("Erase a person"),
        }
        return TemplateResponse(request, "admin/raters/erase.html", context, status=422 if form.errors else 200)

    def _may_erase(self, request: HttpRequest, session: Session) -> bool:
        user = request.user
        return access.may(session.study, user, Capability.CHANGE_STUDY) or user.has_perm("raters.erase_anyone")

    def _erase(self, request: HttpRequest, rater: int) -> HttpResponse:
        erasure = requests.erase_person(rater_id=rater, now=clock.now(), by=request.user)  # type: ignore[arg-type]
        nudge(erasure.task_name, erasure.pk)
        self.log_addition(request, erasure, "Asked for.")
        messages.success(
            request,
            _(
                "Rater {number} is being erased. The answers are no longer used, and will be deleted in a moment."
            ).format(number=rater),
        )
        return HttpResponseRedirect(reverse("admin:raters_erasure_changelist"))
