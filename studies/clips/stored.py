"""Delete stored files that no clip refers to any more: copies of a study share files."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Q

from core.files import storage
from studies.clips.models import Clip
from studies.definition.models import Study

# From this many names on, all clips are read instead of asking for some.
MANY = 500
CHUNK = 2000


def root_of(study: Study) -> int:
    """Return the key of the study that owns the files: a copy shares those of its original."""
    return study.pilot_of_id or study.preview_of_id or study.pk


def discard_unnamed(names: Iterable[str], *, root: int) -> None:
    """Delete stored files of a study unless one of its clips or of its copies refers to them.

    A commit may succeed although its answer was lost, and a pilot needs clips that were deleted from the draft.
    """
    unnamed = {name for name in names if name}
    if not unnamed:
        return
    family = Study.with_previews.filter(Q(pk=root) | Q(pilot_of=root) | Q(preview_of=root))
    clips = Clip.objects.filter(study__in=family.values("pk"))
    if len(unnamed) < MANY:
        clips = clips.filter(Q(original__in=unnamed) | Q(rendition__in=unnamed))
    for pair in clips.values_list("original", "rendition").iterator(CHUNK):
        unnamed.difference_update(pair)
    for name in unnamed:
        storage.discard(name)
