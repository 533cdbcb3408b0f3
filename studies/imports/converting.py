"""Make a draft's renditions again from the originals, at another sample rate or with other repairs, and its anchors."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db import transaction

from core import jobs
from core.errors import Conflict
from core.files import storage
from core.web import busy
from studies import hooks
from studies.clips.models import Clip, ClipImport, Text
from studies.clips.stored import discard_unnamed, root_of
from studies.definition.models import Study
from studies.imports import publishing, renditions
from studies.imports.ingest import anchors
from studies.imports.ingest.anchors import Anchor
from studies.imports.ingest.decoder import DecoderProcess
from studies.imports.ingest.decoders import Decoders
from studies.imports.ingest.facts import Facts
from studies.imports.ingest.problems import InvalidInput
from studies.imports.publishing import StoredClip
from studies.imports.renditions import Outdated
from studies.imports.working import TakenOver, keep

# New renditions by clip: the stored file, and what is known of it.
Renditions = dict[int, tuple[str, Facts]]
# What a conversion changes of a clip, besides its rendition and its recipe.
FIELDS = ("rendition_bytes", "gain", "duration", "trimmed_before", "trimmed_after")


def convert(job: ClipImport, *, now: Callable[[], datetime]) -> None:
    """Finish a claimed job: all new renditions and anchors, or none if the clips changed meanwhile."""
    outdated = renditions.outdated(job.study)
    made: Renditions = {}
    added: list[StoredClip] = []
    try:
        if outdated is not None:
            _render(job, outdated, made, added, now)
        busy.patiently(lambda: _publish(job, outdated, made, added, now()))
    finally:
        names = [name for name, _facts in made.values()]
        names += [name for clip in added for name in (clip.original, clip.rendition)]
        discard_unnamed(names, root=root_of(job.study))


def _render(
    job: ClipImport, outdated: Outdated, made: Renditions, added: list[StoredClip], now: Callable[[], datetime]
) -> None:
    """Store a new rendition of each outdated clip in `made`, and each missing anchor in `added`."""
    total = len(outdated.clips) + len(outdated.anchors)

    def beat() -> None:
        if not jobs.renew(job, now(), done=len(made) + len(added), total=total):
            raise TakenOver

    clips = Clip.objects.in_bulk(outdated.clips)
    sources = [*clips.values(), *Clip.objects.filter(study=job.study, role=Clip.Role.REFERENCE)]
    originals = references(job.study)
    target = renditions.target_of(job.study.definition.audio)
    # The limit may have been lowered since they came.
    longest = max([target.max_seconds, *(clip.original_seconds + 1 for clip in sources)])
    rate = outdated.rate or target.sample_rate
    target = replace(target, sample_rate=rate, max_seconds=longest, keeps_declared=True)
    with (
        tempfile.TemporaryDirectory(prefix="earshot-conversion-", dir=settings.FILE_UPLOAD_TEMP_DIR) as scratch,
        Decoders(target, beat=beat) as decoders,
    ):

        def task(clip: Clip, decoder: DecoderProcess) -> Facts:
            return decode(decoder, clip, originals, Path(scratch) / str(clip.pk))

        for clip, facts in zip(
            clips.values(), decoders.each(partial(task, clip) for clip in clips.values()), strict=True
        ):
            beat()
            folder = Path(scratch) / str(clip.pk)
            made[clip.pk] = keep(job, folder / "out"), facts
            shutil.rmtree(folder)

        def low(number: int, anchor: Anchor, decoder: DecoderProcess) -> Facts:
            return _make(decoder, anchor, originals[anchor.of], Path(scratch) / f"anchor-{number}")

        tasks = (partial(low, number, anchor) for number, anchor in enumerate(outdated.anchors))
        for number, (anchor, facts) in enumerate(zip(outdated.anchors, decoders.each(tasks), strict=True)):
            beat()
            folder = Path(scratch) / f"anchor-{number}"
            original, rendition = keep(job, folder / "in"), keep(job, folder / "out")
            added.append(StoredClip(anchor.row, facts, original, rendition, outdated.recipe))
            shutil.rmtree(folder)


def _make(decoder: DecoderProcess, anchor: Anchor, reference: str, scratch: Path) -> Facts:
    """Write an anchor to the file `in` in `scratch`, and its rendition to `out`."""
    scratch.mkdir(exist_ok=True)
    _fetch(reference, scratch / "reference")
    try:
        decoder.lowpass(scratch / "reference", scratch / "in", anchor.hertz)
        return decoder.decode(scratch / "in", scratch / "out", scratch / "reference")
    except InvalidInput as error:
        raise Conflict(f"{anchor.row.file}: {error}", code="no_anchor") from None


def references(study: Study) -> dict[str, str]:
    """Return {file of a reference: its stored original}; an anchor keeps in time with its reference."""
    rows = Clip.objects.filter(study=study, role=Clip.Role.REFERENCE)
    return dict(rows.values_list("file", "original"))


def decode(decoder: DecoderProcess, clip: Clip, originals: Mapping[str, str], scratch: Path) -> Facts:
    """Write a new rendition of a clip to the file `out` in `scratch`; `originals` are those of `references`."""
    scratch.mkdir(exist_ok=True)
    _fetch(clip.original, scratch / "in")
    of = originals.get(anchors.reference_of(clip.file)) if clip.role == Clip.Role.ANCHOR else None
    if of is not None:
        _fetch(of, scratch / "reference")
    return decoder.decode(scratch / "in", scratch / "out", None if of is None else scratch / "reference")


def _fetch(name: str, path: Path) -> None:
    with storage.open_file(name) as stored, path.open("wb") as copy:
        shutil.copyfileobj(stored, copy)


def _publish(
    job: ClipImport, outdated: Outdated | None, made: Renditions, added: list[StoredClip], now: datetime
) -> None:
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=job.study_id)
        if outdated is not None and renditions.outdated(study) == outdated:
            clips = Clip.objects.in_bulk(made)
            old = [clip.rendition for clip in clips.values()]
            for pk, (name, facts) in made.items():
                clip = clips[pk]
                clip.rendition, clip.recipe = name, outdated.recipe
                for field in FIELDS:
                    setattr(clip, field, getattr(facts, field))
            Clip.objects.bulk_update(clips.values(), ["rendition", "recipe", *FIELDS], batch_size=200)
            texts = dict(Text.objects.filter(study=study).values_list("name", "pk"))
            publishing.add_clips(study, added, texts, now)
            transaction.on_commit(lambda: discard_unnamed(old, root=root_of(study)))
            hooks.tell_clips_changed(study, now)
        else:
            added = []
            renditions.request(study, now)
        total = len(made) + len(added)
        if not jobs.finish(job, now, clips_added=len(added), done=total, total=total):
            raise TakenOver
