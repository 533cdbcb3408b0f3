"""Whether a draft's renditions and anchors are made by its present settings, and a job that makes them.

The sample rate, which a study may leave to its clips, is the highest among them; repairs are settings of the study.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from django.utils.translation import gettext as _

from core.jobs import FAILED, QUEUED
from studies.clips.models import Clip, ClipImport
from studies.definition.definition import Audio
from studies.definition.models import Study
from studies.definition.queries import newest
from studies.imports import missing_anchors
from studies.imports.ingest import rates
from studies.imports.ingest.anchors import Anchor
from studies.imports.ingest.facts import Target

if TYPE_CHECKING:
    from accounts.users.models import User


class Outdated(NamedTuple):
    """The sample rate and repairs of a draft, clips whose renditions have others, and anchors that aren't made yet."""

    # None where the study sets its rate itself.
    rate: int | None
    recipe: str
    clips: Sequence[int]
    # Whether a clip has other repairs, and not another rate alone.
    is_repair: bool
    anchors: Sequence[Anchor] = ()

    @property
    def kilohertz(self) -> str:
        return f"{(self.rate or 0) / 1000:g}"


def target_of(audio: Audio) -> Target:
    """Return how a study with these settings makes renditions."""
    return Target(
        audio.sample_rate,
        audio.channels,
        audio.delivered_loudness,
        audio.peak,
        audio.max_seconds,
        audio.edges,
        audio.band,
    )


def highest(study: Study) -> int | None:
    """Return the sample rate for the study's clips; None if there are none."""
    sources = Clip.objects.filter(study=study, withdrawn_at=None).values_list("sample_rate", flat=True).distinct()
    return rates.highest(sources) if sources else None


def outdated(study: Study) -> Outdated | None:
    """Return what has to be made again; None where nothing has, or the study was launched."""
    if newest(study) is not None:
        return None
    audio = study.definition.audio
    wanted = highest(study) if audio.sample_rate is None else None
    clips: list[int] = []
    is_repair = False
    # Withdrawn ones too, since they may come back.
    rows = Clip.objects.filter(study=study).order_by("pk")
    measured = rows.values_list("pk", "recipe", "duration", "sample_rate", "rendition_bytes")
    for pk, recipe, seconds, rate, size in measured:
        if recipe != audio.recipe:
            clips.append(pk)
            is_repair = True
        elif wanted is not None and rates.rate_of(seconds, rate, audio.channels, size) not in (None, wanted):
            clips.append(pk)
    anchors = missing_anchors.missing(study)
    return Outdated(wanted, audio.recipe, clips, is_repair, anchors) if clips or anchors else None


def request(study: Study, now: datetime, *, user: User | None = None) -> None:
    """Queue a conversion of the study's clips, if they need one and none is queued."""
    clips = outdated(study)
    if clips is not None and waiting(study) is None:
        name = _("Conversion to {rate} kHz").format(rate=clips.kilohertz)
        if not clips.clips:
            name = _("Anchors made of the references")
        elif clips.is_repair:
            name = _("Repair of all clips") if clips.recipe else _("Return to the unrepaired clips")
        ClipImport.objects.create(study=study, manifest_name=name, created_by=user, created_at=now, queued_at=now)


def waiting(study: Study) -> ClipImport | None:
    """Return the queued conversion of the study's clips."""
    return next((job for job in study.imports.filter(state=QUEUED) if job.is_conversion), None)


def unfinished(study: Study) -> ClipImport | None:
    """Return the newest conversion of the study's clips unless it is done; one that failed still has to be made."""
    if outdated(study) is None:
        return None
    newest_first = study.imports.order_by("-pk")
    return next((job for job in newest_first.defer("report") if job.is_conversion), None)


def has_failed(study: Study) -> bool:
    """Say whether the study's newest conversion failed."""
    newest_first = study.imports.order_by("-pk")
    return next((job.state == FAILED for job in newest_first.defer("report") if job.is_conversion), False)
