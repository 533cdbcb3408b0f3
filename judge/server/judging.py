"""Scoring from bytes to a score record, for the server and the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from judge.profiles import PromptProfile
from judge.schemas import (
    ENGINE,
    PREPROCESSING,
    Caution,
    ClipScore,
    JudgeLimits,
    LabelInfo,
    ModelInfo,
    Origin,
    ProfileInfo,
    ScoreQuery,
)
from judge.server.audio import LONGEST, SHORTEST, DecodedClip, hear
from judge.server.engine import Engine, ModelReading, PreparedClip
from judge.server.loading import VERSIONS
from judge.server.rendering import Rendering

Hear = Callable[[bytes, ScoreQuery, float | None], DecodedClip]
# Below it, the model mostly preferred other answers than the labels.
LOW_MASS = 0.5


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """A clip ready for scoring, with its profile and language."""

    profile: PromptProfile
    clip: DecodedClip
    prepared: PreparedClip
    language: str


class Judge:
    """An engine with its profiles; the first one is the default.

    `hear` decodes clips; for untrusted bytes, it does so in another process.
    """

    def __init__(self, engine: Engine, hear: Hear = hear) -> None:
        self.engine, self.hear = engine, hear
        self.profiles = {name: rendering.profile for name, rendering in engine.renderings.items()}
        self.usual = next(iter(self.profiles))

    def question(self, content: bytes, query: ScoreQuery) -> ScoreRequest:
        """Decode and prepare a clip, in any thread; raises `ClipRefusal`, or KeyError for an unknown profile."""
        profile = self.profiles[query.profile or self.usual]
        clip = self.hear(content, query, profile.loudness)
        return ScoreRequest(profile, clip, self.engine.prepare(clip.samples, profile.name), query.language)

    def score(self, question: ScoreRequest, reading: ModelReading) -> ClipScore:
        """Return the score record of a reading."""
        clip, profile = question.clip, question.profile
        texts = [label.text for label in profile.labels]
        warnings: list[Caution] = list(clip.warnings)
        if not profile.suits(question.language):
            warnings.append("language")
        if reading.label_mass < LOW_MASS:
            warnings.append("low_label_mass")
        return ClipScore(
            hls=profile.hls(reading.probabilities),
            probabilities=dict(zip(texts, reading.probabilities, strict=True)),
            log_probabilities=dict(zip(texts, reading.log_probabilities, strict=True)),
            label_mass=reading.label_mass,
            seconds=clip.seconds,
            audio_sha256=clip.audio_sha256,
            pcm_sha256=clip.pcm_sha256,
            warnings=tuple(warnings),
            model=self.origin(profile),
        )

    def origin(self, profile: PromptProfile) -> Origin:
        """Return the origin of scores under this profile."""
        loaded = self.engine.loaded
        return Origin(
            engine=ENGINE,
            weights_sha256=loaded.weights_sha256,
            adapter_sha256=loaded.adapter_sha256,
            profile=profile.name,
            profile_version=profile.version,
            profile_sha256=profile.sha256,
            dtype=loaded.dtype,
            preprocessing=PREPROCESSING,
            versions=VERSIONS,
        )

    def info(self, *, max_bytes: int, queue: int) -> ModelInfo:
        """Return the answer to `GET /v1/model`."""
        loaded = self.engine.loaded
        return ModelInfo(
            engine=ENGINE,
            weights_sha256=loaded.weights_sha256,
            adapter_sha256=loaded.adapter_sha256,
            dtype=loaded.dtype,
            device=loaded.device.type,
            preprocessing=PREPROCESSING,
            versions=VERSIONS,
            profiles=tuple(_profile_info(rendering) for rendering in self.engine.renderings.values()),
            training=loaded.training,
            limits=JudgeLimits(max_bytes=max_bytes, min_seconds=SHORTEST, max_seconds=LONGEST, queue=queue),
        )


def _profile_info(rendering: Rendering) -> ProfileInfo:
    profile = rendering.profile
    return ProfileInfo(
        name=profile.name,
        version=profile.version,
        sha256=profile.sha256,
        title=profile.title,
        languages=profile.languages,
        labels=tuple(
            LabelInfo(text=label.text, weight=label.weight, token_id=token)
            for label, token in zip(profile.labels, rendering.label_ids, strict=True)
        ),
    )
