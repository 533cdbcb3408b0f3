"""Questions in the admin: to be read beside their options, never changed."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from accounts.scoping import OwnFilter, OwnRows
from studies.models import Question
from studies.services import questions


@admin.register(Question)
class QuestionAdmin(OwnRows[Question]):
    """What raters are asked on each passage, the right answer first, and the golden questions."""

    list_display = ("name", "prompt", "answers", "golden", "study")
    list_filter = (("study", OwnFilter), "golden")
    list_select_related = ("study",)
    search_fields = ("name", "prompt")
    ordering = ("study", "golden", "pk")
    show_full_result_count = False
    fields = ("study", "name", "text", "golden", "prompt", "answers")
    readonly_fields = ("answers",)

    @admin.display(description=_("answers, the right one first"))
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
        """Before the launch a question may go, so that a better one can be imported."""
        if obj is not None and obj.study.launched_at is not None:
            return False
        return super().has_delete_permission(request, obj)

    def delete_model(self, request: HttpRequest, obj: Question) -> None:
        questions.remove(questions=[obj.pk])

    def delete_queryset(self, request: HttpRequest, chosen: QuerySet[Question]) -> None:
        questions.remove(questions=list(chosen.values_list("pk", flat=True)))
