"""Training data from an export's ratings.csv: labelled clips, held-out voices, and batches."""

from __future__ import annotations

import csv
import hashlib
import random
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from judge.problems import Misconfigured


@dataclass(frozen=True, slots=True)
class Example:
    """A clip with its label: the median of its raters' scores, 0 (machine) to 1 (human)."""

    clip: str
    path: Path
    sha256: str
    label: float
    family: str
    voice: str
    dimension: str
    language: str


@dataclass(frozen=True, slots=True)
class Split:
    """The training examples, and those of the voices held out for testing."""

    training: tuple[Example, ...]
    held_out: tuple[Example, ...]
    voices: tuple[str, ...]


def read(ratings: Path, audio: Path, *, raters: int = 3, simulated: bool = False) -> list[Example]:
    """Read the test clips with at least `raters` usable ratings. Traps are never used for training (rule F2)."""
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    facts: dict[str, dict[str, str]] = {}
    with ratings.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            is_counted = row["role"] == "test" and row["usable"] == "true" and row["score"]
            if is_counted and (row["simulated"] == "true") == simulated:
                value = float(row["score"])
                if not 0.0 <= value <= 1.0:
                    raise Misconfigured(f"{row['clip']} is rated {value:g}: only scores from 0 to 1 can train a judge.")
                # Exports put an apostrophe before cells that a spreadsheet would evaluate.
                clip = re.sub(r"^'(?=[=+\-@])", "", row["clip"])
                scores[clip][row["rater"]] = value
                facts[clip] = row
    examples = [
        _example(clip, audio, facts[clip], values.values())
        for clip, values in sorted(scores.items())
        if len(values) >= raters
    ]
    if not examples:
        raise Misconfigured(f"{ratings} has no test clip with {raters} usable ratings or more.")
    return examples


def _example(clip: str, audio: Path, row: dict[str, str], scores: Collection[float]) -> Example:
    path = audio / clip
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise Misconfigured(f"The audio of {clip} can't be read: {error}") from None
    voice = row["voice"] or row["system"]
    return Example(clip, path, digest, median(scores), row["system"], voice, row["dimension"], row["language"])


def split(examples: Sequence[Example], *, seed: int, hold_out: Collection[str] = ()) -> Split:
    """Hold out one voice per family, given in `hold_out` as family/voice or drawn; raises `Misconfigured`."""
    voices: dict[str, set[str]] = defaultdict(set)
    for example in examples:
        voices[example.family].add(example.voice)
    rng, out = random.Random(f"{seed} voices"), dict[str, str]()  # noqa: S311
    for family, names in sorted(voices.items()):
        if len(names) < 2:
            raise Misconfigured(f"{family} has one voice, so none can be held out. Add voices, or leave it out.")
        held_out = [name for name in sorted(names) if f"{family}/{name}" in hold_out]
        if len(held_out) > 1:
            raise Misconfigured(f"Of {family} more than one voice would be held out.")
        out[family] = held_out[0] if held_out else rng.choice(sorted(names))
    chosen = tuple(f"{family}/{voice}" for family, voice in out.items())
    strangers = set(hold_out) - set(chosen)
    if strangers:
        raise Misconfigured(f"There is no voice {min(strangers)}.")
    return Split(
        tuple(example for example in examples if out[example.family] != example.voice),
        tuple(example for example in examples if out[example.family] == example.voice),
        chosen,
    )


def batches(examples: Iterable[Example], size: int, *, seed: int, epoch: int) -> Iterator[list[Example]]:
    """Yield the batches of an epoch, in an order given by seed and epoch; a batch has a single dimension."""
    rng = random.Random(f"{seed} {epoch}")  # noqa: S311
    by_dimension: dict[str, list[Example]] = defaultdict(list)
    for example in examples:
        by_dimension[example.dimension].append(example)
    all_batches = []
    for _, group in sorted(by_dimension.items()):
        rng.shuffle(group)
        all_batches += [group[start : start + size] for start in range(0, len(group), size)]
    rng.shuffle(all_batches)
    yield from all_batches
