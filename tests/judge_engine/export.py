"""A small export to train on: ratings.csv and clips whose sound tells their label."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from judge.server.pcm import RATE
from tests.judge_engine.sounds import file, sound

SCORES = {"human": (1.0, 1.0, 0.5), "unclear": (0.5, 0.5, 1.0), "machine": (0.0, 0.0, 0.5)}
COLUMNS = ("clip", "system", "voice", "role", "dimension", "language", "rater", "simulated", "usable", "score")


def row(clip: str, rater: int, score: float | str, **changed: str) -> dict[str, Any]:
    """Return one rating of a test clip."""
    usual = {"system": "alpha", "voice": "a", "role": "test", "dimension": "d", "language": "zh"}
    told = {**usual, "simulated": "false", "usable": "true", **changed}
    return {"clip": clip, "rater": f"r{rater}", "score": score, **told}


def heard(kind: str, seed: int) -> bytes:
    """Return a hum (human), noise (machine), or both (unclear)."""
    noise = 0.1 * np.random.default_rng(seed).standard_normal(RATE // 2).astype(np.float32)
    share = {"human": 1.0, "unclear": 0.5, "machine": 0.0}[kind]
    return file(share * sound(0.5, seed) + (1 - share) * noise, subtype="PCM_16")


def write(folder: Path, rows: Iterable[dict[str, Any]]) -> Path:
    """Write ratings.csv."""
    path = folder / "ratings.csv"
    with path.open("w", encoding="utf-8", newline="") as target:
        writer = csv.DictWriter(target, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return path


def make(folder: Path, *, each: int = 2) -> Path:
    """Write ratings.csv and clips of two families with two voices, in two dimensions; return the ratings' path."""
    rows = []
    for number, (family, voice, dimension) in enumerate(
        (family, voice, dimension) for family in ("alpha", "beta") for voice in "ab" for dimension in ("poem", "news")
    ):
        for kind, scores in SCORES.items():
            for take in range(each):
                clip = f"{family}-{voice}-{dimension}-{kind}-{take}.wav"
                (folder / clip).write_bytes(heard(kind, 100 * number + 10 * take + len(kind)))
                changed = {"system": family, "voice": voice, "dimension": dimension}
                rows += [row(clip, rater, score, **changed) for rater, score in enumerate(scores)]
    return write(folder, rows)
