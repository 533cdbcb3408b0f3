"""Low-pass anchors that a task shows and that its stored references don't have yet."""

from __future__ import annotations

from studies.clips.models import Clip
from studies.definition.models import Study
from studies.imports.ingest.anchors import Anchor, anchors
from studies.imports.ingest.manifest import ManifestRow

COPIED = ("file", "voice", "dimension", "language", "box", "benchmark", "condition", "domain", "take", "seen")


def missing(study: Study) -> list[Anchor]:
    """Return the anchors to make of the study's references; a withdrawn anchor is not made again."""
    definition = study.definition
    cutoffs = definition.kind.anchors(definition.params)
    if not cutoffs:
        return []
    clips = Clip.objects.filter(study=study)
    roles = (Clip.Role.REFERENCE, Clip.Role.ANCHOR)
    live = clips.filter(withdrawn_at=None, role__in=roles).select_related("system", "text").order_by("pk")
    rows = [_row(number, clip) for number, clip in enumerate(live, start=1)]
    used_names = clips.filter(role=Clip.Role.ANCHOR).values_list("file", flat=True)
    return anchors(rows, cutoffs, used_names)[0]


def _row(number: int, clip: Clip) -> ManifestRow:
    text = clip.text.name if clip.text else ""
    values = {name: getattr(clip, name) for name in COPIED}
    return ManifestRow(number, system=clip.system.name, role=clip.role, text_id=text, **values)
