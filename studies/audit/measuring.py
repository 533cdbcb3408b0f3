"""Measure the unmeasured clips of a study, in a worker's job or at once."""

from __future__ import annotations

import logging
import time
import wave
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
from django.db import transaction
from django.db.models import F, Q, QuerySet

from core import clock, jobs
from core.errors import Invalid
from core.files import storage
from core.jobs import QUEUED, RUNNING, TakenOver
from core.nudge import nudge
from core.web import busy
from studies.audit import likeness, marking, queries, waveform
from studies.audit.comparing import HUMAN
from studies.audit.leak import Leak, LeakClip, find
from studies.audit.models import VERSION, ClipAudit, StudyAudit
from studies.clips import figures
from studies.clips.models import Clip
from studies.definition.models import Study
from studies.imports import renditions
from studies.summaries import services as summaries

if TYPE_CHECKING:
    from studies.imports.ingest.measure import Samples

logger = logging.getLogger(__name__)
Progress = Callable[[int, int], object]
# Seconds between two commits of measured clips.
COMMIT_SECONDS = 2.0
Problem = ClipAudit.Problem


def missing(study: Study) -> QuerySet[Clip]:
    """Return the study's clips whose present rendition was not measured by the present rules."""
    is_outdated = Q(audit=None) | ~Q(audit__version=VERSION) | ~Q(audit__rendition=F("rendition"))
    # An earlier release, which drew no waveforms, measured these.
    is_outdated |= Q(audit__peaks="") & ~Q(audit__problem=Problem.UNREADABLE)
    return Clip.objects.filter(is_outdated, study=study, withdrawn_at=None).order_by("pk")


def progress(study: Study) -> tuple[int, int]:
    """Return (measured clips, all clips); in a large study, the numbers stored with the jobs."""
    total = figures.total(study.pk)
    if total <= summaries.QUICK:
        return total - missing(study).count(), total
    job = newest(study)
    return (max(0, total - (job.total - job.done)) if job else 0), total


def newest(study: Study) -> StudyAudit | None:
    """Return the study's newest job."""
    return StudyAudit.objects.filter(study=study).order_by("-pk").first()


def is_done(study: Study) -> bool:
    """True if the clips were measured since their last change, as far as possible."""
    if StudyAudit.objects.filter(study=study, state__in=[QUEUED, RUNNING]).exists():
        return False
    job = newest(study)
    if job is None or job.error:
        return False
    # Every change of a draft's clips queues a job.
    return figures.total(study.pk) > summaries.QUICK or not missing(study).exists()


def is_measured(study: Study) -> bool:
    """True if no clip waits to be measured; in a large study, True only once its job is over."""
    return is_done(study) if figures.total(study.pk) > summaries.QUICK else not missing(study).exists()


def request(study: Study, now: datetime) -> None:
    """Queue a job unless one is queued. A conversion, which comes first, requests it again.

    In a draft, every change of the clips needs a job: the leak test covers all of them.
    """
    if StudyAudit.objects.filter(study=study, state=QUEUED).exists() or renditions.outdated(study):
        return
    if study.is_draft or missing(study).exists():
        job = StudyAudit.objects.create(study=study, queued_at=now)
        nudge(job.task_name, job.pk)


def measure_again(study: Study, now: datetime) -> None:
    """Clear read errors, so that the clips are tried again, and queue a job."""
    with transaction.atomic():
        ClipAudit.objects.filter(clip__study=study, problem=Problem.UNREADABLE).delete()
        request(study, now)


def measure_now(*, study: Study, now: Callable[[], datetime] = clock.now, progress: Progress | None = None) -> None:
    """Measure missing clips in this process; raise `Invalid` if the store fails."""
    ClipAudit.objects.filter(clip__study=study, problem=Problem.UNREADABLE).delete()
    job = newest(study)
    if (job is None or job.is_over) and not missing(study).exists():
        return
    # Without `queued_at`, the sweep ignores it.
    row = StudyAudit.objects.create(study=study)
    ended = run(pk=row.pk, now=now, progress=progress)
    if ended is not None and ended.error:
        raise Invalid(ended.error)


def run(*, pk: int, now: Callable[[], datetime] = clock.now, progress: Progress | None = None) -> StudyAudit | None:
    """Do a queued job and return it when finished; None if another worker has it.

    Results are committed every two seconds, so a killed job continues where it stopped.
    """
    job = jobs.claim(StudyAudit, pk, now())
    if job is None:
        return None
    error, leak = "", None
    try:
        _measure_all(job, now, progress)
        leak = leak_of(job.study)
        marking.mark(job.study)
    except TakenOver:
        return None
    except Exception as failure:
        logger.exception("The audit of study %s failed.", job.study.slug)
        error = jobs.explain(failure)
    busy.patiently(lambda: jobs.finish(job, now(), error=error, leak=asdict(leak) if leak else None))
    busy.patiently(lambda: summaries.outdate(job.study))
    job.refresh_from_db()
    return job


def leak_of(study: Study) -> Leak | None:
    """Return the result of the acoustic leak test on the measured clips; None with too few of them."""
    rows = [clip for clip in queries.clips(study) if clip.is_compared and clip.is_measured and clip.measures]
    tests = [clip for clip in rows if clip.role == Clip.Role.TEST]
    # Human traps have texts of their own, so they only replace human test clips where there are none.
    compared = tests if any(clip.system == HUMAN for clip in tests) else rows
    return find([LeakClip(clip.system == HUMAN, clip.text, clip.values) for clip in compared])


def _measure_all(job: StudyAudit, now: Callable[[], datetime], progress: Progress | None) -> None:
    clips = list(missing(job.study))
    _commit(job, [], now(), done=0, total=len(clips))
    waiting: list[ClipAudit] = []
    committed_at = time.monotonic()
    for done, clip in enumerate(clips, start=1):
        waiting.append(_audit(clip, now()))
        if progress:
            progress(done, len(clips))
        if done == len(clips) or time.monotonic() - committed_at >= COMMIT_SECONDS:
            _commit(job, waiting, now(), done=done, total=len(clips))
            waiting, committed_at = [], time.monotonic()


def _commit(job: StudyAudit, rows: list[ClipAudit], now: datetime, *, done: int, total: int) -> None:
    def write() -> None:
        with transaction.atomic():
            if not jobs.renew(job, now, done=done, total=total):
                raise TakenOver
            # Clips of a draft may have been deleted in the meantime.
            there = set(Clip.objects.filter(pk__in=[row.clip_id for row in rows]).values_list("pk", flat=True))
            ClipAudit.objects.bulk_create(
                [row for row in rows if row.clip_id in there],
                update_conflicts=True,
                unique_fields=["clip"],
                update_fields=["version", "rendition", "measures", "fingerprint", "problem", "measured_at", "peaks"],
            )

    busy.patiently(write)


def _audit(clip: Clip, now: datetime) -> ClipAudit:
    """Measure one clip; raises `OSError` if the store doesn't answer."""
    # Only here: it imports scipy, and the web process starts without it.
    from studies.audit import measures

    row = ClipAudit(clip=clip, version=VERSION, rendition=clip.rendition, measured_at=now)
    try:
        samples, rate = read(clip.rendition, clip.rendition_bytes)
    except (FileNotFoundError, EOFError, wave.Error):
        row.problem = Problem.UNREADABLE
        return row
    row.peaks = waveform.peaks(samples) or "0"
    if measures.is_silent(samples):
        row.problem = Problem.SILENT
    else:
        row.measures = measures.measure(samples, rate).as_dict()
        row.fingerprint = likeness.fingerprint(samples, rate)
    return row


def read(name: str, size: int) -> tuple[Samples, int]:
    """Return the samples and the rate of a rendition. Renditions are written by this server."""
    with storage.open_sound(name, size) as file, wave.open(file) as sound:
        if sound.getsampwidth() != 2:
            raise wave.Error("not 16 bits")
        raw = sound.readframes(sound.getnframes())
        channels, rate = sound.getnchannels(), sound.getframerate()
    samples = np.frombuffer(raw, dtype="<i2").astype(np.float64) / 32768
    return samples.reshape(-1, channels), rate
