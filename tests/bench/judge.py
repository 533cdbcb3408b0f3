"""How fast a judge's engine is: `python -m tests.bench.judge --size full|tiny`.

It needs torch, transformers and numpy alone, no weights and no tokenizer: a model of the real architecture is made with
random weights. Compared are batches of the engine's forward pass, one `generate(max_new_tokens=1)` a clip in the same
precision, and the least time that the model's arithmetic takes at the speed of a matrix product timed in the same run.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from transformers import Qwen2AudioConfig, Qwen2AudioForConditionalGeneration, WhisperFeatureExtractor

from judge.server.forward import audio_tokens, collate, last_hidden, log_total, mel
from judge.server.pcm import RATE

# Around the audio, as many tokens as the released prompt takes with its frame.
PROMPT_TOKENS = 217
AUDIO_ID = 5
SIZES: dict[str, dict[str, Any]] = {
    "full": {
        "audio": {
            "d_model": 1280, "encoder_layers": 32, "encoder_attention_heads": 20, "encoder_ffn_dim": 5120,
        },
        "text": {
            "vocab_size": 156_032, "hidden_size": 4096, "intermediate_size": 11_008, "num_hidden_layers": 32,
            "num_attention_heads": 32, "num_key_value_heads": 32,
        },
    },
    "tiny": {
        "audio": {"d_model": 32, "encoder_layers": 2, "encoder_attention_heads": 2, "encoder_ffn_dim": 64},
        "text": {
            "vocab_size": 512, "hidden_size": 48, "intermediate_size": 96, "num_hidden_layers": 2,
            "num_attention_heads": 4, "num_key_value_heads": 2,
        },
    },
}  # fmt: skip


@dataclass(frozen=True)
class Clip:
    """What the engine calls a prepared clip."""

    ids: torch.Tensor
    features: torch.Tensor
    frames: torch.Tensor


def model(size: str, device: str, dtype: torch.dtype) -> Any:
    """Return a model of that size with random weights."""
    shapes = SIZES[size]
    config = Qwen2AudioConfig(
        audio_config={"model_type": "qwen2_audio_encoder", "num_mel_bins": 128, **shapes["audio"]},
        text_config={"model_type": "qwen2", "max_position_embeddings": 8192, **shapes["text"]},
        audio_token_index=AUDIO_ID,
    )
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        with torch.device(device):
            return Qwen2AudioForConditionalGeneration(config).eval()
    finally:
        torch.set_default_dtype(before)


def clips(count: int, seconds: float) -> tuple[list[Clip], float]:
    """Return clips of noise, and the milliseconds of CPU that the features of one cost."""
    extractor, rng = WhisperFeatureExtractor(feature_size=128), np.random.default_rng(0)
    found, began = [], time.process_time()
    for _ in range(count):
        samples = 0.1 * rng.standard_normal(round(seconds * RATE), dtype=np.float32)
        features, frames = mel(extractor, samples)
        audio = [AUDIO_ID] * audio_tokens(int(frames.sum()))
        text = rng.integers(10, 500, PROMPT_TOKENS).tolist()
        found.append(Clip(torch.tensor([*text[:20], *audio, *text[20:]]), features, frames))
    return found, 1000 * (time.process_time() - began) / count


def timed(work: Callable[[], object], device: str) -> float:
    """Return the seconds that `work` takes, the device's own included."""
    if device.startswith("cuda"):
        torch.cuda.synchronize()
    began = time.perf_counter()
    work()
    if device.startswith("cuda"):
        torch.cuda.synchronize()
    return time.perf_counter() - began


def engine(whole: Any, source: Sequence[Clip], number: int, batch: int, device: str) -> float:
    """Return the clips a second of `number` clips in batches."""
    picked = [source[at % len(source)] for at in range(number)]

    def work() -> None:
        for start in range(0, number, batch):
            log_total(whole, last_hidden(whole, picked[start : start + batch])).cpu()

    return number / timed(work, device)


def plain(whole: Any, source: Sequence[Clip], number: int, device: str) -> float:
    """Return the clips a second of a loop that generates one token for one clip."""

    def work() -> None:
        for at in range(number):
            inputs = collate([source[at % len(source)]])
            inputs.pop("position_ids")
            on_device = {name: tensor.to(device) for name, tensor in inputs.items()}
            whole.generate(**on_device, max_new_tokens=1, do_sample=False, pad_token_id=0)

    return number / timed(work, device)


def flops(whole: Any, tokens: int) -> float:
    """Return the multiplications and additions that one clip needs: weights, attention, and one row of the head."""
    text, audio = whole.config.text_config, whole.config.audio_config
    frames = audio.max_source_positions
    trunk = sum(parameter.numel() for parameter in whole.model.language_model.layers.parameters())
    tower = sum(parameter.numel() for parameter in whole.model.audio_tower.layers.parameters())
    attention = 4 * tokens**2 / 2 * text.hidden_size * text.num_hidden_layers
    listening = 4 * frames**2 * audio.d_model * audio.encoder_layers
    head = 2 * text.vocab_size * text.hidden_size
    return float(2 * trunk * tokens + 2 * tower * frames + attention + listening + head)


def speed(device: str, dtype: torch.dtype, width: int) -> float:
    """Return the floating-point operations a second of a large matrix product, the best of five."""
    one = torch.randn(width, width, device=device, dtype=dtype)
    other = torch.randn(width, width, device=device, dtype=dtype)
    one @ other
    return 2 * width**3 / min(timed(lambda: one @ other, device) for _ in range(5))


def main() -> None:
    """Measure, and say what came out."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.judge")
    parser.add_argument("--size", choices=sorted(SIZES), default="tiny")
    parser.add_argument("--clips", type=int, default=512, help="clips that are timed, after a warm-up")
    parser.add_argument("--seconds", type=float, default=10.0, help="length of a clip")
    parser.add_argument("--batches", default="1,2,4,8,16,32")
    chosen = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    name = torch.cuda.get_device_name() if device == "cuda" else "CPU"
    say(
        f"{name}, {dtype}, torch {torch.__version__}, {chosen.clips} clips of {chosen.seconds:g} s, {chosen.size} model"
    )
    whole = model(chosen.size, device, dtype)
    source, milliseconds = clips(min(32, chosen.clips), chosen.seconds)
    tokens = len(source[0].ids)
    say(f"features: {milliseconds:.1f} ms of CPU a clip; {tokens} tokens a clip")
    with torch.inference_mode():
        fastest = speed(device, dtype, 8192 if device == "cuda" else 1024)
        floor = fastest / flops(whole, tokens)
        say(f"matrix product: {fastest / 1e12:.2f} TFLOP/s; floor {floor:.1f} clips a second")
        plain(whole, source, min(8, chosen.clips), device)
        base = plain(whole, source, chosen.clips, device)
        say(f"generate, one clip at a time: {base:.2f} clips a second")
        for batch in (int(part) for part in chosen.batches.split(",")):
            engine(whole, source, 2 * batch, batch, device)
            rate = engine(whole, source, chosen.clips, batch, device)
            told = f"{rate:.2f} clips a second, {rate / base:.2f} x, {rate / floor:.1%} of the floor"
            say(f"engine, batches of {batch}: {told}")
            if device == "cuda":
                say(f"  memory at most {torch.cuda.max_memory_allocated() / 1e9:.1f} GB")


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
