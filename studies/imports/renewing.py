"""Make a draft's renditions again from the originals, at another sample rate."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import transaction

from core import jobs
from core.files import storage
from core.web import busy
from studies.clips.models import Clip, ClipImport
from studies.definition.models import Study
from studies.imports import sample_rate
from studies.imports.ingest.decoder import DecoderProcess
from studies.imports.ingest.facts import Facts
from studies.imports.sample_rate import Outdated
from studies.imports.working import TakenOver, discard_unpublished, keep, target_of

Made = dict[int, tuple[str, Facts]]


def renew(job: ClipImport, *, now: Callable[[], datetime]) -> None:
    """Finish a claimed job: new renditions of all clips that need one, or of none if the clips changed meanwhile."""
    found = sample_rate.outdated(job.study)
    made: Made = {}
    try:
        if found is not None:
            made = _made(job, found, now)
        busy.patiently(lambda: _publish(job, found, made, now()))
    finally:
        discard_unpublished(name for name, _facts in made.values())


def _made(job: ClipImport, found: Outdated, now: Callable[[], datetime]) -> Made:
    made: Made = {}

    def beat() -> None:
        if not jobs.renew(job, now(), done=len(made), total=len(found.clips)):
            raise TakenOver

    clips = Clip.objects.in_bulk(found.clips)
    # The limit may have been lowered since they came.
    target = target_of(job.study)
    longest = max(target.max_seconds, *(clip.duration + 1 for clip in clips.values()))
    target = replace(target, sample_rate=found.rate, max_seconds=longest)
    with (
        tempfile.TemporaryDirectory(prefix="earshot-renewal-", dir=settings.FILE_UPLOAD_TEMP_DIR) as scratch,
        DecoderProcess(target, beat=beat) as decoder,
    ):
        original, rendition = Path(scratch) / "in", Path(scratch) / "out"
        for clip in clips.values():
            beat()
            with storage.open_file(clip.original) as stored, original.open("wb") as copy:
                shutil.copyfileobj(stored, copy)
            facts = decoder.decode(original, rendition)
            made[clip.pk] = keep(job, rendition), facts
    return made


def _publish(job: ClipImport, found: Outdated | None, made: Made, now: datetime) -> None:
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=job.study_id)
        if found is not None and sample_rate.outdated(study) == found:
            clips = Clip.objects.in_bulk(made)
            old = [clip.rendition for clip in clips.values()]
            for pk, (name, facts) in made.items():
                clip = clips[pk]
                clip.rendition, clip.rendition_bytes, clip.gain = name, facts.rendition_bytes, facts.gain
            Clip.objects.bulk_update(clips.values(), ["rendition", "rendition_bytes", "gain"], batch_size=200)
            transaction.on_commit(lambda: discard_unpublished(old))
        else:
            sample_rate.request(study, now)
        if not jobs.finish(job, now, done=len(made), total=len(made)):
            raise TakenOver
