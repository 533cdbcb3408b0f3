"""The page Design: a study's settings, saved as they are changed, and next to them what they ask of raters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from core import clock
from core.text.languages import translate
from studies import hooks
from studies.definition import presets
from studies.definition.queries import newest
from studies.launch import design_page, drafting, preset_views, states
from studies.launch.drafting import SavedSettings
from studies.launch.frame import frame
from studies.launch.outlook import outlook
from studies.launch.plan import shown_plan
from studies.launch.settings_forms import SettingsForm, name_of, settings_form
from studies.members.links import links_of
from studies.members.pages import log_change, may_change, of_study

if TYPE_CHECKING:
    from studies.definition.definition import Definition
    from studies.definition.models import Study


@require_http_methods(["GET", "POST"])
@never_cache
@of_study
def design(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the settings of a study; POST saves those that were changed in the form, or sets one to its default."""
    if may_change(study, request.user):
        states.note_design(study, clock.now())
    form, problems = _form(study), dict[str, str]()
    if request.method == "POST":
        _need_change(request, study)
        result, form = saved(request, study)
        problems = {**told(form, result.problems), **conflicts(form, result)}
        if not problems:
            messages.success(request, saved_message(study))
            return redirect("studies:design", slug=study.slug)
    main, groups = design_page.groups(form, problems)
    version = newest(study)
    context = {
        **frame(study),
        "preset": _(presets.of(study.definition).label),
        "may_change": may_change(study, request.user),
        "may_save_preset": preset_views.may_save(study, request.user),
        "main": main,
        "groups": groups,
        "shown": json.dumps(design_page.fingerprints([*main, *chain(*(group.rows for group in groups))])),
        "problems": len(problems),
        "next_version": version.number + 1 if version else None,
        **_panel(request, study, study.definition),
    }
    return render(request, "studies/launch/design.html", context, status=400 if problems else 200)


@require_POST
@never_cache
@of_study
def save(request: HttpRequest, study: Study) -> JsonResponse:
    """Save the fields that are named as changed, each unless it is invalid or was changed by somebody else."""
    _need_change(request, study)
    result, form = saved(request, study, only=request.POST.getlist("changed"))
    after = _form(study)
    return JsonResponse(
        {
            "saved": design_page.states_of(after, list(result.saved)),
            "problems": {name_of(dotted): text for dotted, text in told(form, result.problems).items()},
            "conflicts": {
                name_of(dotted): {**each, "message": message}
                for dotted, message in conflicts(after, result).items()
                for each in design_page.states_of(after, [dotted]).values()
            },
            "panel": render_to_string(
                "studies/launch/_design_panel.html", _panel(request, study, study.definition), request
            ),
            "is_changed": frame(study)["is_changed"],
        }
    )


@require_POST
@never_cache
@of_study
def estimate(request: HttpRequest, study: Study) -> JsonResponse:
    """Return what the settings would ask of raters with the changes that are named, without saving them."""
    _need_change(request, study)
    form = _form(study, request.POST, only=request.POST.getlist("changed"))
    accepted, problems = drafting.possible(study, form.changes(shown_values(request)))
    return JsonResponse(
        {
            "problems": {name_of(dotted): text for dotted, text in told(form, problems).items()},
            "panel": _rendered_panel(request, study, drafting.with_changes(study, accepted)),
        }
    )


def _need_change(request: HttpRequest, study: Study) -> None:
    if not may_change(study, request.user):
        raise PermissionDenied


def saved_message(study: Study) -> str:
    """Return what a page says after it saved settings."""
    return _("Saved.") if study.launched_at is None else _("Saved in the draft. Publish it to apply it to raters.")


def _form(study: Study, *data: Any, only: list[str] | None = None) -> SettingsForm:
    return settings_form(study.draft["task_type"])(*data, study=study, only=only)


def saved(request: HttpRequest, study: Study, only: list[str] | None = None) -> tuple[SavedSettings, SettingsForm]:
    """Save what a request changes or resets, and log it in the study's history."""
    form = _form(study, request.POST, only=only)
    shown = shown_values(request)
    changes = form.changes(shown)
    whole = _form(study)
    for name, dotted in whole.dotted().items():
        if name == request.POST.get("reset"):
            changes[dotted] = whole.defaults[dotted]
            shown.pop(dotted, None)
            form.errors.pop(name, None)
    return save_and_log(request, study, changes, shown), form


def save_and_log(
    request: HttpRequest, study: Study, changes: Mapping[str, Any], shown: Mapping[str, str]
) -> SavedSettings:
    """Save settings as `drafting.save` does, and write the old and the new values into the study's history."""
    before = _form(study)
    result = drafting.save(study=study, changes=changes, shown=shown)
    if sentences := design_page.changes_in_words(before, result.saved):
        log_change(request, study, "\n".join(sentences))
    return result


def shown_values(request: HttpRequest) -> dict[str, str]:
    """Return {dotted setting: fingerprint of the value that the page showed}."""
    try:
        shown = json.loads(request.POST.get("shown", "{}"))
    except ValueError:
        return {}
    if not isinstance(shown, dict):
        return {}
    return {name.replace("__", ".", 1): value for name, value in shown.items() if isinstance(value, str)}


def told(form: SettingsForm, problems: Mapping[str, str]) -> dict[str, str]:
    """Return {dotted setting: what is wrong with it}, from the form's own fields and from rules about several."""
    own = {dotted: str(form.errors[name][0]) for name, dotted in form.dotted().items() if name in form.errors}
    return {**{dotted: translate(problem) for dotted, problem in problems.items()}, **own}


def conflicts(form: SettingsForm, result: SavedSettings) -> dict[str, str]:
    text = _("Somebody changed this meanwhile. It is now: {value}.")
    return {
        dotted: text.format(value=design_page.shown(form.fields[name_of(dotted)], value))
        for dotted, value in result.conflicts.items()
    }


def _rendered_panel(request: HttpRequest, study: Study, definition: Definition) -> str:
    return render_to_string("studies/launch/_design_panel.html", _panel(request, study, definition), request)


def _panel(request: HttpRequest, study: Study, definition: Definition) -> dict[str, Any]:
    plan, shown = shown_plan(study, definition, clock.now())
    result = outlook(plan) if plan else None
    return {
        "study": study,
        "activity": design_page.activity(definition),
        "design_links": links_of(study, request, hooks.design_links),
        "plan": shown,
        "outlook": result,
        "effort": result.effort if result else None,
        "guesser": f"{100 * result.guesser:.1f} %" if result and result.guesser is not None else None,
    }
