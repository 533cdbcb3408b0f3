"""What every desk of experts has: a page, what its script asks for, the sound, and the kinds of work that wait."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_GET, require_safe
from pydantic import ValidationError

from accounts.users.models import User
from core import clock
from core.errors import Invalid, NotFound
from core.nudge import nudge
from core.spec import Spec, problems
from raters.experts import queue_filling as queue_filling
from raters.experts.access import study_endpoint, study_for, study_page
from raters.experts.models import QueueFill
from raters.experts.queue import MOST_COUNTED
from raters.rating import streaming
from studies.imports.ingest.rates import filled
from studies.members import access
from studies.rules.roles import Capability
from studies.spot_checks import experts

if TYPE_CHECKING:
    from studies.definition.models import Study
    from studies.pool.queries import Pace
    from studies.spot_checks.experts import CardClip


@dataclass(frozen=True, slots=True)
class WaitingWork:
    """One kind of work in one study: what it is, where it is done, and how much of it there is for this person."""

    title: str
    about: str
    url: str
    # Of which there are more, where `is_more`.
    waiting: int
    done: int
    is_more: bool


# Returns None where a study has no such work.
Kind = Callable[["Study", Any], WaitingWork | None]
KINDS: list[Kind] = []


def register_work(find: Kind) -> Kind:
    """Register a kind of work; the modules that do so are imported by the experts' addresses."""
    if find not in KINDS:
        KINDS.append(find)
    return find


def work_of(study: Study, user: Any) -> list[WaitingWork]:
    """Return the work of a study, in the order of the addresses."""
    return [work for find in KINDS if (work := find(study, user)) is not None]


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


Sent = TypeVar("Sent", bound=Spec)
# The item before an expert, and the one after it.
SHOWN = 2


class ExpertDesk(ABC):
    """One kind of work: where its items come from, and what becomes of a decision."""

    # The page's name and address, and its template's.
    name: ClassVar[str]
    address: ClassVar[str]

    @abstractmethod
    def is_on(self, study: Study) -> bool:
        """Say whether the study has this work now."""

    def prepare(self, study: Study) -> None:  # noqa: B027  (most desks have nothing to draw)
        """Draw what the page needs, where that costs the same whatever was answered."""

    def filling(self, study: Study, now: datetime) -> queue_filling.FillingState:
        """Return whether a worker is about to add items, having asked one where the last look was long ago."""
        if (row := queue_filling.ask(study_id=study.pk, now=now)) is not None:
            nudge(QueueFill.task_name, row)
        return queue_filling.of_study(study.pk, now)

    @abstractmethod
    def offer(self, study: Study, user: User, now: datetime, first: str) -> list[dict[str, Any]]:
        """Return what is before this expert and what comes next, as the script wants it."""

    @abstractmethod
    def pace(self, study: Study, user: User, now: datetime) -> Pace: ...

    @abstractmethod
    def last_of(self, study: Study, user: User) -> str:
        """Return the key of the newest decision."""

    @abstractmethod
    def decide(self, study: Study, user: User, key: str, body: dict[str, Any], now: datetime) -> dict[str, Any]:
        """Store a decision; returns its key as `last`, and what else the page shows of it."""

    @abstractmethod
    def undo(self, study: Study, user: User, key: str, now: datetime) -> dict[str, Any]:
        """Take a decision back; returns the item's new key as `back`, empty where it is not theirs to decide now."""

    @abstractmethod
    def put_off(self, study: Study, user: User, key: str, now: datetime) -> None: ...

    @abstractmethod
    def title_and_about(self) -> tuple[str, str]:
        """Return what the work is called, and what it is about."""

    def context(self, study: Study) -> dict[str, Any]:
        """Return what the template needs besides."""
        return {}

    def work(self, study: Study, user: Any) -> WaitingWork | None:
        """Say what waits of a study, for the list of studies."""
        if not self.is_on(study):
            return None
        self.prepare(study)
        pace = self.pace(study, user, clock.now())
        title, about = self.title_and_about()
        url = reverse(f"experts:{self.name}", args=[study.slug])
        is_more = pace.is_more and pace.waiting > MOST_COUNTED
        waiting = MOST_COUNTED if is_more else pace.waiting
        return WaitingWork(title=title, about=about, url=url, waiting=waiting, done=pace.mine, is_more=is_more)

    def desk_state(self, study: Study, user: User, first: str = "") -> dict[str, Any]:
        """Return the items that this expert has, the one named first, and how far everything is."""
        now = clock.now()
        items = self.offer(study, user, now, first)
        pace = self.pace(study, user, now)
        names = ("total", "done", "waiting", "mine", "today", "seconds", "is_more")
        is_short = len(items) < SHOWN and self.is_on(study)
        filling = self.filling(study, now) if is_short else queue_filling.NOTHING
        return {
            "items": items,
            "is_filling": filling.is_under_way,
            "waits_since": filling.waits_since.isoformat() if filling.waits_since else "",
            "progress": {name: getattr(pace, name) for name in names},
        }


def urls(desk: ExpertDesk) -> list[URLPattern]:
    """Return the page of a desk and its endpoints, and list its work."""

    @require_GET
    @study_page
    def page(request: HttpRequest, study: Study) -> HttpResponse:
        """Show the first item, with the state that the script needs to continue."""
        user, is_on = user_of(request), desk.is_on(study)
        if is_on:
            desk.prepare(study)
        title, _about = desk.title_and_about()
        context = {
            "study": study,
            "title": title,
            "is_on": is_on,
            "state": {**desk.desk_state(study, user), "last": desk.last_of(study, user)},
            "here": reverse(f"experts:{desk.name}", args=[study.slug]),
            "overview": reverse(f"experts:{desk.name}_overview", args=[study.slug]),
            "may_see_all": access.may(study, user, Capability.SEE_STUDY),
            **desk.context(study),
        }
        return render(request, f"raters/experts/{desk.name}.html", context)

    @study_endpoint("POST")
    def decide(request: HttpRequest, study: Study, body: dict[str, Any], key: str) -> dict[str, Any]:
        """Store a decision; the response holds the item after the one that the page shows now."""
        user = user_of(request)
        stored = desk.decide(study, user, key, body, clock.now())
        return {**desk.desk_state(study, user), **stored}

    @study_endpoint("POST")
    def undo(request: HttpRequest, study: Study, body: dict[str, Any], key: str) -> dict[str, Any]:
        """Take a decision back; its item is the one to show now, if it is theirs."""
        user = user_of(request)
        undone = desk.undo(study, user, key, clock.now())
        return {**desk.desk_state(study, user, undone["back"]), "last": desk.last_of(study, user), **undone}

    @study_endpoint("POST")
    def skip(request: HttpRequest, study: Study, body: dict[str, Any], key: str) -> dict[str, Any]:
        """Put an item off until everything else is done."""
        user = user_of(request)
        desk.put_off(study, user, key, clock.now())
        return desk.desk_state(study, user)

    @study_endpoint("GET")
    def current(request: HttpRequest, study: Study) -> dict[str, Any]:
        """Return what this expert has before them: for a page that lost its place, or waits for more."""
        user = user_of(request)
        if desk.is_on(study):
            desk.prepare(study)
        return {**desk.desk_state(study, user), "last": desk.last_of(study, user)}

    register_work(desk.work)
    here, name = f"studies/<slug:slug>/{desk.address}/", desk.name
    return [
        path(here, page, name=name),
        path(f"{here}api/current", current, name=f"{name}_current"),
        path(f"{here}api/decide/<slug:key>", decide, name=f"{name}_decide"),
        path(f"{here}api/undo/<slug:key>", undo, name=f"{name}_undo"),
        path(f"{here}api/skip/<slug:key>", skip, name=f"{name}_skip"),
    ]


def clip(study: Study, clip: CardClip, key: str) -> dict[str, Any]:
    """Describe a clip; it goes by a name that is this expert's own."""
    return {
        "url": reverse("experts:audio", args=[study.slug, key]),
        "seconds": round(filled(clip.seconds), 2),
        "text": clip.text,
        "language": clip.language,
    }


def parse(shape: type[Sent], body: dict[str, Any]) -> Sent:
    """Read what a page sent of a decision; raises `Invalid` by field."""
    try:
        return shape.model_validate(body)
    except ValidationError as error:
        raise Invalid("The decision could not be read.", problems(error.errors())) from error


def user_of(request: HttpRequest) -> User:
    """Return the signed-in user; the page's decorator ensures that there is one."""
    assert isinstance(request.user, User)
    return request.user
