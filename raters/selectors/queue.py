"""What every queue for experts offers: what is open to one of them, and what an answer's card shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any, Protocol, TypeVar, cast

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext

from raters.models import Answer, Rating, Trial, TrialClip
from raters.models.queue import Decided, Queued
from studies.selectors import facts
from studies.selectors.experts import CardClip

Item = TypeVar("Item", bound=Queued)
UNDECIDED = (Queued.State.OPEN, Queued.State.HALF, Queued.State.DISPUTED)
# More than any expert does in a month; beyond it, a page says this number.
MOST_COUNTED = 5000


class Wanted(Protocol):
    """What settings of a queue say about its extent."""

    @property
    def mode(self) -> str: ...
    @property
    def share(self) -> float: ...
    @property
    def simulated(self) -> bool: ...


def reasons(study_id: int, settings: Wanted) -> QuerySet[Answer]:
    """Return the usable test answers with a reason: of real raters, and of simulated ones where that is set."""
    rows = Answer.objects.filter(
        trial__batch__session__study_id=study_id, trial__usable=True, trial__item__role="test"
    ).exclude(reason="")
    return rows if settings.simulated else rows.filter(trial__session__simulated=False)


def in_scope(rows: QuerySet[Item], settings: Wanted) -> QuerySet[Item]:
    """Return the items that the settings want decided; what was begun is finished, whatever they say now."""
    if settings.mode == "off":
        return rows.none()
    if settings.mode == "share":
        rows = rows.filter(Q(draw__lt=settings.share) | ~Q(state=Queued.State.OPEN))
    return rows if settings.simulated else rows.filter(simulated=False)


def is_usable() -> Exists:
    """Return the condition that an item's answer is usable; a join over the answer would cost twice as much."""
    return Exists(Trial.objects.filter(pk=OuterRef("answer_id"), usable=True))


def total(scope: QuerySet[Any]) -> int:
    """Return how many items are to decide or decided; what no worker has taken up yet is counted once it is."""
    return scope.filter(Q(state=Queued.State.DONE) | is_usable()).count()


def number(waiting: QuerySet[Any]) -> int:
    """Return how many items wait, so that a page costs the same however many do: at most `MOST_COUNTED`."""
    return waiting.order_by()[:MOST_COUNTED].count()


def open_to(
    rows: QuerySet[Item], user_id: int, *, decided: QuerySet[Any], skips: QuerySet[Any], first: Collection[Any] = ()
) -> QuerySet[Item]:
    """Return what this expert may decide of these items, in order; what they put off comes last.

    `decided` are decisions on the outer item that stand, `skips` tell when it was put off. Nobody decides twice, nobody
    what they rated themselves, and nobody what is out of use.
    """
    found: Any = (
        rows.filter(~Exists(decided.filter(expert=user_id)), answer__trial__usable=True)
        # Not "all but decided ones": the index finds these.
        .filter(state__in=UNDECIDED)
        .filter(Q(answer__trial__session__opened_by=None) | ~Q(answer__trial__session__opened_by=user_id))
        .annotate(put_off=Subquery(skips.filter(expert=user_id).values("at")))
        .order_by(F("put_off").asc(nulls_first=True), *first, "draw")
    )
    return cast(QuerySet[Item], found)


def standing(decisions: type[Decided]) -> QuerySet[Any]:
    """Return the decisions that were not taken back."""
    return decisions._default_manager.filter(revoked_at=None)


def clips_of(answers: Collection[int]) -> dict[int, list[CardClip]]:
    """Return {answer: its trial's clips by place}; one SELECT."""
    found: dict[int, list[CardClip]] = defaultdict(list)
    rows = TrialClip.objects.filter(trial__in=answers).order_by("trial_id", "place")
    columns = ("clip_id", "clip__duration", "clip__text__body", "clip__language")
    for trial, clip, seconds, text, language in rows.values_list("trial_id", *columns):
        found[trial].append(CardClip(clip, seconds, text or "", language))
    return found


def labels_of(versions: Mapping[int, int]) -> dict[int, list[tuple[str, str]]]:
    """Return {answer: [(letter of the clip, or nothing where there is one; what was answered)]} for the scored part.

    `versions` are the versions under which the answers were given.
    """
    found: dict[int, list[tuple[str, str]]] = defaultdict(list)
    places: dict[int, set[int | None]] = defaultdict(set)
    rows: list[tuple[int, int | None, str]] = []
    for trial, part, place, code in (
        Rating.objects.filter(trial__in=versions).order_by("pk").values_list("trial_id", "part", "place", "code")
    ):
        score = facts.frozen(versions[trial]).kind.score
        if part == score.part:
            rows.append((trial, place, gettext(score.codes[code]) if code in score.codes else code))
            places[trial].add(place)
    for trial, place, label in rows:
        is_alone = place is None or len(places[trial]) == 1
        found[trial].append(("" if is_alone or place is None else chr(ord("A") + place), label))
    return found


def of_answer(path: str) -> dict[str, Any]:
    """Return what exports tell of the answer at `path` (`answer`, `item__answer`), for `values()`."""
    trial = f"{path}__trial__"
    first = TrialClip.objects.filter(trial=OuterRef(f"{path}_id"), place=0)
    return {
        "session_pk": F(f"{trial}session_id"),
        "rater_pk": F(f"{trial}rater_id"),
        "batch_number": F(f"{trial}batch__number"),
        "position": F(f"{trial}position"),
        "file": Subquery(first.values("clip__file")),
        "is_simulated": F(f"{trial}session__simulated"),
        "usable": F(f"{trial}usable"),
    }
