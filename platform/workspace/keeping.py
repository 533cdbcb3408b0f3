"""Duplicate, archive and delete a study: pages below Settings, and what their forms do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.contrib.admin.models import DELETION, LogEntry
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core import clock
from core.errors import DomainError, Invalid
from raters.deletion import services as deletion
from studies.clips import figures
from studies.launch import archiving
from studies.launch.duplicating import duplicate, exclude_field, knows_people, title_of_copy, with_clips_field
from studies.launch.frame import frame
from studies.launch.new_study import free_slug
from studies.launch.settings_forms import setting_words
from studies.members import access
from studies.members.pages import do_and_say, own_page, record, signed_in
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from accounts.users.models import User
    from studies.definition.models import Study

DUPLICATED = gettext_lazy("The study was duplicated. This is the copy, a draft of yours.")
# Fields that say what a copy has and who may rate in it.
COPYING = ("with_clips", "excludes")


class DuplicateForm(forms.Form):
    """The title and address of a copy, and whether it has the clips."""

    title = forms.CharField(
        label=gettext_lazy("Title"),
        max_length=200,
        help_text=gettext_lazy("Shown to raters."),
        error_messages={"required": gettext_lazy("Write a title. It is shown to raters.")},
        widget=forms.TextInput(attrs={"dir": "auto"}),
    )
    slug = forms.SlugField(
        label=gettext_lazy("Address"),
        required=False,
        max_length=60,
        help_text=gettext_lazy("Leave empty to make it from the title. You can’t change it later."),
    )
    with_clips = with_clips_field()
    excludes = exclude_field()


@require_GET
@own_page()
def keep(request: HttpRequest, study: Study) -> HttpResponse:
    """Show how to archive and delete the study, as far as this person may."""
    context = {
        **frame(study),
        "may_close": access.may(study, request.user, Capability.CLOSE_STUDY),
        "may_export": access.may(study, request.user, Capability.EXPORT),
        "is_over": study.state in {study.State.DRAFT, study.State.CLOSED},
        "needs_typing": deletion.needs_typing(study),
    }
    return render(request, "workspace/keep.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@own_page()
def duplicate_study(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the form of a copy; POST creates a draft like the study, and goes to it."""
    if request.method != "POST":
        return _page(request, study, DuplicateForm(initial={"title": title_of_copy(study)}))
    if not may_duplicate(study, request.user):
        raise PermissionDenied
    form = DuplicateForm(request.POST)
    if form.is_valid():
        try:
            copy = duplicated(study, signed_in(request), **form.cleaned_data)
        except Invalid as error:
            for field, message in error.problems.items():
                form.add_error(field, message)
        else:
            messages.success(request, DUPLICATED)
            return redirect("workspace:overview", slug=copy.slug)
    return _page(request, study, form)


def duplicated(study: Study, user: User, *, title: str, slug: str, with_clips: bool, excludes: bool) -> Study:
    """Duplicate a study and write that into both histories; an empty `slug` is made from the title."""
    slug = slug or free_slug(title, otherwise=study.slug)
    copy = duplicate(
        study=study,
        slug=slug,
        title=title,
        owner=user,
        with_clips=with_clips,
        # Who heard nothing of the copy may rate it.
        excludes=excludes and with_clips and knows_people(study),
        now=clock.now(),
    )
    record(user, copy, _("Copied from {slug}.").format(slug=study.slug))
    record(user, study, _("Duplicated as {slug}.").format(slug=copy.slug))
    return copy


def may_duplicate(study: Study, user: Any) -> bool:
    """True if this person may change the study and create others: the copy shows them all of its texts."""
    return access.may(study, user, Capability.CHANGE_STUDY) and user.has_perm("studies.add_study")


@require_POST
@own_page(sending=Capability.CLOSE_STUDY)
def archive(request: HttpRequest, study: Study) -> HttpResponse:
    """Archive the study, or undo it."""

    def act() -> str:
        if "undo" in request.POST:
            archiving.unarchive(study=study)
            return _("The study is in the lists again.")
        archiving.archive(study=study, now=clock.now())
        return _("The study is archived. You find it under Archived on the page Studies.")

    do_and_say(request, study, act)
    return redirect("workspace:keep", slug=study.slug)


@require_POST
@own_page(sending=Capability.CLOSE_STUDY)
def delete(request: HttpRequest, study: Study) -> HttpResponse:
    """Delete the study for good."""
    pk, name = study.pk, str(study)
    try:
        deletion.delete(study=study, typed=request.POST.get("typed", ""))
    except DomainError as error:
        messages.error(request, error.message)
        return redirect("workspace:keep", slug=study.slug)
    study.pk = pk
    LogEntry.objects.log_actions(signed_in(request).pk, [study], DELETION, single_object=True)
    messages.success(request, _("{title} was deleted.").format(title=name))
    return redirect("workspace:home")


def _page(request: HttpRequest, study: Study, form: DuplicateForm) -> HttpResponse:
    context = {
        **frame(study),
        "form": form,
        "clips": figures.total(study.pk),
        "may_duplicate": may_duplicate(study, request.user),
        "knows_people": knows_people(study),
        "excluding": setting_words(study.draft["task_type"], "recruitment", "not_in_studies")[0],
    }
    return render(request, "workspace/duplicate.html", context, status=400 if form.errors else 200)
