"""Clips that raters' browsers could not play."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Count, Q

from raters.models import ClipFailure

# One report may be the rater's own line; a second person makes it the clip's affair. A proposal.
PEOPLE = 2


class Failing(NamedTuple):
    """A clip that several people could not play; `sent_whole` of them had got all of its bytes."""

    file: str
    people: int
    sent_whole: int


def failing(study_id: int) -> list[Failing]:
    """Return the clips still in the study that several people could not play, the worst first; one SELECT."""
    real = ClipFailure.objects.filter(clip__study=study_id, clip__withdrawn_at=None, trial__session__simulated=False)
    counted = real.values("clip__file").annotate(
        people=Count("trial__rater", distinct=True),
        whole=Count("trial__rater", distinct=True, filter=Q(sent_whole=True)),
    )
    rows = counted.filter(people__gte=PEOPLE).order_by("-people", "clip__file")
    return [Failing(*row) for row in rows.values_list("clip__file", "people", "whole")]
