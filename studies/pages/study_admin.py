"""Studies in the admin: create one from a preset, then change its settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.users.models import User
from core import clock
from core.errors import DomainError
from studies.definition import presets
from studies.definition.models import Study
from studies.launch import states
from studies.members import access
from studies.pages.form_fields import key
from studies.pages.frame import frame, page
from studies.pages.member_pages import MemberPages
from studies.pages.settings_forms import GROUPS, NewStudyForm, SettingsForm, settings_form
from studies.rules.roles import Capability

FOLDED = {
    *("texts", "audio", "crowd", "recruitment", "screening"),
    *("questionnaire", "results", "payment", "review", "coding", "spot_check", "audit"),
}


@admin.register(Study)
class StudyAdmin(MemberPages):
    """The settings page of a study, and its other pages."""

    study = "pk"
    # Its manager leaves them out.
    hides_previews = False
    list_display = ("title", "slug", "pill", "owner", "created_at", "launched_at")
    list_filter = ("state",)
    search_fields = ("title", "slug")
    list_select_related = ("owner",)
    view_on_site = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Study]:
        # A pilot stays as it was started, so it has none of these pages.
        return super().get_queryset(request).filter(pilot_of=None)

    @admin.display(description=gettext_lazy("state"), ordering="state")
    def pill(self, study: Study) -> SafeString:
        return format_html('<span class="pill pill-{}">{}</span>', study.state, study.get_state_display())

    @admin.display(description=gettext_lazy("address"))
    def address(self, study: Study) -> str:
        return study.slug

    @admin.display(description=gettext_lazy("preset"))
    def preset(self, study: Study) -> str:
        return _(presets.get(study.draft["preset"]).label)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Study | None = None) -> bool:
        is_allowed = obj is None or access.may(obj, request.user, Capability.SEE_STUDY)
        return is_allowed and super().has_view_permission(request, obj)

    def has_change_permission(self, request: HttpRequest, obj: Study | None = None) -> bool:
        is_allowed = obj is None or access.may(obj, request.user, Capability.CHANGE_STUDY)
        return is_allowed and super().has_change_permission(request, obj)

    def get_form(self, request: HttpRequest, obj: Study | None = None, change: bool = False, **kwargs: Any) -> Any:
        form: type[forms.ModelForm[Any]] = settings_form(obj.draft["task_type"]) if obj else NewStudyForm
        return super().get_form(request, obj, change, **{**kwargs, "form": form, "fields": form._meta.fields})

    def get_fieldsets(self, request: HttpRequest, obj: Study | None = None) -> Any:
        if obj is None:
            return [(None, {"fields": ("preset", "language", "title", "slug")})]
        about = (None, {"fields": ("title", "notice", "remark", "address", "preset", "owner")})
        if not self.has_change_permission(request, obj):
            return [about]
        form = settings_form(obj.draft["task_type"])
        return [
            about,
            *(
                (
                    GROUPS[group],
                    {
                        "fields": tuple(key(group, name) for name in names),
                        "classes": ("collapse",) if group in FOLDED else (),
                    },
                )
                for group, names in form.groups.items()
            ),
        ]

    def get_readonly_fields(self, request: HttpRequest, obj: Study | None = None) -> tuple[str, ...]:
        return ("address", "preset", "owner") if obj else ()

    def get_prepopulated_fields(self, request: HttpRequest, obj: Study | None = None) -> dict[str, Sequence[str]]:
        return {} if obj else {"slug": ("title",)}

    def add_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method in {"GET", "HEAD"} and self.has_add_permission(request):
            return HttpResponseRedirect(reverse("workspace:new"))
        return super().add_view(request, *args, **kwargs)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        return super().changelist_view(request, {"title": _("Studies"), **(extra_context or {})})

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().changeform_view(request, *args, **kwargs)
        except DomainError as error:
            # The form can't detect this: another request changed the study meanwhile.
            messages.error(request, error.message)
            return HttpResponseRedirect(request.path)

    def save_model(self, request: HttpRequest, obj: Study, form: Any, change: bool) -> None:
        if isinstance(form, SettingsForm):
            states.update_draft(study=obj, raw=form.raw(), title=obj.title, notice=obj.notice, remark=obj.remark)
            return
        assert isinstance(request.user, User)
        study = states.create_study(
            slug=obj.slug,
            title=obj.title,
            preset=form.cleaned_data["preset"],
            language=form.cleaned_data["language"],
            owner=request.user,
            changes={},
            now=clock.now(),
        )
        obj.pk = study.pk
        obj.refresh_from_db()

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        obj = kwargs.get("obj")
        context |= {"show_save_and_add_another": False, "show_save_and_continue": False}
        if obj is not None:
            context |= {**frame(obj, request), "title": obj.title, "subtitle": None}
        else:
            context["title"] = _("New study")
        return super().render_change_form(request, context, *args, **kwargs)

    def response_add(self, request: HttpRequest, obj: Study, *args: Any, **kwargs: Any) -> HttpResponse:
        messages.success(request, _("The study was created with the preset's defaults. Check them, then add clips."))
        return HttpResponseRedirect(page("change", obj.pk))

    def response_change(self, request: HttpRequest, obj: Study) -> HttpResponse:
        saved = _("Saved.") if obj.launched_at is None else _("Saved in the draft. Publish it to apply it to raters.")
        messages.success(request, saved)
        return HttpResponseRedirect(request.path)
