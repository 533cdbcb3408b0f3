"""Repairs of all clips of a draft: which are possible, with which value, and applying or undoing them.

A repair is an audio setting used for all renditions, of every system and role alike; originals never change.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from statistics import median
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from core.errors import Conflict, Invalid
from core.files import storage
from core.nudge import nudge
from studies.audit.models import AppliedRepair, RepairPreview
from studies.audit.queries import AuditedClip
from studies.clips.models import ClipImport
from studies.definition.models import Study
from studies.definition.parsing import change, parse
from studies.definition.queries import newest
from studies.imports import renditions

if TYPE_CHECKING:
    from accounts.users.models import User
    from studies.definition.definition import Audio, Definition

Kind = AppliedRepair.Kind
# By measure of the audit.
REPAIR_OF = {
    "silence_before": Kind.EDGES,
    "silence_after": Kind.EDGES,
    "noise_before": Kind.EDGES,
    "noise_after": Kind.EDGES,
    "bandwidth": Kind.BAND,
    "loudness": Kind.LEVEL,
}
# Seconds: more than the 50 ms that are always kept, so that breaths and soft attacks seldom exceed it.
EDGES = 0.2
# Steps of proposals in Hz and LU, and dB kept free below the highest peak.
BAND_STEP, LEVEL_STEP, ROOM = 250, 0.5, 0.02


def fixed(kind: str, audio: Audio) -> float | None:
    """Return the starting value if it doesn't depend on the clips: the present one, or the usual one."""
    return audio.repairs.get(kind, EDGES if kind == Kind.EDGES else None)


def proposed(kind: str, clips: Sequence[AuditedClip], audio: Audio) -> float:
    """Return the starting value: the present one, or one that all clips can reach."""
    if (value := fixed(kind, audio)) is not None:
        return value
    return lowest_bandwidth(clips) if kind == Kind.BAND else level_for_all(clips, audio)


def lowest_bandwidth(clips: Sequence[AuditedClip]) -> int:
    """Return the lowest bandwidth among the systems, each the median of its clips, in steps of 250 Hz."""
    by_system: defaultdict[str, list[float]] = defaultdict(list)
    for clip in clips:
        if clip.is_compared and clip.is_measured and "bandwidth" in clip.values:
            by_system[clip.system].append(clip.values["bandwidth"])
    lowest = min((median(values) for values in by_system.values()), default=8000.0)
    return min(20_000, max(1000, BAND_STEP * math.floor(lowest / BAND_STEP)))


def level_for_all(clips: Sequence[AuditedClip], audio: Audio) -> float:
    """Return the highest loudness that every measured clip reaches, at most the study's own or −23 LUFS."""
    highest = -23.0 if audio.loudness is None else audio.loudness
    reached = [level for clip in clips if (level := reachable(clip, audio)) is not None]
    return max(-40.0, LEVEL_STEP * math.floor(min([highest, *reached]) / LEVEL_STEP))


def reachable(clip: AuditedClip, audio: Audio) -> float | None:
    """Return the loudness in LUFS at which a clip's true peak is the highest allowed; None without a loudness."""
    values = clip.values if clip.is_measured else {}
    if "loudness" not in values:
        return None
    return values["loudness"] + audio.peak - ROOM - values["true_peak"]


def checked(study: Study, kind: str, value: float) -> None:
    """Raise `Invalid` or `Conflict` if the repair can't be applied to this study's clips."""
    if newest(study) is not None:
        raise Conflict(_("The study was launched: its clips never change any more."), code="launched")
    if kind == Kind.EDGES and study.definition.task.get("switching") == "synchronous":
        raise Conflict(
            _("Raters switch between the clips of a screen at the same place: trimmed clips would be out of step."),
            code="synchronous",
        )
    with_repairs(study.definition, {kind: value})


def with_repairs(definition: Definition, values: Mapping[str, float | None]) -> Definition:
    """Return a definition with these repairs; raise `Invalid` by dotted setting."""
    settings = {
        f"audio.{kind}": round(value) if kind == Kind.BAND and value is not None else value
        for kind, value in values.items()
    }
    return parse(change(definition.model_dump(mode="json"), settings))


def apply(*, study: Study, values: Mapping[str, float], user: User | None, now: datetime) -> ClipImport | None:
    """Set repairs of all clips and queue a conversion; return its job, or None if none is needed."""
    for kind, value in values.items():
        checked(study, kind, value)
    return _set(study, values, user, now)


def undo(*, study: Study, kinds: Sequence[str], user: User | None, now: datetime) -> ClipImport | None:
    """Undo repairs and queue a conversion of all clips."""
    return _set(study, dict.fromkeys(kinds), user, now)


def _set(study: Study, values: Mapping[str, float | None], user: User | None, now: datetime) -> ClipImport | None:
    with transaction.atomic():
        study.refresh_from_db(from_queryset=Study.objects.select_for_update(no_key=True))
        if newest(study) is not None:
            raise Conflict(_("The study was launched: its clips never change any more."), code="launched")
        if unknown := set(values) - set(Kind.values):
            raise Invalid(_("There is no repair {name}.").format(name=", ".join(sorted(unknown))))
        before = study.definition.audio.repairs
        for kind, value in values.items():
            if value == before.get(kind):
                continue
            rows = AppliedRepair.objects.filter(study=study, kind=kind, undone_at=None)
            rows.update(undone_at=now, undone_by=user)
            if value is not None:
                AppliedRepair.objects.create(study=study, kind=kind, value=value, applied_by=user, applied_at=now)
        study.draft = with_repairs(study.definition, values).model_dump(mode="json")
        study.save(update_fields=["draft"])
        drop_previews(study)
        renditions.request(study, now, user=user)
        job = renditions.waiting(study)
        if job is not None:
            nudge(job.task_name, job.pk)
    return job


def drop_previews(study: Study) -> None:
    """Delete finished previews of repairs and their files."""
    rows = RepairPreview.objects.filter(study=study)
    names = [clip["rendition"] for clips in rows.values_list("clips", flat=True) for clip in clips]
    rows.delete()

    def discard() -> None:
        for name in names:
            storage.discard(name)

    transaction.on_commit(discard)


def applied(study: Study) -> list[AppliedRepair]:
    """Return the repairs in force; those set before the first import have no user."""
    rows = AppliedRepair.objects.filter(study=study, undone_at=None).select_related("applied_by")
    by_kind = {row.kind: row for row in rows}
    return [
        by_kind.get(kind) or AppliedRepair(study=study, kind=kind, value=value)
        for kind, value in study.definition.audio.repairs.items()
    ]
