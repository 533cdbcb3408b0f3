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
    """Return the key that a study shares with all copies of the same files: duplicates, pilots and previews."""
    original = study.pilot_of or study.preview_of or study
    return original.files_of or original.pk


def discard_unnamed(names: Iterable[str], *, root: int) -> None:
    """Delete stored files unless a clip of a study of this `root_of` refers to them.

    A commit may succeed although its answer was lost, and a pilot needs clips that were deleted from the draft.
    """
    unnamed = {name for name in names if name}
    if not unnamed:
        return
    studies = Study.objects.filter(Q(pk=root) | Q(files_of=root)).values("pk")
    family = Study.with_previews.filter(Q(pk__in=studies) | Q(pilot_of__in=studies) | Q(preview_of__in=studies))
    clips = Clip.objects.filter(study__in=family.values("pk"))
    if len(unnamed) < MANY:
        clips = clips.filter(Q(original__in=unnamed) | Q(rendition__in=unnamed))
    for pair in clips.values_list("original", "rendition").iterator(CHUNK):
        unnamed.difference_update(pair)
    for name in unnamed:
        storage.discard(name)
