"""Where the audio that raters hear is stored."""

from __future__ import annotations

from collections.abc import Iterator

from core.paging import paged
from studies.models import Clip


def of_study(study_id: int) -> Iterator[tuple[str, str]]:
    """Yield (file of the manifest, name in the store) of every clip that has a rendition, by file."""
    rows = Clip.objects.filter(study_id=study_id).exclude(rendition="").values("file", "rendition")
    return ((row["file"], row["rendition"]) for row in paged(rows, "file"))
