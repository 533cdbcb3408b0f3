"""A study's page of the launch checks, and its moves from state to state."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from core import clock, rng
from core.text.languages import translate
from core.web import client_input
from studies import hooks
from studies.audit import measuring
from studies.definition.models import Study
from studies.launch import design_views, drafting, facts, launch_list, states
from studies.launch.design_page import fingerprints
from studies.launch.effort import source_label
from studies.launch.frame import frame, panels_of
from studies.launch.settings_forms import SettingsForm, setting_words
from studies.members import access
from studies.members.pages import do_and_say, may_change, own_page, show
from studies.rules.roles import Capability


def _launch(study: Study) -> str:
    states.launch(study=study, now=clock.now(), rng=rng.fresh())
    return _("The study is live: raters can start through its link.")


def _publish(study: Study) -> str:
    version = states.publish(study=study, now=clock.now())
    return _("Version {number} is published: it applies to raters who start from now on.").format(number=version.number)


def _pause(study: Study) -> str:
    states.pause(study=study)
    return _("The study is paused.")


def _resume(study: Study) -> str:
    states.resume(study=study)
    return _("The study is live again.")


def _close(study: Study) -> str:
    states.close(study=study)
    return _("The study is closed.")


def _reopen(study: Study) -> str:
    states.reopen(study=study)
    return _("The study was reopened and is paused. Resume it when you are ready.")


MOVES: dict[str, Callable[[Study], str]] = {
    "launch": _launch,
    "publish": _publish,
    "pause": _pause,
    "resume": _resume,
    "close": _close,
    "reopen": _reopen,
}


def _back(request: HttpRequest) -> str:
    """Return the page of this server that a form came from, if it names one."""
    url = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(url, allowed_hosts=None)
    return url if is_ours else ""


@require_GET
@own_page()
def launch_page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show what the launch checks found, what the launch asks of raters, and the buttons for the study's state."""
    return _launch_page(request, study, facts.facts_form(study))


@require_POST
@own_page()
def save_facts(request: HttpRequest, study: Study) -> HttpResponse:
    """Save the facts that the launch checks ask for, as Design saves them."""
    only = [name for name in facts.NAMES if name in request.POST]
    result, form = design_views.saved(request, study, only=only)
    problems = {**design_views.told(form, result.problems), **design_views.conflicts(form, result)}
    if problems:
        return _launch_page(request, study, facts.facts_form(study, request.POST), problems)
    messages.success(request, design_views.saved_message(study))
    return redirect("studies:launch", study.slug)


def _launch_page(
    request: HttpRequest, study: Study, form: SettingsForm, problems: Mapping[str, str] | None = None
) -> HttpResponse:
    asked = facts.missing(form, problems or {}) if may_change(study, request.user) else {}
    job = measuring.newest(study)
    context = {
        **frame(study),
        **launch_list.context(study, clock.now(), asked),
        "shown_facts": json.dumps(fingerprints(asked.values())),
        "panels": panels_of(study),
        "source": source_label(study.definition.crowd),
        "recruit_url": reverse(hooks.workspace().recruit, args=[study.slug]),
        "job": job if job and not job.is_over else None,
    }
    response = show(request, study, "studies/launch/launch.html", _("Launch"), context)
    response.status_code = 400 if problems else 200
    return response


@require_POST
@own_page()
def set_value(request: HttpRequest, study: Study) -> HttpResponse:
    """Set one setting to the number that a launch check proposes."""
    dotted, value = request.POST.get("setting", ""), client_input.whole_number(request.POST.get("value", ""))
    if dotted not in drafting.values(study.definition) or value is None:
        raise Http404
    result = design_views.save_and_log(request, study, {dotted: value}, {})
    if result.problems:
        messages.error(request, translate(result.problems[dotted]))
    else:
        label, _values = setting_words(study.draft["task_type"], *dotted.split("."))
        messages.success(request, _("“{setting}” is now {value}.").format(setting=label, value=value))
    return HttpResponseRedirect(reverse("studies:launch", args=[study.slug]))


@require_POST
@own_page()
def move(request: HttpRequest, study: Study, move: str) -> HttpResponse:
    """Launch, publish, pause, resume, close or reopen."""
    if move not in MOVES:
        raise Http404
    if move in {"close", "reopen"} and not access.may(study, request.user, Capability.CLOSE_STUDY):
        raise PermissionDenied
    do_and_say(request, study, partial(MOVES[move], study))
    study.refresh_from_db()
    if move == "launch" and study.state == study.State.LIVE:
        return redirect(hooks.workspace().recruit, study.slug)
    return HttpResponseRedirect(_back(request) or reverse("studies:launch", args=[study.slug]))
