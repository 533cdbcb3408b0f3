"""Sets of machines' values: made, filled, renamed, removed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from math import isfinite
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from analysis.models import ClipMetric, Comparison, MetricSet
from core.errors import Invalid, NotFound

LONGEST_NAME = 100
AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Given:
    """One clip's value, or (value None) why it has none; `detail` is kept beside it as JSON."""

    clip: int
    value: float | None
    failure: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


@transaction.atomic
def create_set(
    *,
    study_id: int,
    name: str,
    source: str = "",
    direction: str = MetricSet.Direction.HIGHER,
    low: float | None = None,
    high: float | None = None,
    provenance: Mapping[str, Any] | None = None,
    by: Any = None,
    now: datetime,
    active: bool = True,
) -> MetricSet:
    """Make an empty set; an inactive one is offered nowhere until `finish`. Raises `Invalid`."""
    return MetricSet.objects.create(
        study_id=study_id,
        source=source,
        provenance=dict(provenance or {}),
        created_at=now,
        created_by=by,
        active=active,
        **described(name, direction, low, high),
    )


@transaction.atomic
def put(*, set_id: int, values: Iterable[Given]) -> int:
    """Store values, replacing those of the same clips; return how many. The same again changes nothing.

    Raises `NotFound` when the set was removed meanwhile, `Invalid` for a value that is no finite number.
    """
    if not MetricSet.objects.select_for_update(no_key=True).filter(pk=set_id).exists():
        raise NotFound("The metric was removed meanwhile.")
    rows = {}
    for given in values:
        if given.value is not None and not isfinite(given.value):
            raise Invalid(_("A value of a clip is not a finite number."))
        failure = "" if given.value is not None else given.failure or _("no value")
        rows[given.clip] = ClipMetric(
            metric_set_id=set_id, clip_id=given.clip, value=given.value, failure=failure, detail=dict(given.detail)
        )
    ClipMetric.objects.bulk_create(
        rows.values(),
        batch_size=AT_ONCE,
        update_conflicts=True,
        unique_fields=["metric_set", "clip"],
        update_fields=["value", "failure", "detail"],
    )
    return len(rows)


@transaction.atomic
def finish(*, set_id: int) -> None:
    """Offer a set that was being filled."""
    MetricSet.objects.filter(pk=set_id).update(active=True)


@transaction.atomic
def describe(*, metric_set: MetricSet, name: str, direction: str, low: float | None, high: float | None) -> None:
    """Rename a set, or say anew how its numbers are meant. Raises `Invalid`."""
    MetricSet.objects.filter(pk=metric_set.pk).update(**described(name, direction, low, high))
    # What was computed of it meant something else.
    Comparison.objects.filter(Q(first=metric_set) | Q(second=metric_set)).delete()


@transaction.atomic
def remove(*, metric_set: MetricSet) -> None:
    """Delete a set with its values and all that was computed from it."""
    metric_set.delete()


def described(name: str, direction: str, low: float | None, high: float | None) -> dict[str, Any]:
    """Return what people say of a set, checked. Raises `Invalid`."""
    name = name.strip()
    problems = {}
    if not 0 < len(name) <= LONGEST_NAME:
        problems["name"] = _("Give it a name of at most {number} characters.").format(number=LONGEST_NAME)
    if direction not in MetricSet.Direction.values:
        problems["direction"] = _("Say whether higher or lower is better.")
    if (low is None) != (high is None):
        problems["high" if high is None else "low"] = _("Give both ends of the scale, or none.")
    elif low is not None and high is not None and not (isfinite(low) and isfinite(high) and low < high):
        problems["high"] = _("The scale’s upper end must be above its lower end.")
    if problems:
        raise Invalid(" ".join(problems.values()), problems)
    return {"name": name, "direction": direction, "low": low, "high": high}
