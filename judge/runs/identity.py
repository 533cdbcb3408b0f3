"""What a score depends on besides the clip, and the hashes under which scores are stored."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from judge.problems import Misconfigured
from judge.schemas import ClipScore, ModelInfo, Origin
from studies.clips.queries import Recording

# Package versions are stored but not compared: a patch release is not another judge.
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
    """Return the hash under which a clip's score is stored: its own, or that of its rendition's parameters."""
    if sent == "original":
        return recording.sha256
    text = f"rendition {recording.sha256} {recording.gain} {recording.rendition_bytes}"
    return hashlib.sha256(text.encode()).hexdigest()


def detail_of(score: ClipScore, sent: str) -> dict[str, Any]:
    """Return the details stored with a score; the language warning depends on the clip and is added later."""
    names = ("probabilities", "log_probabilities", "label_mass", "seconds", "pcm_sha256")
    fields: Mapping[str, Any] = score.model_dump(mode="json")
    warnings = [warning for warning in score.warnings if warning != "language"]
    return {**{name: fields[name] for name in names}, "warnings": warnings, "sent": sent}
