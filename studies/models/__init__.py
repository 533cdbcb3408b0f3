"""Tables of what is asked."""

from __future__ import annotations

from studies.models.clips import Clip, ClipImport, Question, System, Text
from studies.models.experts import ExpertClip, ExpertInvite, StudyExpert
from studies.models.pool import Cell, Item, ItemClip, Pool
from studies.models.spot_checks import SpotClip, SpotDecision, SpotItem, SpotTurn
from studies.models.study import Study, StudyVersion
from studies.models.uploads import ClipUpload

__all__ = [
    "Cell",
    "Clip",
    "ClipImport",
    "ClipUpload",
    "ExpertClip",
    "ExpertInvite",
    "Item",
    "ItemClip",
    "Pool",
    "Question",
    "SpotClip",
    "SpotDecision",
    "SpotItem",
    "SpotTurn",
    "Study",
    "StudyExpert",
    "StudyVersion",
    "System",
    "Text",
]
