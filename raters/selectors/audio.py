"""Which stored file a clip key stands for, and whether it may be fetched now."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import NotFound
from raters.models import Session, Trial, TrialClip


@dataclass(frozen=True, slots=True)
class Rendition:
    """A file to stream to one rater."""

    trial_clip: int
    trial: int
    batch: int
    name: str
    size: int


def rendition(*, session_id: int, key: str) -> Rendition:
    """Return the file behind a key while its trial is the current one or the next; raises `NotFound` otherwise."""
    row = (
        TrialClip.objects.filter(
            key=key,
            trial__session=session_id,
            trial__answered_at=None,
            trial__skipped_at=None,
            trial__session__step=Session.Step.RATING,
        )
        .values_list(
            "pk",
            "trial_id",
            "clip__rendition",
            "clip__rendition_bytes",
            "trial__served_at",
            "trial__batch_id",
            "trial__position",
        )
        .first()
    )
    if row is None:
        raise NotFound("There is no such clip.")
    pk, trial, name, size, served_at, batch, position = row
    if served_at is None:
        before = Trial.objects.filter(batch=batch, position__lt=position, answered_at=None, skipped_at=None)
        if before.count() > 1:
            raise NotFound("There is no such clip.")
    return Rendition(pk, trial, batch, name, size)


def to_come(batch: int) -> list[tuple[str, int]]:
    """Return (name in the store, bytes) of the clips of a batch that are still to be heard, in their order."""
    rows = TrialClip.objects.filter(trial__batch=batch, trial__answered_at=None).order_by("trial__position", "place")
    return list(rows.values_list("clip__rendition", "clip__rendition_bytes"))
