"""Files written with an adapter: profile, training record, history, and model card."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from judge.profiles import PromptProfile
from judge.schemas import TrainingRecord
from judge.server.loading import VERSIONS, LoadedModel
from judge.train.data import Split

CARD = """\
# Judge trained by Earshot

LoRA adapter for a Qwen2-Audio model whose files have the hash `{weights}`.
Profile `{profile}`, version {version}, hash `{profile_hash}`: `profile.json` beside this page.

**What it says** is how human-like raters like those of the training data would find a clip, from 0 to 1. Its figures on
clips, voices or languages unlike those below are guesses.

## Data

{clips} clips in the dimensions {dimensions}, languages {languages}. A clip's label is the median of its raters' scores.
Traps were not used. Each batch came from one dimension. Held out, a voice of each family: {voices}.

## Figures

| | clips | loss | above its floor | pair accuracy | F1 at 0.5 | mean error | mean square |
|---|---|---|---|---|---|---|---|
{rows}

The loss is 0.4 Bradley–Terry + 0.6 MSE, here with means. Its floor is the least that these labels allow.

## Recipe

{recipe}

Software: {versions}.

## Training clips, by SHA-256

Leave these out when you hold the judge against people.

{hashes}
"""


def write(
    out: Path,
    loaded: LoadedModel,
    profile: PromptProfile,
    split: Split,
    recipe: Mapping[str, Any],
    history: Sequence[Mapping[str, float]],
    figures: Mapping[str, Mapping[str, float]],
) -> None:
    """Write profile.json, training.json, history.jsonl and README.md into `out`."""
    training = TrainingRecord(
        clips=tuple(sorted({example.sha256 for example in split.training})),
        dimensions=tuple(sorted({example.dimension for example in split.training})),
        held_out=split.voices,
    )
    _put(out / "profile.json", profile.model_dump_json(indent=2))
    _put(out / "training.json", training.model_dump_json(indent=2))
    _put(out / "history.jsonl", "\n".join(json.dumps(dict(line)) for line in history))
    languages = sorted({example.language or "unknown" for example in split.training})
    text = CARD.format(
        weights=loaded.weights_sha256,
        profile=profile.name,
        version=profile.version,
        profile_hash=profile.sha256,
        clips=len(split.training),
        dimensions=", ".join(name or "none" for name in training.dimensions),
        languages=", ".join(languages),
        voices=", ".join(split.voices),
        rows="\n".join(_row(name, values) for name, values in figures.items()),
        recipe="\n".join(f"- {name}: {value}" for name, value in recipe.items()),
        versions=", ".join(f"{name} {version}" for name, version in VERSIONS.items()),
        hashes="\n".join(f"- {digest}" for digest in training.clips),
    )
    _put(out / "README.md", text)


def _row(name: str, values: Mapping[str, float]) -> str:
    wanted = ("loss", "excess", "pair_accuracy", "f1", "mean_error", "mean_square")
    cells = ["–" if math.isnan(values[key]) else f"{values[key]:.4f}" for key in wanted]
    return f"| {name.replace('_', ' ')} | {values['clips']} | {' | '.join(cells)} |"


def _put(path: Path, text: str) -> None:
    path.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
