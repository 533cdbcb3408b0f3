"""The spot check for researchers: progress, failures of each system, failed items, and the export."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Count, F, Q

from core.database.paging import paged
from studies.definition.models import Study
from studies.rules.spot_checks import wilson
from studies.spot_checks import sample
from studies.spot_checks.checking import SPOT_CHECK
from studies.spot_checks.models import SpotClip, SpotDecision, SpotItem

State, Outcome = SpotItem.State, SpotItem.Outcome


@dataclass(frozen=True, slots=True)
class Rate:
    """Decided and failed ones among a system's drawn items; shares are in [0, 1]."""

    system: str
    drawn: int
    checked: int
    failed: int
    cannot_tell: int

    @property
    def share(self) -> float | None:
        return self.failed / self.checked if self.checked else None

    @property
    def percent(self) -> float:
        return 100 * (self.share or 0.0)

    @property
    def interval(self) -> tuple[float, float]:
        """Return Wilson's 95 % interval in percent; only where something was checked."""
        low, high = wilson(self.failed, self.checked)
        return 100 * low, 100 * high


class FailedClip(NamedTuple):
    """A clip of a failed item in its present state; deleted clips have no key."""

    clip: int | None
    file: str
    take: str
    is_withdrawn: bool


class ExpertComment(NamedTuple):
    """One expert's decision and note."""

    expert: str
    code: str
    note: str
    adjudicates: bool


@dataclass(frozen=True, slots=True)
class FailedItem:
    """A failed item; while `is_in` (all its clips are in the study), it may block the launch."""

    kind: str
    system: str
    voice: str
    text: str
    clips: tuple[FailedClip, ...]
    comments: tuple[ExpertComment, ...]

    @property
    def is_in(self) -> bool:
        return all(each.clip is not None and not each.is_withdrawn for each in self.clips)


@dataclass(frozen=True, slots=True)
class SpotCheckProgress:
    """The number of items in each state; those still to be drawn count as waiting."""

    waiting: int
    disputed: int
    passed: int
    failed: int
    cannot_tell: int

    @property
    def open(self) -> int:
        return self.waiting + self.disputed

    @property
    def done(self) -> int:
        return self.passed + self.failed + self.cannot_tell


def progress(study: Study) -> SpotCheckProgress:
    """Return the progress of a study's spot check."""
    counts = SPOT_CHECK.scope(study.pk).aggregate(
        waiting=Count("pk", filter=Q(state=State.OPEN)),
        disputed=Count("pk", filter=Q(state=State.DISPUTED)),
        **{name: Count("pk", filter=Q(outcome=name)) for name in Outcome.values},
    )
    return SpotCheckProgress(**{**counts, "waiting": counts["waiting"] + len(sample.missing(study))})


def rates(study_id: int, kind: str) -> list[Rate]:
    """Return the failures of each system among randomly drawn items, without replacements."""
    rows = SPOT_CHECK.scope(study_id).filter(kind=kind, is_replacement=False).values("system__name")
    counted = rows.annotate(
        drawn=Count("pk"),
        checked=Count("pk", filter=Q(state=State.DONE)),
        failed=Count("pk", filter=Q(outcome=Outcome.FAILED)),
        cannot_tell=Count("pk", filter=Q(outcome=Outcome.CANNOT_TELL)),
    )
    columns = ("system__name", "drawn", "checked", "failed", "cannot_tell")
    return [Rate(*row) for row in counted.order_by("system__name").values_list(*columns)]


def failing(study_id: int) -> list[FailedItem]:
    """Return the failed items by system and file, with the experts' comments."""
    items = SpotItem.objects.filter(study_id=study_id, outcome=Outcome.FAILED).select_related("system")
    clips: dict[int, list[SpotClip]] = defaultdict(list)
    for row in SpotClip.objects.filter(item__in=items).select_related("clip").order_by("item", "place"):
        clips[row.item_id].append(row)
    comments: dict[int, list[ExpertComment]] = defaultdict(list)
    columns = ("expert__username", "code", "note", "adjudicates")
    decisions = SpotDecision.objects.filter(item__in=items, revoked_at=None).order_by("pk")
    for item, *words in decisions.values_list("item_id", *columns):
        comments[item].append(ExpertComment(*words))
    failed_items = [_failing(item, clips[item.pk], comments[item.pk]) for item in items]
    return sorted(failed_items, key=lambda each: (not each.is_in, each.system, each.clips[0].file))


def _failing(item: SpotItem, clips: list[SpotClip], comments: list[ExpertComment]) -> FailedItem:
    failed_clips = []
    for each in clips:
        is_withdrawn = each.clip is not None and each.clip.withdrawn_at is not None
        failed_clips.append(FailedClip(each.clip_id, each.about["file"], each.about["take"], is_withdrawn))
    about = clips[0].about
    return FailedItem(item.kind, item.system.name, about["voice"], about["text"], tuple(failed_clips), tuple(comments))


def experts(study_id: int) -> list[tuple[str, int]]:
    """Return the number of decisions of each expert."""
    rows = SpotDecision.objects.filter(item__study=study_id, revoked_at=None).values_list("expert__username")
    return list(rows.annotate(number=Count("pk")).order_by("expert__username"))


def has_decisions(study_id: int) -> bool:
    """Return whether there are any decisions, revoked ones included."""
    return SpotDecision.objects.filter(item__study=study_id).exists()


def table(study_id: int) -> Iterator[dict[str, Any]]:
    """Yield one row a decision in the order they were made, revoked ones included."""
    columns = ("pk", "item_id", "expert_id", "code", "adjudicates", "note", "at", "revoked_at")
    more = {name: F(f"item__{name}") for name in ("kind", "state", "outcome", "is_replacement")}
    rows = SpotDecision.objects.filter(item__study=study_id).values(*columns, system=F("item__system__name"), **more)
    abouts: dict[int, list[dict[str, str]]] = defaultdict(list)
    clips = SpotClip.objects.filter(item__study=study_id).order_by("item", "place")
    for item, about in clips.values_list("item_id", "about"):
        abouts[item].append(about)
    for row in paged(rows, "pk"):
        yield {**row, "clips": abouts[row["item_id"]]}
