"""Delete stored files of clips that no clip names any more: copies of a study share them."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Q

from core.files import storage
from studies.clips.models import Clip
from studies.definition.models import Study

# From so many names on, all clips are read instead of asking for some.
MANY = 500
CHUNK = 2000


def root_of(study: Study) -> int:
    """Return the key of the study whose clips' files a study has: a copy has none of its own."""
    return study.pilot_of_id or study.preview_of_id or study.pk


def discard_unnamed(names: Iterable[str], *, root: int) -> None:
    """Delete stored files of a study, except those that one of its clips or of its copies names.

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
