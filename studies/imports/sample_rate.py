"""Whether a draft's renditions have the highest sample rate among its clips, and a job that converts them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.utils.translation import gettext as _

from core.jobs import FAILED, QUEUED
from studies.clips.models import Clip, ClipImport
from studies.definition.models import Study
from studies.definition.queries import newest
from studies.imports.ingest import rates


class Outdated(NamedTuple):
    """The sample rate of a draft, and the clips whose renditions have another one."""

    rate: int
    clips: Sequence[int]

    @property
    def kilohertz(self) -> str:
        return f"{self.rate / 1000:g}"


def highest(study: Study) -> int | None:
    """Return the sample rate for the study's clips; None if there are none."""
    sources = Clip.objects.filter(study=study, withdrawn_at=None).values_list("sample_rate", flat=True).distinct()
    return rates.highest(sources) if sources else None


def outdated(study: Study) -> Outdated | None:
    """Return what has to be made again; None where nothing has, or the study sets its rate itself."""
    audio = study.definition.audio
    if audio.sample_rate is not None or newest(study) is not None:
        return None
    wanted = highest(study)
    rows = Clip.objects.filter(study=study).order_by("pk")
    # Withdrawn ones too, since they may come back.
    measured = rows.values_list("pk", "duration", "sample_rate", "rendition_bytes")
    clips = [
        pk
        for pk, seconds, rate, size in measured
        if rates.rate_of(seconds, rate, audio.channels, size) not in (None, wanted)
    ]
    return Outdated(wanted, clips) if wanted and clips else None


def request(study: Study, now: datetime) -> None:
    """Queue a conversion of the study's clips, if they need one and none is queued."""
    clips = outdated(study)
    if clips is not None and waiting(study) is None:
        name = _("Conversion to {rate} kHz").format(rate=clips.kilohertz)
        ClipImport.objects.create(study=study, manifest_name=name, created_at=now, queued_at=now)


def waiting(study: Study) -> ClipImport | None:
    """Return the queued conversion of the study's clips."""
    return next((job for job in study.imports.filter(state=QUEUED) if job.is_conversion), None)


def has_failed(study: Study) -> bool:
    """Say whether the study's newest conversion failed."""
    newest_first = study.imports.order_by("-pk")
    return next((job.state == FAILED for job in newest_first.defer("report") if job.is_conversion), False)
