"""The forward pass itself: torch, a Qwen2-Audio and its rate, and nothing else of this repository."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import torch

from judge.server.pcm import RATE, Samples

# Tokens whose rows of the head are in fp32 at once: 134 MB of the real model's.
PART = 8192


class ClipTensors(Protocol):
    """A clip as tensors on the CPU: token ids, mel features (bands, frames) and which frames are sound."""

    @property
    def ids(self) -> torch.Tensor: ...
    @property
    def features(self) -> torch.Tensor: ...
    @property
    def frames(self) -> torch.Tensor: ...


def mel(extractor: Any, samples: Samples) -> tuple[torch.Tensor, torch.Tensor]:
    """Return log-mel features (bands, frames), padded to the encoder's 30 s, and a mask of the frames with sound."""
    tensors = extractor(
        samples, sampling_rate=RATE, return_attention_mask=True, padding="max_length", return_tensors="pt"
    )
    return tensors["input_features"][0], tensors["attention_mask"][0]


def audio_tokens(frames: int) -> int:
    """Return how many places a clip of that many mel frames takes: two halvings, as in the encoder."""
    return (((frames - 1) // 2 + 1) - 2) // 2 + 1


def collate(clips: Sequence[ClipTensors]) -> dict[str, torch.Tensor]:
    """Pad on the left, so that the last column is the token that is read, in every row."""
    longest = max(len(clip.ids) for clip in clips)
    ids = torch.zeros(len(clips), longest, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, clip in enumerate(clips):
        ids[row, longest - len(clip.ids) :] = clip.ids
        mask[row, longest - len(clip.ids) :] = 1
    return {
        "input_ids": ids,
        "attention_mask": mask,
        "position_ids": (mask.cumsum(dim=1) - 1).clamp(min=0),
        "input_features": torch.stack([clip.features for clip in clips]),
        "feature_attention_mask": torch.stack([clip.frames for clip in clips]),
    }


def last_hidden(model: Any, clips: Sequence[ClipTensors]) -> torch.Tensor:
    """Return what the head is given at each clip's last position, in fp32, shape (clips, width)."""
    batch = {name: tensor.to(model.device) for name, tensor in collate(clips).items()}
    hidden: torch.Tensor = model.model(**batch, use_cache=False).last_hidden_state[:, -1]
    return hidden.float()


def logits(model: Any, hidden: torch.Tensor, tokens: Sequence[int] | slice) -> torch.Tensor:
    """Return the logits of some tokens in fp32, shape (clips, tokens), whatever the model's own precision.

    In bf16 a logit of 16 to 32 is a multiple of 1/8, which alone would move scores by hundredths.
    """
    head = model.lm_head
    rows = tokens if isinstance(tokens, slice) else list(tokens)
    values: torch.Tensor = hidden @ head.weight[rows].float().T
    return values if head.bias is None else values + head.bias[rows].float()


def log_total(model: Any, hidden: torch.Tensor) -> torch.Tensor:
    """Return the log-sum-exp of the logits of the whole vocabulary in fp32, shape (clips,).

    In parts, since a copy of the real model's head in fp32 would take 2.6 GB.
    """
    size = model.lm_head.weight.shape[0]
    parts = [logits(model, hidden, slice(at, at + PART)).logsumexp(dim=-1) for at in range(0, size, PART)]
    return torch.stack(parts).logsumexp(dim=0)
