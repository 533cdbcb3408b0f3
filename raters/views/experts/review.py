"""The page of the justification review, and what its script asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET
from pydantic import Field, ValidationError

from accounts.models import User
from core import clock
from core.errors import Invalid
from core.spec import Spec, problems
from raters.reasons.flags import CONTRADICTS, DUPLICATE, NEAR_DUPLICATE, PASTED, VERY_SHORT
from raters.selectors import reviews as select
from raters.services import review_queue, reviews
from raters.views.experts import work
from raters.views.experts.access import json_of_study, of_study
from studies.selectors import overview

if TYPE_CHECKING:
    from studies.models import Study


class Decided(Spec):
    """What the page sends of a decision."""

    decision: str = Field(max_length=20)
    note: str = Field("", max_length=10_000)


@work.kind
def kind(study: Study, user: Any) -> work.Work | None:
    """Say what waits of the reasons of a study."""
    settings = study.definition.review
    if settings.mode == "off" or study.state == study.State.DRAFT:
        return None
    review_queue.fill(study=study)
    found = select.pace(study.pk, settings, user.pk, clock.now())
    return work.Work(
        title=_("Review reasons"),
        about=_("Does what a rater wrote fit the label that they chose?"),
        url=reverse("experts:review", args=[study.slug]),
        waiting=found.waiting,
        done=found.mine,
    )


@require_GET
@of_study
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the first answer, with everything that the script needs to go on."""
    if study.definition.review.mode != "off":
        review_queue.fill(study=study)
    state = {**before(study, request), "last": select.last_of(study.pk, user_of(request).pk)}
    context = {
        "study": study,
        "is_on": study.definition.review.mode != "off",
        "state": state,
        "may_see_all": overview.may_see(study, request.user),
    }
    return render(request, "experts/review.html", context)


@json_of_study("POST")
def decide(request: HttpRequest, study: Study, body: dict[str, Any], key: str) -> dict[str, Any]:
    """Store a decision; the answer tells what was flagged, and what comes after the item that the page shows by now."""
    sent = parse(body)
    made = reviews.decide(
        study=study, user=user_of(request), key=key, decision=sent.decision, note=sent.note, now=clock.now()
    )
    return {
        **before(study, request),
        "last": made.key,
        "flags": [words(flag) for flag in select.flags_of(made.answer_id)],
    }


@json_of_study("POST")
def undo(request: HttpRequest, study: Study, body: dict[str, Any], key: str) -> dict[str, Any]:
    """Take a decision back; its item is the one to show now, if nobody else has it."""
    user = user_of(request)
    item = reviews.undo(study=study, user=user, key=key, now=clock.now())
    shown = item.key if item is not None else ""
    return {**before(study, request, first=shown), "last": select.last_of(study.pk, user.pk), "back": shown}


@json_of_study("POST")
def skip(request: HttpRequest, study: Study, body: dict[str, Any], key: str) -> dict[str, Any]:
    """Put an item off until everything else is done."""
    review_queue.put_off(study=study, user_id=user_of(request).pk, key=key, now=clock.now())
    return before(study, request)


@json_of_study("GET")
def current(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Return what this expert has before them: for a page that lost its place, or waits for more."""
    return {**before(study, request), "last": select.last_of(study.pk, user_of(request).pk)}


def before(study: Study, request: HttpRequest, first: str = "") -> dict[str, Any]:
    """Return the items that this expert has, the one named first, and how far everything is."""
    now, user = clock.now(), user_of(request)
    cards = review_queue.offer(study=study, user_id=user.pk, now=now, first=first)
    found = select.pace(study.pk, study.definition.review, user.pk, now)
    return {
        "items": [as_json(card, study.slug) for card in cards],
        "progress": {
            "total": found.total,
            "done": found.done,
            "waiting": found.waiting,
            "mine": found.mine,
            "today": found.today,
            "seconds": found.seconds,
        },
    }


def as_json(card: select.Card, slug: str) -> dict[str, Any]:
    """Describe a card; clips go by names that are this expert's own."""
    return {
        "key": card.key,
        "answers": [{"clip": clip, "label": label} for clip, label in card.answers],
        "reason": card.reason,
        "clips": [
            {
                "url": reverse("experts:audio", args=[slug, key]),
                "seconds": round(clip.seconds, 2),
                "text": clip.text,
                "language": clip.language,
            }
            for clip, key in card.clips
        ],
        "decisions": [{"decision": decision, "note": note} for decision, note in card.decisions],
    }


def words(flag: str) -> str:
    """Return what a flag says, for people."""
    known = {
        VERY_SHORT: _("very short"),
        CONTRADICTS: _("its words speak against the label"),
        PASTED: _("pasted rather than typed"),
        DUPLICATE: _("the same words as another reason"),
        NEAR_DUPLICATE: _("nearly the same words as another one of this rater"),
    }
    return known.get(flag, flag)


def parse(body: dict[str, Any]) -> Decided:
    """Read a decision; raises `Invalid` by field."""
    try:
        return Decided.model_validate(body)
    except ValidationError as error:
        raise Invalid("That is no decision.", problems(error.errors())) from error


def user_of(request: HttpRequest) -> User:
    """Return who is signed in; the page's guard has seen to it that somebody is."""
    assert isinstance(request.user, User)
    return request.user
