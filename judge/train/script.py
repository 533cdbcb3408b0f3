"""The training run."""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from judge.problems import ClipRefusal, Misconfigured
from judge.profiles import PromptProfile
from judge.schemas import ScoreQuery
from judge.server.audio import hear
from judge.server.engine import Engine, PreparedClip
from judge.server.loading import VERSIONS, LoadedModel
from judge.train import card, checkpoints, data, loss, model
from judge.train.data import Example, Split


@dataclass(frozen=True, slots=True)
class Recipe:
    """Hyperparameters of a run. Rank, alpha, dropout and the loss are from the paper; it doesn't report the others."""

    epochs: int = 3
    batch: int = 16
    rate: float = 1e-4
    warm_up: float = 0.05
    clip_norm: float = 1.0
    rank: int = 32
    alpha: int = 32
    dropout: float = 0.05
    reduction: loss.Reduction = "sum"
    seed: int = 0
    # Steps between checkpoints.
    keep: int = 50
    recompute: bool = False


def train(loaded: LoadedModel, profile: PromptProfile, split: Split, recipe: Recipe, out: Path) -> dict[str, Any]:
    """Train, test on the held-out voices, and write adapter, profile and model card to `out`; return the figures."""
    engine = Engine(loaded, [profile])
    torch.manual_seed(recipe.seed)
    wrapped = model.adapted(loaded.model, rank=recipe.rank, alpha=recipe.alpha, dropout=recipe.dropout)
    if recipe.recompute:
        recompute_activations(loaded.model)
    parameters = model.trainable(wrapped)
    optimizer = torch.optim.AdamW(parameters, lr=recipe.rate, weight_decay=0.0)
    run = identity(loaded, profile, split, recipe)
    progress = checkpoints.restore(out, wrapped, optimizer, run)

    plan = [
        batch
        for epoch in range(recipe.epochs)
        for batch in data.batches(split.training, recipe.batch, seed=recipe.seed, epoch=epoch)
    ]
    for step, (batch, clips) in enumerate(ahead(engine, plan[progress.step :]), progress.step):
        for group in optimizer.param_groups:
            group["lr"] = recipe.rate * pace(step, len(plan), recipe.warm_up)
        # Seeded per step, so that a resumed run draws the same dropout.
        torch.manual_seed(recipe.seed * 1_000_003 + step)
        wrapped.train()
        wanted = torch.tensor([example.label for example in batch], device=loaded.device)
        value = loss.att_loss(model.scores(wrapped, clips), wanted, recipe.reduction)
        if not torch.isfinite(value):
            raise Misconfigured(f"The loss is {float(value)} at step {step + 1}. Try a smaller --rate.")
        optimizer.zero_grad()
        value.backward()
        torch.nn.utils.clip_grad_norm_(parameters, recipe.clip_norm)
        optimizer.step()

        least = loss.floor([example.label for example in batch], recipe.reduction)
        progress.history.append({"step": step + 1, "loss": value.item(), "floor": least})
        progress.step = step + 1
        if progress.step % recipe.keep == 0 or progress.step == len(plan):
            checkpoints.save(out, wrapped, optimizer, progress, run)
            above = value.item() - least
            say(f"step {progress.step} of {len(plan)}: loss {value.item():.4f}, {above:.4f} above its floor")

    figures = {
        "training": measured(wrapped, engine, split.training, recipe),
        "held_out": measured(wrapped, engine, split.held_out, recipe),
    }
    model.save(wrapped, out)
    card.write(out, loaded, profile, split, asdict(recipe), progress.history, figures)
    return figures


def ahead(engine: Engine, plan: Sequence[list[Example]]) -> Iterator[tuple[list[Example], list[PreparedClip]]]:
    """Yield batches with their prepared clips; the next batch is decoded during training on the current one."""
    with ThreadPoolExecutor(1) as pool:
        coming = [pool.submit(prepared, engine, batch) for batch in plan[:1]]
        for number, batch in enumerate(plan):
            clips = coming.pop().result()
            coming += [pool.submit(prepared, engine, following) for following in plan[number + 1 : number + 2]]
            yield batch, clips


def prepared(engine: Engine, examples: Sequence[Example]) -> list[PreparedClip]:
    """Return clips as the server would hear them; raises `Misconfigured` for a clip that it would refuse."""
    (rendering,) = engine.renderings.values()
    clips = []
    for example in examples:
        query = ScoreQuery(length=None, sha256=example.sha256, seconds=None)
        try:
            clip = hear(example.path.read_bytes(), query, rendering.profile.loudness)
        except ClipRefusal as refused:
            raise Misconfigured(f"{example.clip} can't be used: {refused.message}") from None
        clips.append(engine.prepare(clip.samples, rendering.profile.name))
    return clips


def measured(wrapped: Any, engine: Engine, examples: Sequence[Example], recipe: Recipe) -> dict[str, float]:
    """Return loss, ranking and error measures of the scores of these clips."""
    wrapped.eval()
    predicted: list[float] = []
    with torch.inference_mode():
        for start in range(0, len(examples), recipe.batch):
            clips = prepared(engine, examples[start : start + recipe.batch])
            predicted += model.scores(wrapped, clips).tolist()
    wanted = [example.label for example in examples]
    # Means, so that sets of different sizes can be compared.
    value = float(loss.att_loss(torch.tensor(predicted), torch.tensor(wanted), "mean"))
    return {
        "clips": len(examples),
        "loss": value,
        "excess": value - loss.floor(wanted, "mean"),
        "pair_accuracy": loss.pair_accuracy(predicted, wanted),
        "f1": loss.f1(predicted, wanted),
        "mean_error": sum(p - w for p, w in zip(predicted, wanted, strict=True)) / len(wanted),
        "mean_square": sum((p - w) ** 2 for p, w in zip(predicted, wanted, strict=True)) / len(wanted),
    }


def recompute_activations(whole: Any) -> None:
    """Turn on activation checkpointing: recompute activations in the backward pass to save memory."""
    whole.activation_checkpointing_enable(activation_checkpointing_kwargs={"use_reentrant": False})


def pace(step: int, steps: int, warm_up: float) -> float:
    """Return the factor of the learning rate at a step: linear warm-up, then cosine decay."""
    rising = max(1, round(steps * warm_up))
    if step < rising:
        return (step + 1) / rising
    return 0.5 * (1 + math.cos(math.pi * (step - rising) / max(1, steps - rising)))


def identity(loaded: LoadedModel, profile: PromptProfile, split: Split, recipe: Recipe) -> str:
    """Return a hash of everything that affects the result."""
    clips = [(example.sha256, example.label, example.dimension) for example in split.training]
    parts = [loaded.weights_sha256, loaded.dtype, profile.sha256, clips, asdict(recipe) | {"keep": 0}, VERSIONS]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def say(text: str) -> None:
    sys.stderr.write(text + "\n")
