"""Messages between platform and judge. Depends only on pydantic, so that both sides can import it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

ENGINE = "earshot-1"
# Increase when the same bytes reach the model as other samples; part of every cache key.
PREPROCESSING = 1

# Final refusals (422): the same bytes would be refused again.
Reason = Literal[
    "undecodable", "too_short", "too_long", "silent", "non_finite", "unsupported_layout", "corrupt",
]  # fmt: skip
Code = Literal[
    Reason,
    "invalid_request",  # 400
    "unauthorized",  # 401
    "unknown_profile",  # 404
    "too_large",  # 413
    "failed",  # 500: this clip makes the model fail
    "busy",  # 503 with Retry-After, as those below
    "draining",
    "out_of_memory",
    "device_failed",
]
Caution = Literal[
    "language",  # the profile is not made for the clip's language
    "low_label_mass",  # the labels are not what the model wanted to say: wrong prompt, profile or adapter
    "beyond_full_scale",  # samples above 1.0
    "narrowband",  # less than 16 kHz, so the upper part of the spectrum is empty
    "downmixed",  # two channels became one
    "length_unknown",  # the container doesn't say how long it is, so a cut can't be seen
    "trailing_bytes",  # more follows the sound than the container accounts for
]


class Wire(BaseModel):
    """A frozen record; unknown fields are ignored, so that versions may differ."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class ScoreQuery(Wire):
    """The query string of `POST /v1/score`; the clip's bytes are the body."""

    profile: str = ""
    language: str = ""
    length: int | None = Field(None, ge=0, description="Bytes of the clip.")
    sha256: str = Field("", pattern="^([0-9a-f]{64})?$", description="Hash of the clip's bytes.")
    seconds: float | None = Field(None, ge=0, description="Duration that the sender decoded.")


class Origin(Wire):
    """Everything that a score depends on besides the clip."""

    engine: str
    weights_sha256: str
    adapter_sha256: str = ""
    profile: str
    profile_version: int
    profile_sha256: str
    dtype: str
    preprocessing: int
    versions: dict[str, str]


class ClipScore(Wire):
    """The answer to `POST /v1/score`."""

    hls: float
    # Among the labels only.
    probabilities: dict[str, float]
    # Natural logarithm, over the whole vocabulary.
    log_probabilities: dict[str, float]
    # Sum of the labels' probabilities over the whole vocabulary.
    label_mass: float
    seconds: float
    # Hash of the bytes as sent, and of the samples as the model heard them.
    audio_sha256: str
    pcm_sha256: str
    warnings: tuple[Caution, ...] = ()
    model: Origin


class ErrorBody(Wire):
    """The body of every error response."""

    code: Code
    message: str


class LabelInfo(Wire):
    """One possible answer of the model, with its weight."""

    text: str
    weight: FiniteFloat
    token_id: int


class ProfileInfo(Wire):
    """A profile of the model."""

    name: str
    version: int
    sha256: str
    title: str
    languages: tuple[str, ...]
    labels: tuple[LabelInfo, ...]

    def suits(self, language: str) -> bool:
        """True if the profile is made for clips in `language` (zh-CN counts as zh); unknown languages pass."""
        return not language or not self.languages or language.lower().split("-")[0] in self.languages


class JudgeLimits(Wire):
    """The server's limits."""

    max_bytes: int
    min_seconds: float
    max_seconds: float
    queue: int


class TrainingRecord(Wire):
    """A judge's training data: leave these clips (by SHA-256) out of agreement, and mark these dimensions."""

    clips: tuple[str, ...] = ()
    dimensions: tuple[str, ...] = ()
    # As "system/voice".
    held_out: tuple[str, ...] = ()


class ModelInfo(Wire):
    """The answer to `GET /v1/model`."""

    engine: str
    weights_sha256: str
    adapter_sha256: str = ""
    dtype: str
    device: str
    preprocessing: int
    versions: dict[str, str]
    profiles: tuple[ProfileInfo, ...]
    limits: JudgeLimits
    # None if the model has no training record.
    training: TrainingRecord | None = None

    def profile(self, name: str) -> ProfileInfo | None:
        """Return a profile by name; the first one for an empty name."""
        return next((profile for profile in self.profiles if name in {"", profile.name}), None)


# scores.csv: one row per clip, including clips without a score. The first three columns are those of any metric's file.
SCORE_COLUMNS = (
    "clip", "metric", "value", "error", "message", "warnings", "label_mass", "probabilities", "log_probabilities",
    "seconds", "audio_sha256", "pcm_sha256", "profile", "profile_version", "profile_sha256", "weights_sha256",
    "adapter_sha256", "engine", "dtype", "preprocessing", "versions",
)  # fmt: skip
