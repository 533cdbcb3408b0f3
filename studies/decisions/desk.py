"""The page on which an expert decides one item after another, what its script asks for, and the list of work."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_GET, require_safe
from pydantic import ValidationError

from accounts.users.models import User
from core import clock
from core.errors import Invalid, NotFound
from core.spec import problems
from core.web import streaming
from studies.decisions import deciding, experts, queue
from studies.decisions.access import study_endpoint, study_for, study_page
from studies.decisions.experts import CardClip
from studies.decisions.kinds import NOT_FILLING, Kind, Sent
from studies.decisions.queue import Card
from studies.members import access
from studies.rules.durations import filled
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from studies.definition.models import Study

# The current item, and the next one.
SHOWN = 2
# In the order of their addresses.
KINDS: list[Kind] = []


@dataclass(frozen=True, slots=True)
class WaitingWork:
    """Work of one kind in one study: its label, its page, and the number of items for this person."""

    title: str
    about: str
    url: str
    # At least this many, if `is_more`.
    waiting: int
    done: int
    is_more: bool


def work_of(study: Study, user: Any) -> list[WaitingWork]:
    """Return the work of a study, for the list of studies."""
    return [_work(kind, study, user) for kind in KINDS if kind.is_on(study)]


@dataclass(frozen=True, slots=True)
class Waiting:
    """Items of one kind in one study that wait for a person; at least this many, if `is_more`."""

    title: str
    url: str
    number: int
    is_more: bool


def waiting_for(study: Study, user: Any) -> list[Waiting]:
    """Return the kinds of work with items for this person; none for people who may not work on the study.

    Answers of simulated raters wait for nobody: they are for trying the pages out.
    """
    kinds = [kind for kind in KINDS if kind.is_on(study)]
    if not kinds or not experts.may_review(study, user):
        return []
    return [found for kind in kinds if (found := _waiting(kind, study, user)).number]


def _waiting(kind: Kind, study: Study, user: Any) -> Waiting:
    kind.prepare(study)
    settings = kind.settings(study)
    rows = queue.open_to(kind, study, user.pk, clock.now())
    number = queue.count(rows if settings is None else rows.filter(simulated=False), settings)
    is_more = settings is not None and number > queue.MOST_COUNTED
    url = reverse(f"experts:{kind.name}", args=[study.slug])
    return Waiting(str(kind.title), url, queue.MOST_COUNTED if is_more else number, is_more)


def _work(kind: Kind, study: Study, user: Any) -> WaitingWork:
    kind.prepare(study)
    pace = queue.pace(kind, study, user.pk, clock.now())
    is_more = pace.is_more and pace.waiting > queue.MOST_COUNTED
    return WaitingWork(
        title=str(kind.title),
        about=str(kind.about),
        url=reverse(f"experts:{kind.name}", args=[study.slug]),
        waiting=queue.MOST_COUNTED if is_more else pace.waiting,
        done=pace.mine,
        is_more=is_more,
    )


def desk_state(kind: Kind, study: Study, user: User, first: str = "") -> dict[str, Any]:
    """Return the state of the page: the expert's items, the one named first, and everyone's progress."""
    now = clock.now()
    cards = queue.offer(kind, study=study, user_id=user.pk, now=now, count=SHOWN, first=first)
    is_short = len(cards) < SHOWN and kind.is_on(study)
    filling = kind.filling(study, now) if is_short else NOT_FILLING
    return {
        "items": _items(kind, study, user, cards),
        "is_filling": filling.is_under_way,
        "waits_since": filling.waits_since.isoformat() if filling.waits_since else "",
        "progress": asdict(queue.pace(kind, study, user.pk, now)),
    }


def _items(kind: Kind, study: Study, user: User, cards: list[Card]) -> list[dict[str, Any]]:
    clips = [clip.clip for card in cards for clip, _key in card.clips]
    played = experts.played(user_id=user.pk, clips=clips) if kind.must_play else set()
    return [
        {
            "key": card.key,
            **card.shown,
            "clips": [{**_clip(study, clip, key), "played": clip.clip in played} for clip, key in card.clips],
            "decisions": [{"decision": decision, "note": note} for decision, note in card.decisions],
        }
        for card in cards
    ]


def _clip(study: Study, clip: CardClip, key: str) -> dict[str, Any]:
    """Clips have keys that are this expert's own, so that they reveal nothing."""
    return {
        "key": key,
        "url": reverse("experts:audio", args=[study.slug, key]),
        "seconds": round(filled(clip.seconds), 2),
        "text": clip.text,
        "language": clip.language,
        "letter": clip.letter,
    }


def _current(kind: Kind, study: Study, user: User) -> dict[str, Any]:
    """Return what this expert has before them."""
    if kind.is_on(study):
        kind.prepare(study)
    return {**desk_state(kind, study, user), "last": queue.last_of(kind, study, user.pk)}


def urls(kind: Kind) -> list[URLPattern]:
    """Return the page of a kind and its endpoints, and register its work."""

    @require_GET
    @study_page
    def page(request: HttpRequest, study: Study) -> HttpResponse:
        """Show the first item with the script's state."""
        user = user_of(request)
        context = {
            "study": study,
            "title": str(kind.title),
            "is_on": kind.is_on(study),
            "state": _current(kind, study, user),
            "here": reverse(f"experts:{kind.name}", args=[study.slug]),
            "overview": reverse(f"experts:{kind.name}_overview", args=[study.slug]),
            "may_see_all": access.may(study, user, Capability.SEE_STUDY),
            **kind.context(study),
        }
        return render(request, kind.template, context)

    @study_endpoint("POST")
    def decide(request: HttpRequest, study: Study, body: dict[str, Any], key: str) -> dict[str, Any]:
        """Store a decision; the response holds the item after the next."""
        user, now = user_of(request), clock.now()
        sent = _parse(kind.sent, body)
        experts.note_plays(user_id=user.pk, keys=sent.played, now=now)
        stored = deciding.decide(kind, study=study, user=user, key=key, sent=sent, now=now)
        return {**desk_state(kind, study, user), "last": stored.key, **kind.reply(stored)}

    @study_endpoint("POST")
    def undo(request: HttpRequest, study: Study, body: dict[str, Any], key: str) -> dict[str, Any]:
        """Undo a decision; its item is shown again if it is still theirs."""
        user = user_of(request)
        back, decision = deciding.undo(kind, study=study, user=user, key=key, now=clock.now())
        last = queue.last_of(kind, study, user.pk)
        return {**desk_state(kind, study, user, back), "last": last, "back": back, **kind.undone(study, decision)}

    @study_endpoint("POST")
    def skip(request: HttpRequest, study: Study, body: dict[str, Any], key: str) -> dict[str, Any]:
        """Skip an item until everything else is done."""
        user = user_of(request)
        deciding.skip(kind, study=study, user_id=user.pk, key=key, now=clock.now())
        return desk_state(kind, study, user)

    @study_endpoint("GET")
    def current(request: HttpRequest, study: Study) -> dict[str, Any]:
        """Return the state for a page that lost it or waits for more items."""
        return _current(kind, study, user_of(request))

    if kind not in KINDS:
        KINDS.append(kind)
    here, name = f"studies/<slug:slug>/{kind.address}/", kind.name
    return [
        path(here, page, name=name),
        path(f"{here}api/current", current, name=f"{name}_current"),
        path(f"{here}api/decide/<slug:key>", decide, name=f"{name}_decide"),
        path(f"{here}api/undo/<slug:key>", undo, name=f"{name}_undo"),
        path(f"{here}api/skip/<slug:key>", skip, name=f"{name}_skip"),
    ]


def _parse(shape: type[Sent], body: dict[str, Any]) -> Sent:
    try:
        return shape.model_validate(body)
    except ValidationError as error:
        raise Invalid("The decision could not be read.", problems(error.errors())) from error


def user_of(request: HttpRequest) -> User:
    """Return the signed-in user; the page's decorator ensures that there is one."""
    assert isinstance(request.user, User)
    return request.user


@require_safe
def audio(request: HttpRequest, slug: str, key: str) -> HttpResponseBase:
    """Send a clip of a study that this person may work on, or a range of it."""
    study = study_for(request, slug) if request.user.is_authenticated else None
    if study is None:
        return streaming.missing()
    try:
        name, size = experts.rendition(study=study, user=request.user, key=key)
    except NotFound:
        return streaming.missing()
    return streaming.send_uncached(request, name, size)
