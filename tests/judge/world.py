"""Studies whose clips are real sounds, each of its own, for judges to hear."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

from core.files import storage
from studies.models import Clip, Study
from tests import audio
from tests.world import make_study


def heard_study(now: datetime, **options: Any) -> Study:
    """Return a draft of 6 test clips of two systems, 2 flawed and 2 human traps."""
    told: dict[str, Any] = {
        "systems": ("human", "alpha"),
        "texts": 3,
        "flawed": 2,
        "humans": 2,
        "launch": False,
    } | options
    study = make_study(now=now, **told)
    for clip in clips(study):
        give(clip, audio.wav(0.5, seed=clip.pk))
    return study


def give(clip: Clip, content: bytes) -> str:
    """Let a clip hold these bytes, and return their hash."""
    clip.original, clip.sha256 = storage.put("originals", content), hashlib.sha256(content).hexdigest()
    clip.save()
    return clip.sha256


def clips(study: Study) -> list[Clip]:
    return list(Clip.objects.filter(study=study).select_related("system").order_by("pk"))
