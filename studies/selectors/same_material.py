"""Whether a study holds what somebody heard elsewhere: rows of two studies are the same by what they are made of."""

from __future__ import annotations

from collections.abc import Collection

from studies.models import Clip, Text


def has_clip(study_id: int, hashes: Collection[str]) -> bool:
    """Say whether one of these recordings, by the hash of its original, is among the study's clips."""
    return bool(hashes) and Clip.objects.filter(study=study_id, withdrawn_at=None, sha256__in=hashes).exists()


def has_text(study_id: int, bodies: Collection[str]) -> bool:
    """Say whether one of these sentences is said in the study."""
    return bool(bodies) and Text.objects.filter(study=study_id, body__in=bodies).exists()


def has_voice(study_id: int, voices: Collection[tuple[str, str]]) -> bool:
    """Say whether one of these (system, voice) speaks in the study."""
    if not voices:
        return False
    clips = Clip.objects.filter(study=study_id, withdrawn_at=None, voice__in={voice for _system, voice in voices})
    return any(pair in voices for pair in clips.values_list("system__name", "voice").distinct())
