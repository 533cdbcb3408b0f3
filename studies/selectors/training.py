"""The clips that listeners practise on."""

from __future__ import annotations

from typing import NamedTuple

from studies.models import Clip


class TrainingClip(NamedTuple):
    """A clip of the role `training`, as practice needs it; `text` is what is said, in words."""

    clip: int
    system: str
    text: str
    seconds: float
    rendition: str
    size: int


def training_clips(study_id: int) -> list[TrainingClip]:
    """Return a study's training clips in the order in which they were added; one SELECT."""
    rows = Clip.objects.filter(study=study_id, role=Clip.Role.TRAINING, withdrawn_at=None).order_by("pk")
    columns = ("pk", "system__name", "text__body", "duration", "rendition", "rendition_bytes")
    return [TrainingClip(pk, system, text or "", *rest) for pk, system, text, *rest in rows.values_list(*columns)]
