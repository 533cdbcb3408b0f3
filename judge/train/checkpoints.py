"""Checkpoints for resuming an interrupted run; each is written completely or not at all."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from judge.problems import Misconfigured
from judge.train import model as adapters

NAME = "checkpoint"


@dataclass(slots=True)
class TrainingProgress:
    """Number of steps done, and their losses."""

    step: int = 0
    history: list[dict[str, float]] = field(default_factory=list)


def save(out: Path, wrapped: Any, optimizer: torch.optim.Optimizer, progress: TrainingProgress, run: str) -> None:
    """Replace the checkpoint; `run` is the hash of everything that must be unchanged to resume."""
    fresh, old, final = out / f"{NAME}.new", out / f"{NAME}.old", out / NAME
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    adapters.save(wrapped, fresh)
    torch.save(optimizer.state_dict(), fresh / "optimizer.pt")
    state = {"run": run, "step": progress.step, "history": progress.history}
    (fresh / "progress.json").write_text(json.dumps(state), encoding="utf-8")
    shutil.rmtree(old, ignore_errors=True)
    if final.exists():
        final.replace(old)
    fresh.replace(final)
    shutil.rmtree(old, ignore_errors=True)


def restore(out: Path, wrapped: Any, optimizer: torch.optim.Optimizer, run: str) -> TrainingProgress:
    """Resume from the checkpoint in `out`, if any; raises `Misconfigured` if it belongs to another run."""
    # If `save` was killed between its two renames, the old one is left.
    folder = next((out / name for name in (NAME, f"{NAME}.old") if (out / name / "progress.json").is_file()), None)
    if folder is None:
        return TrainingProgress()
    state = json.loads((folder / "progress.json").read_text(encoding="utf-8"))
    if state["run"] != run:
        raise Misconfigured(f"{out} holds a run with other data or settings. Choose another folder.")
    adapters.restore(wrapped, folder)
    optimizer.load_state_dict(torch.load(folder / "optimizer.pt", map_location="cpu", weights_only=True))
    return TrainingProgress(int(state["step"]), list(state["history"]))
