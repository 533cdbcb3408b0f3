"""Whether a draft's renditions have the highest sample rate among its clips, and a job to make them again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.utils.translation import gettext as _

from core.jobs import QUEUED
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
    """Queue a job that makes renditions again, if there are any to make and none is queued."""
    found = outdated(study)
    if found is not None and waiting(study) is None:
        name = _("Renditions at {rate} kHz").format(rate=found.kilohertz)
        ClipImport.objects.create(study=study, manifest_name=name, created_at=now, queued_at=now)


def waiting(study: Study) -> ClipImport | None:
    """Return the queued job that makes renditions again."""
    return next((job for job in study.imports.filter(state=QUEUED) if job.is_renewal), None)
