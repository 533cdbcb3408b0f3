"""The queue of texts to code as one expert may see it: what waits, what is on a card, how far one is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, QuerySet

from raters.models import Coding, CodingItem, CodingMark, CodingSkip, Rating
from raters.reasons.codes import Kind, Mark
from raters.selectors import queue
from studies.presets.coding import Coding as Settings
from studies.selectors import pace as paces
from studies.selectors.experts import CardClip


@dataclass(frozen=True, slots=True)
class Card:
    """One text as an expert sees it: no system, no rater, nothing that others found."""

    key: str
    kind: Kind
    text: str
    answers: tuple[tuple[str, str], ...]
    question: str
    clips: tuple[tuple[CardClip, str], ...]


def comments(study_id: int, settings: Settings) -> QuerySet[Rating]:
    """Return the rows of usable test answers on which the rater wrote a comment."""
    rows = Rating.objects.filter(study_id=study_id, trial__usable=True, trial__item__role="test").exclude(note="")
    return rows if settings.simulated else rows.filter(trial__session__simulated=False)


def in_scope(study_id: int, settings: Settings) -> QuerySet[CodingItem]:
    """Return the items that the settings want coded."""
    return queue.in_scope(CodingItem.objects.filter(study_id=study_id), settings)


def waiting(study_id: int, settings: Settings, user_id: int) -> QuerySet[CodingItem]:
    """Return what this expert may code, at random; what they put off comes last."""
    own = queue.standing(Coding).filter(item=OuterRef("pk"))
    skips = CodingSkip.objects.filter(item=OuterRef("pk"))
    return queue.open_to(in_scope(study_id, settings), user_id, decided=own, skips=skips)


def kind_of(item: CodingItem) -> Kind:
    return "reason" if item.rating_id is None else "comment"


def text_of(item: CodingItem) -> str:
    """Return what the rater wrote, as it stands now; empty once it was erased."""
    return item.answer.reason if item.rating is None else item.rating.note


def cards(
    items: Sequence[CodingItem], clips: Mapping[int, list[CardClip]], keys: Mapping[int, str]
) -> list[tuple[CodingItem, Card]]:
    """Return these items with their cards, in their order."""
    rows = CodingItem.objects.select_related("answer__trial__session", "rating__question")
    found = rows.in_bulk([item.pk for item in items])
    of_reasons = [item for item in found.values() if item.rating_id is None]
    said = queue.labels_of({item.answer_id: item.answer.trial.session.version_id for item in of_reasons})
    return [
        (
            found[item.pk],
            Card(
                key=item.key,
                kind=kind_of(found[item.pk]),
                text=text_of(found[item.pk]),
                answers=tuple(said[item.answer_id]) if item.rating_id is None else (),
                question=_question(found[item.pk]),
                clips=tuple((clip, keys[clip.clip]) for clip in clips[item.answer_id]),
            ),
        )
        for item in items
    ]


def _question(item: CodingItem) -> str:
    question = item.rating.question if item.rating is not None else None
    return question.prompt if question is not None else ""


def marks_of(coding: Coding) -> list[Mark]:
    """Return what was found, in the order it was marked."""
    rows = CodingMark.objects.filter(coding=coding).order_by("pk")
    found: Any = rows.values_list("code", "polarity", "start", "stop")
    return [Mark(*row) for row in found]


def pace(study_id: int, settings: Settings, user_id: int, now: datetime) -> paces.Pace:
    """Return how far everybody is, and how quick this expert; a handful of SELECTs."""
    scope = in_scope(study_id, settings)
    mine = queue.count(waiting(study_id, settings, user_id), settings)
    return paces.pace(
        _mine(study_id, user_id),
        done=scope.filter(state=CodingItem.State.DONE).count(),
        # All that waits for one expert is left for all.
        left=mine if mine > queue.MOST_COUNTED else queue.count(scope.filter(queue.is_usable()), settings),
        waiting=mine,
        most=queue.MOST_COUNTED,
        now=now,
    )


def last_of(study_id: int, user_id: int) -> str:
    """Return the key of the coding that this expert made last; empty when there is none."""
    return paces.last_of(_mine(study_id, user_id))


def _mine(study_id: int, user_id: int) -> QuerySet[Coding]:
    return Coding.objects.filter(study_id=study_id, expert=user_id, revoked_at=None)
