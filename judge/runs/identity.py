"""Which judge it was: what a score depends on besides the clip, and the hashes that scores are kept under."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from judge.problems import Misconfigured
from judge.schemas import ClipScore, ModelInfo, Origin
from studies.clips.queries import Recording

# Versions of packages are told and kept, but a patch release is no other judge.
DECISIVE = ("engine", "weights_sha256", "adapter_sha256", "profile_sha256", "dtype", "preprocessing")


def origin_of(info: ModelInfo, profile: str) -> Origin:
    """Return what scores under this profile depend on; raises `Misconfigured` where the judge doesn't know it."""
    asked_profile = info.profile(profile)
    if asked_profile is None:
        known = ", ".join(each.name for each in info.profiles)
        raise Misconfigured(f"The judge has no profile {profile}; it has {known}.")
    return Origin(
        engine=info.engine, weights_sha256=info.weights_sha256, adapter_sha256=info.adapter_sha256,
        profile=asked_profile.name, profile_version=asked_profile.version, profile_sha256=asked_profile.sha256,
        dtype=info.dtype, preprocessing=info.preprocessing, versions=info.versions,
    )  # fmt: skip


def judge_sha256(origin: Origin) -> str:
    """Return one hash of model, adapter, profile, engine, number format and preprocessing."""
    fields = {name: value for name, value in origin.model_dump().items() if name in DECISIVE}
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def audio_sha256(recording: Recording, sent: str = "original") -> str:
    """Return what a clip's score is kept under: its own hash, or that of how the rendition was made from it."""
    if sent == "original":
        return recording.sha256
    text = f"rendition {recording.sha256} {recording.gain} {recording.rendition_bytes}"
    return hashlib.sha256(text.encode()).hexdigest()


def detail_of(score: ClipScore, sent: str) -> dict[str, Any]:
    """Return what is kept beside a score; whether the profile suits the language is each clip's own affair."""
    names = ("probabilities", "log_probabilities", "label_mass", "seconds", "pcm_sha256")
    fields: Mapping[str, Any] = score.model_dump(mode="json")
    warnings = [warning for warning in score.warnings if warning != "language"]
    return {**{name: fields[name] for name in names}, "warnings": warnings, "sent": sent}
