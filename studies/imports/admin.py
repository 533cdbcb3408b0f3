"""Clips and questions in the admin: to listen to, read and withdraw, never to change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import FileResponse, Http404, HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.users.own_rows import OwnFilter
from core import clock
from core.files import storage
from core.text.numbers import decimals
from core.web import client_input
from core.web.counted_pages import CountedPaginator
from studies.clips import black_box, figures
from studies.clips.figures import Group
from studies.clips.models import Clip, Question
from studies.imports import changes
from studies.members import access
from studies.members.rows import StudyRows
from studies.rules.roles import Capability

# The filter by study in an address.
STUDY = "study__id__exact"
DESCRIPTION = ("file", "system", "role", "voice", "text", "dimension", "language", "box")
DESCRIPTION_TOO = (
    "benchmark", "condition", "domain", "take", "prompt_file", "seen", "expected", "extra", "added_at", "withdrawn_at",
)  # fmt: skip


def rounded(name: str, digits: int) -> Callable[[Clip], str]:
    """Return a field that shows a clip's number rounded; its name has the admin add the column's help."""

    def show(clip: Clip) -> str:
        return decimals(getattr(clip, name), digits)

    show.__name__ = name
    return show


# The stubs know names only, not functions.
SOUND: tuple[Any, ...] = (
    rounded("duration", 2),
    "sample_rate",
    "channels",
    "codec",
    "bit_depth",
    rounded("loudness", 1),
    rounded("true_peak", 1),
    rounded("clipped", 4),
    rounded("gain", 1),
    rounded("silence_before", 2),
    rounded("silence_after", 2),
)


def shown_groups(request: HttpRequest) -> list[Group]:
    """Return the clips by group of the study that is filtered by, or of all that the user may see."""
    studies = access.visible(request.user, ClipAdmin.sees)
    if study := request.GET.get(STUDY, ""):
        studies = studies.filter(pk=client_input.whole_number(study) or 0)
    return figures.of_studies(list(studies.values_list("pk", flat=True)), withdrawn=True)


class NameFilter(admin.SimpleListFilter):
    """By a name that occurs in the study that is filtered by, or in all that the user may see."""

    column = ""

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[str, str]]:
        names = {getattr(group, str(self.parameter_name)) for group in shown_groups(request)}
        return [(name, name) for name in sorted(filter(None, names))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Clip]) -> QuerySet[Clip]:
        return queryset.filter(**{self.column: self.value()}) if self.value() else queryset


class SystemFilter(NameFilter):
    title = _("system")
    parameter_name = "system"
    column = "system__name"


class DimensionFilter(NameFilter):
    title = _("dimension")
    parameter_name = "dimension"
    column = "dimension"


@admin.register(Clip)
class ClipAdmin(StudyRows[Clip]):
    """A list with filters; the fields are read-only from the moment a clip is in."""

    list_display = ("file", "study", "system", "role", "voice", "text", "dimension", "seconds", "lufs", "withdrawn_at")
    list_filter = (
        ("study", OwnFilter),
        "role",
        SystemFilter,
        DimensionFilter,
        ("withdrawn_at", admin.EmptyFieldListFilter),
    )
    list_select_related = ("study", "system", "text")
    search_fields = ("file", "voice", "text__name")
    show_full_result_count = False
    # By an index, as the studies were made.
    ordering = ("study_id", "file")
    actions = ("withdraw", "restore")
    fieldsets = (
        (None, {"fields": ("study", "listen", *DESCRIPTION, *DESCRIPTION_TOO)}),
        (_("Sound of the original"), {"fields": (*SOUND, "fingerprint")}),
    )

    def get_paginator(
        self, request: HttpRequest, queryset: QuerySet[Any], per_page: int, *options: Any, **more: Any
    ) -> Any:
        """Return pages whose number is known where nothing but the study is filtered by."""
        is_filtered = set(request.GET) - {STUDY, "p", "o"}
        number = None if is_filtered else sum(group.clips for group in shown_groups(request))
        return CountedPaginator(queryset, per_page, number)

    @admin.display(description=_("seconds"), ordering="duration")
    def seconds(self, clip: Clip) -> str:
        return f"{clip.duration:.2f}"

    @admin.display(description=_("LUFS"), ordering="loudness")
    def lufs(self, clip: Clip) -> str:
        return "–" if clip.loudness is None else decimals(clip.loudness, 1)

    @admin.display(description=_("fingerprint (SHA-256)"))
    def fingerprint(self, clip: Clip) -> str:
        return clip.sha256

    @admin.display(description=_("Rendition for raters"))
    def listen(self, clip: Clip) -> SafeString:
        return format_html(
            '<audio controls preload="none" src="{}"></audio>', reverse("admin:studies_clip_audio", args=[clip.pk])
        )

    @admin.action(description=_("Withdraw: no longer show to raters"), permissions=["withdraw"])
    def withdraw(self, request: HttpRequest, chosen: QuerySet[Clip]) -> None:
        number = changes.withdraw(clips=list(chosen.values_list("pk", flat=True)), now=clock.now())
        message = ngettext("{number} clip was withdrawn.", "{number} clips were withdrawn.", number)
        messages.success(request, message.format(number=number))

    @admin.action(description=_("Restore: show to raters again"), permissions=["withdraw"])
    def restore(self, request: HttpRequest, chosen: QuerySet[Clip]) -> None:
        number = changes.restore(clips=list(chosen.values_list("pk", flat=True)), now=clock.now())
        message = ngettext("{number} clip was restored.", "{number} clips were restored.", number)
        messages.success(request, message.format(number=number))

    def get_urls(self) -> list[URLPattern]:
        audio = path("<int:pk>/audio/", self.admin_site.admin_view(self.audio), name="studies_clip_audio")
        return [audio, *super().get_urls()]

    def audio(self, request: HttpRequest, pk: int) -> FileResponse:
        """Send the rendition to the researcher."""
        clip = self.get_object(request, str(pk))
        if clip is None:
            raise Http404
        if not self.has_view_permission(request, clip):
            raise PermissionDenied
        return FileResponse(storage.open_file(clip.rendition), content_type="audio/wav")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_withdraw_permission(self, request: HttpRequest) -> bool:
        """Withdrawing needs the right to change clips, though no field of one ever changes."""
        return request.user.has_perm("studies.change_clip") and self.acts_somewhere(request)

    def has_delete_permission(self, request: HttpRequest, obj: Clip | None = None) -> bool:
        """Allow deleting clips before the launch; later they can only be withdrawn."""
        if obj is not None and obj.study.launched_at is not None:
            return False
        return super().has_delete_permission(request, obj)

    def delete_model(self, request: HttpRequest, obj: Clip) -> None:
        changes.remove(clips=[obj.pk], now=clock.now())

    def delete_queryset(self, request: HttpRequest, chosen: QuerySet[Clip]) -> None:
        changes.remove(clips=list(chosen.values_list("pk", flat=True)), now=clock.now())


@admin.register(Question)
class QuestionAdmin(StudyRows[Question]):
    """The questions on passages, the right answer first, and the golden questions."""

    list_display = ("name", "prompt", "answers", "golden", "study")
    list_filter = (("study", OwnFilter), "golden")
    list_select_related = ("study",)
    search_fields = ("name", "prompt")
    ordering = ("study", "golden", "pk")
    show_full_result_count = False
    fields = ("study", "name", "text", "golden", "prompt", "answers")
    readonly_fields = ("answers",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Question]:
        """Leave out questions about black-box passages of studies that this person may not change."""
        rows = super().get_queryset(request)
        changed = access.visible(request.user, Capability.CHANGE_STUDY)
        asking = Question.objects.filter(text__isnull=False).values("study")
        for study in access.visible(request.user).filter(pk__in=asking).exclude(pk__in=changed.values("pk")):
            if names := black_box.withheld(study, request.user):
                rows = rows.exclude(study=study, text__name__in=names)
        return rows

    @admin.display(description=_("answers (the right one first)"))
    def answers(self, question: Question) -> SafeString:
        right, *others = question.options
        marked = [(right["text"], _("right"))] + [(option["text"], option["error"]) for option in others]
        lines = ((text, format_html(" ({})", mark) if mark else "") for text, mark in marked)
        return format_html_join(SafeString("<br>"), "{}{}", lines)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Question | None = None) -> bool:
        """Allow deleting questions before the launch, so that better ones can be imported."""
        if obj is not None and obj.study.launched_at is not None:
            return False
        return super().has_delete_permission(request, obj)

    def delete_model(self, request: HttpRequest, obj: Question) -> None:
        changes.remove_questions(questions=[obj.pk])

    def delete_queryset(self, request: HttpRequest, chosen: QuerySet[Question]) -> None:
        changes.remove_questions(questions=list(chosen.values_list("pk", flat=True)))
