"""Which stored files belong to studies: clips as they came and as they are heard, and what waits to be imported."""

from __future__ import annotations

from collections.abc import Iterator

from core.hooks import Kept
from core.paging import paged
from studies.models import Clip, ClipImport, ClipUpload

KINDS = ("clips", "originals", "renditions", "uploads")
LISTS = ("manifest", "questions", "golden", "archive")


def files(study: int | None) -> Iterator[Kept]:
    """Yield the stored files of one study, or of all."""
    clips, imports, uploads = Clip.objects.all(), ClipImport.objects.all(), ClipUpload.objects.exclude(file="")
    if study is not None:
        clips, imports, uploads = clips.filter(study=study), imports.filter(study=study), uploads.filter(study=study)
    for row in paged(clips.values("pk", "original", "rendition", "sha256"), "pk"):
        yield Kept(row["original"], f"the original of clip {row['pk']}", row["sha256"])
        yield Kept(row["rendition"], f"the rendition of clip {row['pk']}")
    for row in paged(imports.values("pk", *LISTS), "pk"):
        yield from (Kept(row[name], f"the {name} of import {row['pk']}") for name in LISTS)
    for row in paged(uploads.values("pk", "file"), "pk"):
        yield Kept(row["file"], f"upload {row['pk']} of clips")
