"""Clips that a draft has already under the name of a new one: the old one is deleted, under another name."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from pathlib import PurePosixPath

from django.utils.translation import gettext as _

from core.errors import Conflict, Invalid
from core.text.words import say
from studies.clips.models import Clip
from studies.definition.models import Study
from studies.imports.ingest.manifest import LONGEST, ManifestRow
from studies.imports.ingest.names import folded
from studies.imports.ingest.problems import ImportProblem

CHUNK = 1000


def refuse_launched(study: Study) -> None:
    """Raise `Conflict` if clips of the study can't be replaced any more."""
    if not study.is_draft:
        raise Conflict(_("The study was launched: its clips can’t be replaced any more."), code="launched")


def set_aside(study: Study, rows: Sequence[ManifestRow], now: datetime) -> list[ImportProblem]:
    """Delete the clips whose names these rows take, and return a note for each.

    As deleted clips they keep their files, and what experts decided about them, under a free name. Call it in the
    transaction that adds the rows.
    """
    clips = {folded(clip.file): clip for clip in Clip.objects.filter(study=study).only("file", "withdrawn_at")}
    used_names = {*clips, *(folded(row.file) for row in rows)}
    replaced, notes = [], []
    for row in rows:
        clip = clips.get(folded(row.file))
        if clip is None:
            continue
        clip.file = free_name(clip.file, PurePosixPath(clip.file).suffix, used_names)
        clip.withdrawn_at = clip.withdrawn_at or now
        used_names.add(folded(clip.file))
        replaced.append(clip)
        reason = say("The study had a clip of this name: this one replaced it. The old one is among the deleted clips.")
        notes.append(ImportProblem(row.number, row.file, "file", reason, warning=True))
    Clip.objects.bulk_update(replaced, ["file", "withdrawn_at"], batch_size=CHUNK)
    return notes


def free_name(old: str, suffix: str, used_names: Collection[str]) -> str:
    """Return a free name like the old one: alpha/3.wav becomes alpha/3-2.wav, then alpha/3-3.wav."""
    path = PurePosixPath(old)
    number = 2
    while folded(name := str(path.with_name(f"{path.stem}-{number}{suffix}"))) in used_names:
        number += 1
    if len(name) > LONGEST["file"]:
        raise Invalid(_("The file’s name is too long to make another one of it."))
    return name
