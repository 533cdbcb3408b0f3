"""Clips held back from raters by a rule: preview, hold, and undo."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from django.db import transaction
from django.utils.translation import gettext as _

from analysis.metrics import queries as metrics_queries
from core.errors import Conflict, Invalid, NotFound
from core.spec import Spec
from judge.prescreening.models import HeldClip, Hold
from judge.prescreening.screening import TRAPS, ScreenedClip, screened
from studies.clips.queries import Recording, recordings
from studies.imports import changes


class HoldRule(Spec):
    """A rule matches clips that meet any of its criteria. `below` and `above` are on the metric's own scale."""

    metric: int
    below: float | None = None
    above: float | None = None
    failed: bool = False
    low_mass: bool = False
    # Empty: all systems, and clips of all roles.
    system: str = ""
    role: Literal["", "test", "traps"] = ""

    @property
    def says_something(self) -> bool:
        return self.below is not None or self.above is not None or self.failed or self.low_mass


@dataclass(frozen=True, slots=True)
class MatchingClip:
    """A clip that a rule matches, with the reason."""

    recording: Recording
    value: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class HeldClips:
    """Clips held back together; some may have been restored individually since."""

    hold: Hold
    clips: Sequence[tuple[HeldClip, Recording]]

    @property
    def still(self) -> int:
        return sum(recording.is_withdrawn for _held, recording in self.clips)


def matches(study_id: int, rule: HoldRule) -> list[MatchingClip]:
    """Return the active clips that a rule matches, by file; raises `NotFound` for an unknown metric."""
    if not rule.says_something:
        return []
    clips, _missing = screened(study_id, metrics_queries.metric_set(study_id, rule.metric))
    rows = [
        MatchingClip(clip.recording, clip.value, reason)
        for clip in clips
        if rule.system in {"", clip.recording.system} and _is_meant(rule, clip.recording.role)
        if (reason := _reason(rule, clip))
    ]
    return sorted(rows, key=lambda match: match.recording.file)


def digest(clips: Sequence[MatchingClip]) -> str:
    """Return a hash of these clips, so that only the list shown can be confirmed."""
    return hashlib.sha256(",".join(str(match.recording.clip) for match in clips).encode()).hexdigest()


def open_holds(study_id: int) -> list[HeldClips]:
    """Return the holds not undone, newest first."""
    held = HeldClip.objects.filter(hold__study=study_id, hold__undone_at=None)
    by_clip = {each.clip: each for each in recordings(study_id, withdrawn=True, among=held.values("clip"))}
    rows = Hold.objects.filter(study_id=study_id, undone_at=None).select_related("made_by").prefetch_related("clips")
    return [HeldClips(row, [(held, by_clip[held.clip_id]) for held in row.clips.all()]) for row in rows]


def hold_of(study_id: int, pk: int) -> Hold:
    """Return a hold of this study; raises `NotFound`."""
    row = Hold.objects.filter(study_id=study_id, pk=pk).first()
    if row is None:
        raise NotFound("There is no such hold in this study.")
    return row


def _is_meant(rule: HoldRule, role: str) -> bool:
    return not rule.role or (role in TRAPS if rule.role == "traps" else role == rule.role)


def _reason(rule: HoldRule, clip: ScreenedClip) -> str:
    """Return why a rule matches a clip; empty if it doesn't."""
    if clip.value is None:
        return _("No score: {failure}").format(failure=clip.failure)[:200] if rule.failed else ""
    have = {"value": clip.value, "below": rule.below, "above": rule.above}
    if rule.below is not None and clip.value < rule.below:
        return _("{value:.3f} is below {below:g}").format(**have)
    if rule.above is not None and clip.value > rule.above:
        return _("{value:.3f} is above {above:g}").format(**have)
    if rule.low_mass and clip.mass_is_small:
        return _("Label mass {mass:.3g}").format(mass=clip.detail["label_mass"])
    return ""


@transaction.atomic
def hold(*, study_id: int, rule: HoldRule, shown: str, user: Any, now: datetime) -> Hold:
    """Withdraw the clips that a rule matches, if they are those confirmed (`shown` is their digest).

    Raises `Invalid` for a rule that matches none, `Conflict` if the list has changed since.
    """
    clips = matches(study_id, rule)
    if not clips:
        raise Invalid(_("No clips match this rule, so nothing is held back."))
    if digest(clips) != shown:
        raise Conflict(_("The list has changed since it was shown. Look at it again, then confirm it."), code="changed")
    created = Hold.objects.create(study_id=study_id, rule=rule.model_dump(), made_at=now, made_by=user)
    HeldClip.objects.bulk_create(
        HeldClip(hold=created, clip_id=match.recording.clip, value=match.value, reason=match.reason) for match in clips
    )
    changes.withdraw(clips=[match.recording.clip for match in clips], now=now)
    return created


@transaction.atomic
def undo(*, hold: Hold, user: Any, now: datetime) -> int:
    """Restore the clips of a hold; return their number. Raises `Conflict` if it was undone before."""
    rows = Hold.objects.filter(pk=hold.pk, undone_at=None)
    if not rows.update(undone_at=now, undone_by=user):
        raise Conflict(_("These clips have already been restored."), code="undone")
    held = recordings(hold.study_id, withdrawn=True, among=hold.clips.values("clip"))
    mine = [recording.clip for recording in held if recording.is_withdrawn]
    return changes.restore(clips=mine, now=now)
