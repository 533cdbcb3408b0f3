"""The layers an adapter may change: all linear layers of the language model, no others (ATT paper, 3.5)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from judge.problems import Misconfigured

# Covers both key layouts: language_model.layers.0… and language_model.model.layers.0…
LINEARS = (
    r"^(?:.*\.)?language_model\.(?:model\.)?layers\.\d+\."
    r"(?:self_attn\.(?:q_proj|k_proj|v_proj|o_proj)|mlp\.(?:gate_proj|up_proj|down_proj))$"
)
PER_LAYER = 7


def language_linears(model: Any) -> list[str]:
    """Return the names of the layers matching `LINEARS`; raises `Misconfigured` if any is missed."""
    linears = [name for name, module in model.named_modules() if isinstance(module, torch.nn.Linear)]
    names = [name for name in linears if re.fullmatch(LINEARS, name)]
    wanted = PER_LAYER * model.config.text_config.num_hidden_layers
    decoder = {id(module) for module in model.get_decoder().modules() if isinstance(module, torch.nn.Linear)}
    inside = [name for name in linears if id(model.get_submodule(name)) in decoder]
    if len(names) != wanted or sorted(names) != sorted(inside):
        raise Misconfigured(f"{len(names)} of the language model's {len(inside)} linear layers are known by name.")
    return names


def check_adapter(wrapped: Any, stored: Mapping[str, torch.Tensor], folder: Path) -> None:
    """Raise `Misconfigured` unless all of the adapter's tensors are in the model, and only in allowed layers."""
    state = wrapped.state_dict()
    live = {_plain(name): state[name] for name in state if ".lora_A." in name or ".lora_B." in name}
    tensors = {_plain(name): tensor for name, tensor in stored.items()}
    strangers = [name for name in tensors if not re.fullmatch(LINEARS, name.rsplit(".lora_", 1)[0])]
    if strangers:
        raise Misconfigured(f"The adapter in {folder} touches more than the language model: {min(strangers)}")
    differing = sorted(set(live) ^ set(tensors))
    if not tensors or differing:
        raise Misconfigured(f"The adapter in {folder} doesn't fit the model: {[*differing, 'it is empty'][0]}")
    for name, tensor in tensors.items():
        if not torch.equal(live[name].cpu(), tensor.to(live[name].dtype)):
            raise Misconfigured(f"The adapter in {folder} was not loaded as it is stored: {name}")


def _plain(name: str) -> str:
    """Return a tensor's name without the prefixes of PEFT and of the two Qwen2-Audio layouts."""
    name = name.removeprefix("base_model.model.").replace(".lora_A.default.", ".lora_A.")
    name = name.replace(".lora_B.default.", ".lora_B.").removeprefix("model.")
    return name.replace("language_model.model.", "language_model.")
