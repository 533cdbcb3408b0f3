"""Try a repair on some clips of each system before applying it to all: a job with audio files for its page."""

from __future__ import annotations

import logging
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction

from core import clock, jobs
from core.files import storage
from core.hooks import StoredFile
from core.jobs import TakenOver
from core.nudge import nudge
from core.web import busy
from studies.audit import measuring, queries, repairing
from studies.audit.models import AppliedRepair, RepairPreview
from studies.audit.queries import AuditedClip
from studies.clips.models import Clip
from studies.definition.models import Study
from studies.imports import converting, renditions
from studies.imports.ingest.decoder import DecoderProcess

if TYPE_CHECKING:
    from studies.imports.ingest.facts import Target
    from studies.imports.ingest.measure import Samples

logger = logging.getLogger(__name__)
# Of stored files.
KIND = "repairs"
# Clips tried of each system: the lowest, the median and the highest.
TRIED = 3
# Seconds of silence beyond the wanted length that are reported.
NOTABLE = 0.1
Kind = AppliedRepair.Kind
# The measures that each repair changes, in the order shown.
MEASURES: dict[str, tuple[str, ...]] = {
    Kind.EDGES: ("silence_before", "silence_after", "noise_before", "noise_after"),
    Kind.BAND: ("bandwidth",),
    Kind.LEVEL: ("loudness",),
}


@dataclass(frozen=True, slots=True)
class PreviewedClip:
    """A clip's measures before and after the repair, and the repaired rendition."""

    clip: int
    file: str
    system: str
    role: str
    before: dict[str, float | None]
    after: dict[str, float | None]
    rendition: str


@dataclass(frozen=True, slots=True)
class RepairException:
    """A clip that a repair can't bring to the common value: the measure concerned and its value."""

    file: str
    # "keeps" more silence, "ends" below the band, "peaks" too high for the level, or is too "short" to measure.
    why: str
    measure: str = ""
    value: float = 0.0


def request(*, study: Study, kind: str, value: float, now: datetime) -> RepairPreview:
    """Queue a preview that replaces the study's last one; raise `Invalid` or `Conflict`."""
    repairing.checked(study, kind, value)
    with transaction.atomic():
        repairing.drop_previews(study)
        job = RepairPreview.objects.create(study=study, kind=kind, value=value, queued_at=now)
        nudge(job.task_name, job.pk)
    return job


def newest(study: Study, kind: str) -> RepairPreview | None:
    """Return the study's preview of this repair, if that is its newest one."""
    return RepairPreview.objects.filter(study=study, kind=kind).order_by("-pk").first()


def run(*, pk: int, now: Callable[[], datetime] = clock.now) -> None:
    """Do a queued preview."""
    job = jobs.claim(RepairPreview, pk, now())
    if job is None:
        return
    tried: list[PreviewedClip] = []
    error, exceptions, is_stored = "", [], False
    try:
        exceptions = list(_work(job, now, tried))
        is_stored = True
    except TakenOver:
        pass
    except Exception as failure:
        logger.exception("The preview of a repair of study %s failed.", job.study.slug)
        error = jobs.explain(failure)
    if is_stored or error:
        fields = {"clips": [asdict(clip) for clip in tried], "exceptions": [asdict(each) for each in exceptions]}
        is_stored = busy.patiently(lambda: jobs.finish(job, now(), error=error, **({} if error else fields)))
    if not is_stored or error:
        for clip in tried:
            storage.discard(clip.rendition)


def files(study: int | None) -> Iterator[StoredFile]:
    """Yield the stored files of previews, of one study or of all."""
    rows = RepairPreview.objects.all() if study is None else RepairPreview.objects.filter(study=study)
    for pk, clips in rows.values_list("pk", "clips"):
        yield from (StoredFile(clip["rendition"], f"preview {pk} of a repair") for clip in clips)


def chosen(clips: Sequence[AuditedClip], measures: Sequence[str]) -> list[AuditedClip]:
    """Return some clips of each system: those with the lowest, the median and the highest sum of these measures."""

    def total(clip: AuditedClip) -> float:
        values = clip.values if clip.is_measured else {}
        return sum(values.get(name, 0.0) for name in measures)

    by_system: defaultdict[str, list[AuditedClip]] = defaultdict(list)
    for clip in clips:
        by_system[clip.system].append(clip)
    few = []
    for _system, own in sorted(by_system.items()):
        own.sort(key=lambda clip: (total(clip), clip.file))
        places = {round(part * (len(own) - 1) / (TRIED - 1)) for part in range(TRIED)}
        few += [own[place] for place in sorted(places)]
    return few


def _work(job: RepairPreview, now: Callable[[], datetime], tried: list[PreviewedClip]) -> Iterator[RepairException]:
    """Try the repair on some clips, add them to `tried`, and yield the exceptions among all clips."""
    clips = [clip for clip in queries.clips(job.study) if not clip.problem]
    few = chosen(clips, MEASURES[job.kind])
    done, total = 0, len(few) + len(clips)

    def beat() -> None:
        if not busy.patiently(lambda: jobs.renew(job, now(), done=done, total=total)):
            raise TakenOver

    rows = Clip.objects.in_bulk([clip.clip for clip in few])
    references = converting.references(job.study)
    with (
        tempfile.TemporaryDirectory(prefix="earshot-preview-", dir=settings.FILE_UPLOAD_TEMP_DIR) as scratch,
        DecoderProcess(_target(job, list(rows.values())), beat=beat) as decoder,
    ):
        for place, clip in enumerate(few):
            done = place
            beat()
            converting.decode(decoder, rows[clip.clip], references, Path(scratch))
            path = Path(scratch) / "out"
            with path.open("rb") as file:
                name = storage.put(KIND, file)
            before = _measures(*measuring.read(clip.rendition, clip.rendition_bytes))
            after = _measures(*measuring.read(name, path.stat().st_size))
            tried.append(PreviewedClip(clip.clip, clip.file, clip.system, clip.role, before, after, name))
    for number, exception in enumerate(_exceptions(job, clips)):
        done = len(few) + number
        if number % 50 == 0:
            beat()
        if exception is not None:
            yield exception


def _target(job: RepairPreview, clips: Sequence[Clip]) -> Target:
    audio = repairing.with_repairs(job.study.definition, {job.kind: job.value}).audio
    target = renditions.target_of(audio)
    longest = max([target.max_seconds, *(clip.original_seconds + 1 for clip in clips)])
    return replace(
        target,
        sample_rate=target.sample_rate or renditions.highest(job.study),
        max_seconds=longest,
        keeps_declared=True,
    )


def _measures(samples: Samples, rate: int) -> dict[str, Any]:
    # Only here: it imports scipy, and the web process starts without it.
    from studies.audit.measures import measure

    return measure(samples, rate).as_dict()


def _exceptions(job: RepairPreview, clips: Sequence[AuditedClip]) -> Iterator[RepairException | None]:
    """Yield an exception or None for each clip."""
    for clip in clips:
        if job.kind == Kind.EDGES:
            yield _kept(clip, job.value)
        elif job.kind == Kind.BAND:
            width = clip.values.get("bandwidth") if clip.is_measured and clip.is_compared else None
            is_below = width is not None and width < job.value - repairing.BAND_STEP
            yield RepairException(clip.file, "ends", "bandwidth", width or 0.0) if is_below else None
        else:
            reached = repairing.reachable(clip, job.study.definition.audio)
            if reached is None:
                yield RepairException(clip.file, "short")
            else:
                is_below = reached < job.value - 0.1
                yield RepairException(clip.file, "peaks", "loudness", reached) if is_below else None


def _kept(clip: AuditedClip, wanted: float) -> RepairException | None:
    """Return the silence that remains because of faint sounds; None if both edges get the wanted length."""
    from studies.imports.ingest import edges

    samples, rate = measuring.read(clip.rendition, clip.rendition_bytes)
    if not samples.any():
        return None
    cut = edges.plan(samples, rate, wanted)
    name, edge = max((("silence_before", cut.before), ("silence_after", cut.after)), key=lambda each: each[1].silence)
    stays = edge.silence / rate
    return RepairException(clip.file, "keeps", name, stays) if stays > wanted + NOTABLE else None
