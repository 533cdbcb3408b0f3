"""Strict loading of models: local safetensors, no remote code, no missing or unexpected keys; merges adapters."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

# Set before transformers is imported, so that nothing is fetched from a hub.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"

import torch
import transformers
from safetensors import safe_open
from transformers import AutoConfig, AutoProcessor, Qwen2AudioForConditionalGeneration

from judge.problems import Misconfigured
from judge.schemas import TrainingRecord
from judge.server.targets import check_adapter

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}
# Files of a model, besides its weights, that affect scores.
DECISIVE = (
    "config.json", "preprocessor_config.json", "processor_config.json", "tokenizer.json", "tokenizer_config.json",
    "vocab.json", "merges.txt",
)  # fmt: skip
# It would fill logs with thousands of lines.
transformers.utils.logging.disable_progress_bar()
# Written by the trainer next to an adapter.
TRAINING = "training.json"
VERSIONS = {name: version(name) for name in ("torch", "transformers", "peft")}


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model with its processor, hashes and training record."""

    model: Any
    processor: Any
    device: torch.device
    dtype: str
    weights_sha256: str
    adapter_sha256: str = ""
    training: TrainingRecord | None = None


def load(folder: Path, adapter: Path | None = None, *, device: str = "", dtype: str = "") -> LoadedModel:
    """Load the model in `folder`; defaults are bf16 on a GPU if there is one, otherwise fp32 on the CPU."""
    place = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    dtype = dtype or ("bfloat16" if place.type == "cuda" else "float32")
    model, processor = read(folder, DTYPES[dtype])
    if adapter is not None:
        model = merged(model, adapter)
    model = model.to(place).eval().requires_grad_(False)
    return LoadedModel(
        model, processor, place, dtype, fingerprint(folder), fingerprint(adapter) if adapter else "",
        _training(adapter or folder),
    )  # fmt: skip


def read(folder: Path, dtype: torch.dtype) -> tuple[Any, Any]:
    """Load model and processor from a local folder; raises `Misconfigured` if any key is missing or unexpected."""
    if not (folder / "config.json").is_file() or not list(folder.glob("*.safetensors")):
        raise Misconfigured(f"{folder} holds no model: config.json and *.safetensors files are needed.")
    local: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    kind = AutoConfig.from_pretrained(folder, **local).model_type
    if kind != "qwen2_audio":
        raise Misconfigured(f"{folder} holds a model of the kind {kind}; Qwen2-Audio (qwen2_audio) is needed.")
    model, loading_info = Qwen2AudioForConditionalGeneration.from_pretrained(
        folder, dtype=dtype, use_safetensors=True, output_loading_info=True, **local
    )
    wrong = {
        name: loading_info[name]
        for name in ("missing_keys", "unexpected_keys", "mismatched_keys")
        if loading_info.get(name)
    }
    if wrong:
        raise Misconfigured(f"The weights in {folder} don't fit the model: {_shortened(wrong)}")
    return model, AutoProcessor.from_pretrained(folder, **local)


def merged(model: Any, folder: Path) -> Any:
    """Merge a LoRA adapter into the model's weights; raises `Misconfigured` unless it fits completely."""
    path = folder / "adapter_model.safetensors"
    if not path.is_file() or not (folder / "adapter_config.json").is_file():
        raise Misconfigured(f"{folder} holds no adapter: adapter_config.json and adapter_model.safetensors are needed.")
    import peft  # seconds, which a merged model needn't spend

    wrapped = peft.PeftModel.from_pretrained(model, str(folder), is_trainable=False, use_safetensors=True)
    with safe_open(path, framework="pt") as stored:
        check_adapter(wrapped, {name: stored.get_tensor(name) for name in stored.keys()}, folder)  # noqa: SIM118
    return wrapped.merge_and_unload(safe_merge=True)


def fingerprint(folder: Path) -> str:
    """Return a hash of all files of a model or adapter that affect scores; reads all weights."""
    weights, settings = folder.glob("*.safetensors"), folder.glob("adapter_*.json")
    paths = sorted([*weights, *settings, *(folder / name for name in DECISIVE)])
    total = hashlib.sha256()
    for path in paths:
        if path.is_file():
            with path.open("rb") as file:
                total.update(f"{path.name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return total.hexdigest()


def _training(folder: Path) -> TrainingRecord | None:
    path = folder / TRAINING
    return TrainingRecord.model_validate_json(path.read_bytes()) if path.is_file() else None


def _shortened(wrong: dict[str, Any]) -> str:
    names = {name.replace("_", " "): sorted(str(key) for key in keys) for name, keys in wrong.items()}
    return "; ".join(f"{name}: {len(keys)}, such as {keys[0]}" for name, keys in names.items())
