"""Progress of the coding: counts, experts, and rows for exports."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db.models import Count, F

from core.database.paging import PAGE, paged
from raters.experts.answers import is_usable, of_answer
from raters.experts.coding import CODING
from raters.experts.models import Coding, CodingItem, CodingMark
from raters.rating.rules import codes
from studies.decisions.kinds import QueueSettings
from studies.decisions.queue import by_expert, count, in_scope

State = CodingItem.State
MARK = ("code", "name", "dimension", "polarity", "start", "stop")
NOTHING: dict[str, Any] = dict.fromkeys(MARK)


@dataclass(frozen=True, slots=True)
class Coder:
    """One expert's codings, the codes in them, and the median seconds between two of them."""

    name: str
    codings: int
    marks: int
    taken_back: int
    seconds: float | None


def counts(study_id: int, settings: QueueSettings) -> dict[str, int]:
    """Count the texts that wait (at most `MOST_COUNTED` + 1), wait for a second expert, or are coded."""
    scope = in_scope(CODING, study_id, settings).filter(is_usable())
    by_state = scope.filter(state__in=(State.HALF, State.DONE)).values_list("state").annotate(number=Count("pk"))
    begun = {"half": 0, "done": 0, **dict(by_state.order_by())}
    return {**begun, "open": count(scope, settings, [State.OPEN])}


def experts(study_id: int) -> list[Coder]:
    """Return each expert's number of codings; one SELECT."""
    rows = Coding.objects.filter(study_id=study_id).annotate(number=Count("marks"))
    return [
        Coder(name, len(marks), sum(marks), undone, seconds)
        for name, marks, undone, seconds in by_expert(rows, "number")
    ]


def table(study_id: int, simulated: bool | None) -> Iterator[dict[str, Any]]:
    """Yield one row per code, in coding order, including revoked codings; a text without codes has one row."""
    rows = Coding.objects.filter(study_id=study_id)
    if simulated is not None:
        rows = rows.filter(item__simulated=simulated)
    each = paged(
        rows.values(
            "pk",
            "purpose",
            "doubled",
            "note",
            "at",
            "revoked_at",
            expert_pk=F("expert_id"),
            question=F("item__rating__question__name"),
            comment=F("item__rating__note"),
            reason=F("item__answer__reason"),
            **of_answer("item__answer"),
        ),
        "pk",
    )
    while some := list(islice(each, PAGE)):
        marks: dict[int, list[dict[str, Any]]] = defaultdict(list)
        mark_rows = CodingMark.objects.filter(coding__in=[row["pk"] for row in some]).order_by("pk")
        for coding, *mark in mark_rows.values_list("coding_id", *MARK):
            marks[coding].append(dict(zip(MARK, mark, strict=True)))
        for row in some:
            for mark in marks[row["pk"]] or [NOTHING]:
                yield {**row, **mark, "quote": _quote(row, mark)}


def _quote(row: dict[str, Any], mark: dict[str, Any]) -> str | None:
    if mark["start"] is None:
        return None
    parts = codes.quote(row["reason"] if row["comment"] is None else row["comment"], mark["start"], mark["stop"])
    return parts[1] if parts is not None else None
