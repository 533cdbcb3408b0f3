"""The model with new LoRA adapters on the language model's linear layers, and its differentiable score."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import peft
import torch

from judge.problems import Misconfigured
from judge.server.engine import PreparedClip
from judge.server.forward import last_hidden, logits
from judge.server.targets import LINEARS, language_linears


def adapted(model: Any, *, rank: int, alpha: int, dropout: float) -> Any:
    """Return the model with LoRA on every linear layer of the language model; only the adapters are trainable."""
    expected = language_linears(model)
    config = peft.LoraConfig(r=rank, lora_alpha=alpha, lora_dropout=dropout, target_modules=LINEARS, bias="none")
    wrapped = peft.get_peft_model(model, config)
    adapted_layers = sorted({name.split(".lora_A.")[0] for name, _ in wrapped.named_parameters() if ".lora_A." in name})
    if [name.removeprefix("base_model.model.") for name in adapted_layers] != sorted(expected):
        raise Misconfigured(f"LoRA sits on {len(adapted_layers)} layers, where {len(expected)} were meant.")
    trained = {name for name, parameter in wrapped.named_parameters() if parameter.requires_grad}
    strangers = sorted(name for name in trained if ".lora_" not in name)
    if strangers:
        raise Misconfigured(f"{strangers[0]} would be trained, though only the adapters should.")
    return wrapped


def scores(wrapped: Any, clips: Sequence[PreparedClip]) -> torch.Tensor:
    """Return the clips' human-likeness scores (equation 1), from 0 to 1, shape (clips,)."""
    rendering = clips[0].rendering
    model = wrapped.get_base_model()
    chances = torch.softmax(logits(model, last_hidden(model, clips), rendering.label_ids), dim=-1)
    profile = rendering.profile
    span = profile.highest - profile.lowest
    weights = torch.tensor([(label.weight - profile.lowest) / span for label in profile.labels], device=chances.device)
    return chances @ weights


def trainable(wrapped: Any) -> list[torch.nn.Parameter]:
    return [parameter for parameter in wrapped.parameters() if parameter.requires_grad]


def save(wrapped: Any, folder: Path) -> None:
    """Save the adapter as safetensors."""
    wrapped.save_pretrained(str(folder), safe_serialization=True)


def restore(wrapped: Any, folder: Path) -> None:
    """Load a saved adapter's weights; raises `Misconfigured` if they don't fit."""
    stored = peft.load_peft_weights(str(folder), device="cpu")
    result = peft.set_peft_model_state_dict(wrapped, stored)
    if result.unexpected_keys:
        raise Misconfigured(f"The checkpoint in {folder} doesn't fit the model: {result.unexpected_keys[0]}")
