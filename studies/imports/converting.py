"""Convert a draft's clips again from the originals, to another sample rate."""

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
from studies import hooks
from studies.clips.models import Clip, ClipImport
from studies.clips.stored import discard_unnamed, root_of
from studies.definition.models import Study
from studies.imports import sample_rate
from studies.imports.ingest.decoder import DecoderProcess
from studies.imports.ingest.facts import Facts
from studies.imports.sample_rate import Outdated
from studies.imports.working import TakenOver, keep, target_of

# New renditions by clip: the stored file, and what is known of it.
Renditions = dict[int, tuple[str, Facts]]


def convert(job: ClipImport, *, now: Callable[[], datetime]) -> None:
    """Finish a claimed job: new renditions of all clips that need one, or of none if the clips changed meanwhile."""
    outdated = sample_rate.outdated(job.study)
    renditions: Renditions = {}
    try:
        if outdated is not None:
            _render(job, outdated, renditions, now)
        busy.patiently(lambda: _publish(job, outdated, renditions, now()))
    finally:
        discard_unnamed((name for name, _facts in renditions.values()), root=root_of(job.study))


def _render(job: ClipImport, outdated: Outdated, renditions: Renditions, now: Callable[[], datetime]) -> None:
    """Store a new rendition of each outdated clip and note it in `renditions`."""

    def beat() -> None:
        if not jobs.renew(job, now(), done=len(renditions), total=len(outdated.clips)):
            raise TakenOver

    clips = Clip.objects.in_bulk(outdated.clips)
    # The limit may have been lowered since they came.
    target = target_of(job.study)
    longest = max(target.max_seconds, *(clip.duration + 1 for clip in clips.values()))
    target = replace(target, sample_rate=outdated.rate, max_seconds=longest)
    with (
        tempfile.TemporaryDirectory(prefix="earshot-conversion-", dir=settings.FILE_UPLOAD_TEMP_DIR) as scratch,
        DecoderProcess(target, beat=beat) as decoder,
    ):
        original, rendition = Path(scratch) / "in", Path(scratch) / "out"
        for clip in clips.values():
            beat()
            with storage.open_file(clip.original) as stored, original.open("wb") as copy:
                shutil.copyfileobj(stored, copy)
            facts = decoder.decode(original, rendition)
            renditions[clip.pk] = keep(job, rendition), facts


def _publish(job: ClipImport, outdated: Outdated | None, renditions: Renditions, now: datetime) -> None:
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=job.study_id)
        if outdated is not None and sample_rate.outdated(study) == outdated:
            clips = Clip.objects.in_bulk(renditions)
            old = [clip.rendition for clip in clips.values()]
            for pk, (name, facts) in renditions.items():
                clip = clips[pk]
                clip.rendition, clip.rendition_bytes, clip.gain = name, facts.rendition_bytes, facts.gain
            Clip.objects.bulk_update(clips.values(), ["rendition", "rendition_bytes", "gain"], batch_size=200)
            transaction.on_commit(lambda: discard_unnamed(old, root=root_of(study)))
            hooks.tell_clips_changed(study, now)
        else:
            sample_rate.request(study, now)
        if not jobs.finish(job, now, done=len(renditions), total=len(renditions)):
            raise TakenOver
