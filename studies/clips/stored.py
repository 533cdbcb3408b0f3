"""Delete stored files of clips that no clip names any more: copies of a study share them."""

from __future__ import annotations

from collections.abc import Iterable

from core.database.references import parts
from core.files import storage
from studies.clips.models import Clip


def discard_unnamed(names: Iterable[str]) -> None:
    """Delete stored files, except those that a clip names: of a pilot, say, or though a commit's answer was lost."""
    for some in parts(set(names)):
        named: set[str] = set()
        for field in ("original", "rendition"):
            named.update(Clip.objects.filter(**{f"{field}__in": some}).values_list(field, flat=True))
        for name in set(some) - named:
            storage.discard(name)
