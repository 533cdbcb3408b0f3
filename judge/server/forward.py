"""The forward pass, independent of the rest of this repository: torch and a Qwen2-Audio model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import torch

from judge.server.pcm import RATE, Samples

# Vocabulary rows of the head converted to fp32 at once: 134 MB in the real model.
PART = 8192


class ClipTensors(Protocol):
    """A clip as CPU tensors: token ids, mel features (bands, frames), and a mask of frames with sound."""

    @property
    def ids(self) -> torch.Tensor: ...
    @property
    def features(self) -> torch.Tensor: ...
    @property
    def frames(self) -> torch.Tensor: ...


def mel(extractor: Any, samples: Samples) -> tuple[torch.Tensor, torch.Tensor]:
    """Return log-mel features (bands, frames), padded to the encoder's 30 s, and a mask of frames with sound."""
    tensors = extractor(
        samples, sampling_rate=RATE, return_attention_mask=True, padding="max_length", return_tensors="pt"
    )
    return tensors["input_features"][0], tensors["attention_mask"][0]


def audio_tokens(frames: int) -> int:
    """Return the number of audio tokens for this many mel frames: two halvings, as in the encoder."""
    return (((frames - 1) // 2 + 1) - 2) // 2 + 1


def collate(clips: Sequence[ClipTensors]) -> dict[str, torch.Tensor]:
    """Pad on the left, so that the last column is each clip's last token."""
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
    """Return the head's input at each clip's last position, in fp32, shape (clips, width)."""
    batch = {name: tensor.to(model.device) for name, tensor in collate(clips).items()}
    hidden: torch.Tensor = model.model(**batch, use_cache=False).last_hidden_state[:, -1]
    return hidden.float()


def logits(model: Any, hidden: torch.Tensor, tokens: Sequence[int] | slice) -> torch.Tensor:
    """Return the logits of some tokens in fp32, shape (clips, tokens), even if the model uses bf16.

    In bf16, logits of 16 to 32 are multiples of 1/8, which would change scores by hundredths.
    """
    head = model.lm_head
    rows = tokens if isinstance(tokens, slice) else list(tokens)
    values: torch.Tensor = hidden @ head.weight[rows].float().T
    return values if head.bias is None else values + head.bias[rows].float()


def log_total(model: Any, hidden: torch.Tensor) -> torch.Tensor:
    """Return the log-sum-exp of the logits over the whole vocabulary in fp32, shape (clips,).

    Computed in chunks, because an fp32 copy of the real model's head would take 2.6 GB.
    """
    size = model.lm_head.weight.shape[0]
    parts = [logits(model, hidden, slice(at, at + PART)).logsumexp(dim=-1) for at in range(0, size, PART)]
    return torch.stack(parts).logsumexp(dim=0)
