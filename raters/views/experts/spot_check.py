"""The page of the spot check before a launch, and what its script asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from core import clock
from raters.views.experts import spot_words, work
from raters.views.experts.access import json_of_study, of_study
from raters.views.experts.review import parse, user_of
from studies.selectors import overview
from studies.selectors import spot_checks as select
from studies.services import experts, spot_checks

if TYPE_CHECKING:
    from studies.models import Study


@work.kind
def kind(study: Study, user: Any) -> work.Work | None:
    """Say what waits of a study's stimuli."""
    if not spot_checks.is_open(study):
        return None
    spot_checks.fill(study=study)
    found = select.pace(study.pk, user.pk, clock.now())
    return work.Work(
        title=_("Check clips"),
        about=_("Did the synthesis succeed? Could these be the same voice? Before the study is launched."),
        url=reverse("experts:spot_check", args=[study.slug]),
        waiting=found.waiting,
        done=found.mine,
    )


@require_GET
@of_study
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the first item, with everything that the script needs to go on."""
    spot_checks.fill(study=study)
    context = {
        "study": study,
        "is_on": spot_checks.is_open(study),
        "state": {**before(study, request), "last": select.last_of(study.pk, user_of(request).pk)},
        "forms": [(kind, list(enumerate(answers, start=1))) for kind, answers in spot_words.forms().items()],
        "may_see_all": overview.may_see(study, request.user),
    }
    return render(request, "experts/spot_check.html", context)


@json_of_study("POST")
def decide(request: HttpRequest, study: Study, body: dict[str, Any], key: str) -> dict[str, Any]:
    """Store what was said of an item; the answer tells what comes after the one that the page shows by now."""
    sent = parse(body)
    made = spot_checks.decide(
        study=study, user=user_of(request), key=key, code=sent.decision, note=sent.note, now=clock.now()
    )
    return {**before(study, request), "last": made.key}


@json_of_study("POST")
def undo(request: HttpRequest, study: Study, body: dict[str, Any], key: str) -> dict[str, Any]:
    """Take a decision back; its item is the one to show now, if it is open to this expert."""
    user = user_of(request)
    shown = spot_checks.undo(study=study, user=user, key=key, now=clock.now())
    return {**before(study, request, first=shown), "last": select.last_of(study.pk, user.pk), "back": shown}


@json_of_study("POST")
def skip(request: HttpRequest, study: Study, body: dict[str, Any], key: str) -> dict[str, Any]:
    """Put an item off until everything else is done."""
    spot_checks.put_off(study=study, user=user_of(request), key=key, now=clock.now())
    return before(study, request)


@json_of_study("GET")
def current(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Return what this expert has before them: for a page that lost its place, or waits for more."""
    spot_checks.fill(study=study)
    return {**before(study, request), "last": select.last_of(study.pk, user_of(request).pk)}


def before(study: Study, request: HttpRequest, first: str = "") -> dict[str, Any]:
    """Return the items that this expert has, the one named first, and how far everything is."""
    now, user = clock.now(), user_of(request)
    cards = spot_checks.offer(study=study, user_id=user.pk, now=now, first=first)
    keys = experts.audio_keys(user_id=user.pk, clips={clip.clip for card in cards for clip in card.clips})
    found = select.pace(study.pk, user.pk, now)
    return {
        "items": [as_json(card, keys, study.slug) for card in cards],
        "progress": {
            "total": found.total,
            "done": found.done,
            "waiting": found.waiting,
            "mine": found.mine,
            "today": found.today,
            "seconds": found.seconds,
        },
    }


def as_json(card: select.Card, keys: dict[int, str], slug: str) -> dict[str, Any]:
    """Describe a card; clips go by names that are this expert's own."""
    return {
        "key": card.key,
        "kind": card.kind,
        "clips": [
            {
                "url": reverse("experts:audio", args=[slug, keys[clip.clip]]),
                "seconds": round(clip.seconds, 2),
                "text": clip.text,
                "language": clip.language,
            }
            for clip in card.clips
        ],
        "decisions": [{"decision": code, "note": note} for code, note in card.decisions],
    }
