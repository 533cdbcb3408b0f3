"""The engine: one forward pass per batch of clips, read at each clip's last position."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from judge.profiles import PromptProfile
from judge.server.forward import audio_tokens, last_hidden, log_total, logits, mel
from judge.server.loading import LoadedModel
from judge.server.pcm import RATE, Samples
from judge.server.rendering import Rendering, render


@dataclass(frozen=True, slots=True)
class PreparedClip:
    """A clip as CPU tensors: token ids, mel features (bands, frames), and a mask of frames with sound."""

    rendering: Rendering
    ids: torch.Tensor
    features: torch.Tensor
    frames: torch.Tensor

    @property
    def tokens(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class ModelReading:
    """Natural logarithms of the labels' probabilities over the whole vocabulary."""

    log_probabilities: tuple[float, ...]

    @property
    def label_mass(self) -> float:
        return min(1.0, math.fsum(math.exp(value) for value in self.log_probabilities))

    @property
    def probabilities(self) -> tuple[float, ...]:
        """The softmax over the labels only."""
        top = max(self.log_probabilities)
        shares = [math.exp(value - top) for value in self.log_probabilities]
        return tuple(share / math.fsum(shares) for share in shares)

    @property
    def is_sound(self) -> bool:
        return all(math.isfinite(value) for value in self.log_probabilities)


class Engine:
    """A loaded model with profiles. `prepare` may run in any thread, `read` in only one at a time."""

    def __init__(self, loaded: LoadedModel, profiles: Iterable[PromptProfile]) -> None:
        self.loaded = loaded
        processor = loaded.processor
        self.audio_id = int(processor.tokenizer.convert_tokens_to_ids(processor.audio_token))
        self.renderings = {
            profile.name: render(profile, processor.tokenizer, processor.audio_token) for profile in profiles
        }

    def prepare(self, samples: Samples, profile: str) -> PreparedClip:
        """Return the clip's features and tokens; about 10 ms of one core."""
        features, frames = mel(self.loaded.processor.feature_extractor, samples)
        rendering = self.renderings[profile]
        ids = rendering.ids(self.audio_id, audio_tokens(int(frames.sum())))
        return PreparedClip(rendering, torch.tensor(ids), features, frames)

    def read(self, clips: Sequence[PreparedClip]) -> list[ModelReading]:
        """Return the readings in order; one forward pass, padded to the longest clip."""
        with torch.inference_mode():
            model = self.loaded.model
            hidden = last_hidden(model, clips)
            wanted = sorted({token for clip in clips for token in clip.rendering.label_ids})
            shares = (logits(model, hidden, wanted) - log_total(model, hidden)[:, None]).tolist()
        place = {token: at for at, token in enumerate(wanted)}
        return [
            ModelReading(tuple(row[place[token]] for token in clip.rendering.label_ids))
            for row, clip in zip(shares, clips, strict=True)
        ]

    def warm_up(self) -> None:
        """Score a second of noise, so that the first real clip doesn't wait for kernel compilation."""
        noise = np.random.default_rng(0).standard_normal(RATE, dtype=np.float32) * 0.1
        self.read([self.prepare(noise, name) for name in self.renderings])
