"""Which stored file a clip key stands for, and whether it may be fetched now."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import NotFound
from core.prepared import Given, Select
from raters import screen_rendition
from raters.models import Session, Trial, TrialClip


@dataclass(frozen=True, slots=True)
class Rendition:
    """A file to stream to one rater: its name and bytes in the store, and as how many bytes it is sent."""

    trial_clip: int
    trial: int
    batch: int
    name: str
    size: int
    sent_size: int

    @property
    def is_alone(self) -> bool:
        """Say whether it is the only clip of its trial: then it is sent as it is stored."""
        return self.sent_size == self.size


# The clip of a key and, where its trial has several, those beside it.
SCREEN = Select(
    lambda: TrialClip.objects.filter(
        trial__clips__key=Given("key"),
        trial__session=Given("session"),
        trial__answered_at=None,
        trial__skipped_at=None,
        trial__session__step=Session.Step.RATING,
    ).values_list(
        "key",
        "clip__rendition_bytes",
        "pk",
        "trial_id",
        "clip__rendition",
        "trial__served_at",
        "trial__batch_id",
        "trial__position",
    )
)


def rendition(*, session_id: int, key: str) -> Rendition:
    """Return the file behind a key while its trial is the current one or the next; raises `NotFound` otherwise."""
    clips = {known: about for known, *about in SCREEN(key=key, session=session_id)}
    if key not in clips:
        raise NotFound("There is no such clip.")
    size, pk, trial, name, served_at, batch, position = clips[key]
    if served_at is None:
        before = Trial.objects.filter(batch=batch, position__lt=position, answered_at=None, skipped_at=None)
        if before.count() > 1:
            raise NotFound("There is no such clip.")
    sent_size = size if len(clips) == 1 else screen_rendition.screen_size(each[0] for each in clips.values())
    return Rendition(pk, trial, batch, name, size, sent_size)


def to_come(batch: int) -> list[tuple[str, int]]:
    """Return (name in the store, bytes) of the clips of a batch that are still to be heard, in their order."""
    rows = TrialClip.objects.filter(trial__batch=batch, trial__answered_at=None).order_by("trial__position", "place")
    return list(rows.values_list("clip__rendition", "clip__rendition_bytes"))
