"""Tables of what is asked."""

from __future__ import annotations

from studies.models.clips import Clip, ClipImport, System, Text
from studies.models.pool import Cell, Item, ItemClip, Pool
from studies.models.study import Study, StudyVersion

__all__ = ["Cell", "Clip", "ClipImport", "Item", "ItemClip", "Pool", "Study", "StudyVersion", "System", "Text"]
