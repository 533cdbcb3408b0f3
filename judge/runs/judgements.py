"""Stored judgements and their origin, so that a judge never scores the same clip twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, get_args

from analysis.metrics.sets import Given
from judge.problems import Misconfigured
from judge.runs.models import Judgement
from judge.runs.parallel_scoring import JudgeAnswer
from judge.schemas import ClipScore, ModelInfo, Origin, ProfileInfo, Reason
from studies.clips.queries import Recording

# Package versions are stored but not compared: a patch release is not another judge.
DECISIVE = ("engine", "weights_sha256", "adapter_sha256", "profile_sha256", "dtype", "preprocessing")
# Refusals that depend only on the bytes; other errors may not recur.
FINAL = frozenset({*get_args(Reason), "too_large"})
AT_ONCE = 300


def origin_of(info: ModelInfo, profile: str) -> Origin:
    """Return the origin of scores under this profile; raises `Misconfigured` if the judge doesn't have it."""
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
    """Return a hash of model, adapter, profile, engine, number format and preprocessing."""
    fields = {name: value for name, value in origin.model_dump().items() if name in DECISIVE}
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def audio_sha256(recording: Recording, sent: str = "original") -> str:
    """Return the hash that identifies a clip's sound: the file's, or one of the rendition's parameters."""
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


class KnownJudgement(NamedTuple):
    """A recording and the stored judgement of its sound."""

    recording: Recording
    judgement: Judgement


def known_judgements(judge: str, recordings: Sequence[Recording]) -> dict[int, KnownJudgement]:
    """Return {clip: stored judgement of its sound by this judge}; one SELECT per 300 clips."""
    by_clip: dict[int, KnownJudgement] = {}
    for start in range(0, len(recordings), AT_ONCE):
        some = recordings[start : start + AT_ONCE]
        by_hash = {audio_sha256(each, sent): each for each in some for sent in ("rendition", "original")}
        rows = Judgement.objects.filter(judge_sha256=judge, audio_sha256__in=by_hash)
        row_by_hash = {row.audio_sha256: row for row in rows}
        for each in some:
            row = row_by_hash.get(audio_sha256(each)) or row_by_hash.get(audio_sha256(each, "rendition"))
            if row is not None:
                by_clip[each.clip] = KnownJudgement(each, row)
    return by_clip


def store(judge: str, answers: Iterable[JudgeAnswer], now: datetime) -> list[Judgement]:
    """Store scores, and refusals that would recur; return all answers as rows, stored or not."""
    rows = [
        Judgement(
            audio_sha256=audio_sha256(answer.recording, answer.sent),
            judge_sha256=judge,
            value=answer.score.hls if answer.score else None,
            code=answer.code,
            message=answer.message,
            detail=detail_of(answer.score, answer.sent) if answer.score else {"sent": answer.sent, "warnings": []},
            at=now,
        )
        for answer in answers
    ]
    Judgement.objects.bulk_create([row for row in rows if not row.code or row.code in FINAL], ignore_conflicts=True)
    return rows


def metric_value(recording: Recording, judgement: Judgement, profile: ProfileInfo) -> Given:
    """Return a judgement as a metric value of one clip, with its warnings."""
    detail: Mapping[str, Any] = judgement.detail
    unsuited = [] if profile.suits(recording.language) else ["language"]
    fields = {**detail, "warnings": [*detail["warnings"], *unsuited], "audio_sha256": judgement.audio_sha256}
    if judgement.code:
        fields["code"] = judgement.code
    return Given(recording.clip, judgement.value, judgement.message, fields)
