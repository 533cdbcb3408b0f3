"""What the pages of a study share: who may open them, how they are rendered, and the study's history."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.views import redirect_to_login
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import PermissionDenied
from django.db.models import Max
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache

from accounts.users.models import User
from core.errors import DomainError, NotFound
from studies.definition import queries as definition_queries
from studies.definition.models import Study
from studies.members import access
from studies.rules.roles import Capability

View = Callable[..., HttpResponseBase]
READING = {"GET", "HEAD"}
# What a form asks for by its button `do`.
Actions = Mapping[str, Callable[[HttpRequest, Study], HttpResponse]]


def staff(view: View) -> View:
    """Send those who are not signed in as staff to the sign-in page, and back afterwards."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not (request.user.is_active and request.user.is_staff):
            return redirect_to_login(request.get_full_path(), reverse("admin:login"))
        return view(request, *args, **kwargs)

    return guarded


def of_study(view: View) -> View:
    """Call the view with the study of that slug: to those who may see it; a POST, who may change it."""
    return for_capability(Capability.SEE_STUDY, sending=Capability.CHANGE_STUDY)(view)


def for_capability(looking: Capability, *, sending: Capability | None = None) -> Callable[[View], View]:
    """Call the view with the study of that slug, when this person may look at it; a POST may need more."""

    def decorate(view: View) -> View:
        @staff
        @wraps(view)
        def guarded(request: HttpRequest, slug: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
            needs = looking if request.method in READING or sending is None else sending
            try:
                return view(request, study_for(request, slug, needs), *args, **kwargs)
            except NotFound as error:
                raise Http404(error.message) from error

        return guarded

    return decorate


def own_page(
    *, looking: Capability = Capability.SEE_STUDY, sending: Capability = Capability.CHANGE_STUDY
) -> Callable[[View], View]:
    """Call the view with the study of that slug, on a page by which a study is made: its pilots have none.

    Here the account's permissions count besides the role, and whoever sends must be allowed to change the study.
    """

    def decorate(view: View) -> View:
        @never_cache
        @for_capability(looking, sending=sending)
        @wraps(view)
        def guarded(request: HttpRequest, study: Study, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if study.pilot_of_id is not None:
                raise Http404
            may_see = request.user.has_perm("studies.view_study") or request.user.has_perm("studies.change_study")
            if not (may_see if request.method in READING else may_change(study, request.user)):
                raise PermissionDenied
            return view(request, study, *args, **kwargs)

        return guarded

    return decorate


def study_for(request: HttpRequest, slug: str, needs: Capability) -> Study:
    """Return the study; raise `Http404` as `known_study` does, `PermissionDenied` if this person may not do this."""
    study = known_study(request, slug)
    if not access.may(study, request.user, needs):
        raise PermissionDenied
    return study


def known_study(request: HttpRequest, slug: str) -> Study:
    """Return the study; raise `Http404` if there is none, or if this person has no role in it."""
    try:
        study = definition_queries.study(slug)
        if not access.allowed(study, request.user):
            raise definition_queries.no_study()
    except NotFound as error:
        raise Http404(error.message) from error
    return study


def may_change(study: Study, user: Any) -> bool:
    """Return whether the person's role and their account's permissions allow to change the study."""
    return access.may(study, user, Capability.CHANGE_STUDY) and user.has_perm("studies.change_study")


def signed_in(request: HttpRequest) -> User:
    """Return the user of a page that only signed-in people reach."""
    assert isinstance(request.user, User)
    return request.user


def show(request: HttpRequest, study: Study, template: str, subtitle: str, context: dict[str, Any]) -> HttpResponse:
    """Render one of a study's own pages: a template that extends `studies/page.html`."""
    shared = {
        "study": study,
        "title": study.title,
        "subtitle": subtitle,
        "may_change": may_change(study, request.user),
        "may": access.allowed(study, request.user),
    }
    return render(request, template, {**shared, **context})


def log_change(request: HttpRequest, study: Study, message: Any) -> None:
    """Write what this person did into the study's history."""
    record(signed_in(request), study, message)


def record(user: User, study: Study, message: Any) -> None:
    """Write what a person did into the study's history."""
    LogEntry.objects.log_actions(user.pk, [study], CHANGE, change_message=message, single_object=True)


def last_recorded(studies: Collection[int]) -> dict[int, datetime]:
    """Return {study: the newest entry of its history}; one SELECT."""
    of_studies = ContentType.objects.get_for_model(Study)
    rows = LogEntry.objects.filter(content_type=of_studies, object_id__in=[str(pk) for pk in studies]).order_by()
    newest = rows.values_list("object_id").annotate(newest=Max("action_time"))
    return {int(pk): moment for pk, moment in newest}


def acted(request: HttpRequest, study: Study, actions: Actions) -> HttpResponse | None:
    """Do what a form of the page asks for; None if that was refused, which a message then says, or is unknown."""
    action = actions.get(request.POST.get("do", ""))
    try:
        return action and action(request, study)
    except NotFound:
        raise
    except DomainError as error:
        messages.error(request, error.message)
    return None


def do_and_say(request: HttpRequest, study: Study, action: Callable[[], str]) -> None:
    """Do something; say what was done and write it into the study's history, or say why it was refused."""
    try:
        message = action()
    except DomainError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, message)
        log_change(request, study, message)
