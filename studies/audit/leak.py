"""The acoustic leak test: can a classifier tell human clips from machines by measures that ignore the voice?

A logistic regression with a ridge penalty, on standardized measures, predicts each clip from the clips of other texts
(five folds that keep a text together). Its area under the ROC curve is compared with the areas after shuffling the
labels, within a text if it has both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
# Without the DC offset, which tells recordings apart and can't be heard.
FEATURES = (
    "loudness", "true_peak", "silence_before", "silence_after", "noise_before", "noise_after", "pauses", "bandwidth",
    "rolloff", "duration", "speech_rate",
)  # fmt: skip
# A leak is reported above this area, at a smaller p.
AREA, LEVEL = 0.65, 0.01
FOLDS, SHUFFLES, SEED = 5, 199, 20260302
# With fewer clips of a side the test says nothing; more than MOST in all cost time for no gain.
LEAST, MOST = 10, 600
RIDGE, STEPS = 1.0, 8
# At most this many measures that separate the sides by themselves are named.
NAMED = 3


@dataclass(frozen=True, slots=True)
class LeakClip:
    """A clip as the test needs it: its text (empty without one) and its measures."""

    is_human: bool
    text: str
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Leak:
    """The area under the curve, its permutation p (1 where it wasn't needed), and the measures with their own areas."""

    area: float
    p: float
    clips: int
    carriers: tuple[tuple[str, float], ...]

    @property
    def is_found(self) -> bool:
        return self.area > AREA and self.p < LEVEL


def find(clips: Sequence[LeakClip], *, seed: int = SEED) -> Leak | None:
    """Return the result of the test; None with too few clips of a side or fewer texts than folds. About a second."""
    rng = np.random.default_rng(seed)
    clips = _fewer(clips, rng)
    labels = np.array([clip.is_human for clip in clips], dtype=bool)
    groups = _groups(clips)
    if min(labels.sum(), (~labels).sum()) < LEAST or len(set(groups)) < FOLDS:
        return None
    names, columns = _columns(clips)
    folds = _folds(groups, rng)
    area = _area_of(columns, labels, folds)
    p = 1.0
    if area > AREA:
        blocks = _blocks(groups, labels)
        higher = sum(_area_of(columns, _shuffled(labels, blocks, rng), folds) >= area for _time in range(SHUFFLES))
        p = (1 + higher) / (1 + SHUFFLES)
    return Leak(area, p, len(clips), _carriers(names, columns, labels))


def _fewer(clips: Sequence[LeakClip], rng: np.random.Generator) -> Sequence[LeakClip]:
    """Return all clips, or those of randomly drawn texts if there are too many."""
    if len(clips) <= MOST:
        return clips
    groups = _groups(clips)
    counts: defaultdict[int, int] = defaultdict(int)
    for group in groups:
        counts[group] += 1
    chosen: set[int] = set()
    total = 0
    for group in rng.permutation(list(counts)):
        if total >= MOST:
            break
        chosen.add(int(group))
        total += counts[int(group)]
    return [clip for clip, group in zip(clips, groups, strict=True) if group in chosen]


def _groups(clips: Sequence[LeakClip]) -> list[int]:
    numbers: dict[str | int, int] = {}
    return [numbers.setdefault(clip.text or place, len(numbers)) for place, clip in enumerate(clips)]


def _columns(clips: Sequence[LeakClip]) -> tuple[list[str], Array]:
    """Return the names and standardized values of the measures that vary; a missing value is the mean."""
    names, columns = [], []
    for name in FEATURES:
        values = np.array([clip.values.get(name, np.nan) for clip in clips], dtype=np.float64)
        known = np.isfinite(values)
        spread = float(values[known].std()) if known.any() else 0.0
        if spread > 0:
            names.append(name)
            columns.append(np.where(known, (values - values[known].mean()) / spread, 0.0))
    return names, np.column_stack([np.ones(len(clips)), *columns])


def _folds(groups: Sequence[int], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Assign clips to folds: texts in random order, in turn."""
    order = rng.permutation(max(groups) + 1)
    return np.asarray(order[np.array(groups)] % FOLDS, dtype=np.int64)


def _blocks(groups: Sequence[int], labels: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.int64]]:
    """Return groups of places to shuffle labels within: each text with both sides, and all others together."""
    by_group: defaultdict[int, list[int]] = defaultdict(list)
    for place, group in enumerate(groups):
        by_group[group].append(place)
    mixed = [places for places in by_group.values() if 0 < labels[places].sum() < len(places)]
    inside = {place for places in mixed for place in places}
    others = [place for place in range(len(groups)) if place not in inside]
    return [np.array(places, dtype=np.int64) for places in (*mixed, others) if places]


def _shuffled(
    labels: npt.NDArray[np.bool_], blocks: Sequence[npt.NDArray[np.int64]], rng: np.random.Generator
) -> npt.NDArray[np.bool_]:
    shuffled = labels.copy()
    for places in blocks:
        shuffled[places] = rng.permutation(labels[places])
    return shuffled


def _area_of(columns: Array, labels: npt.NDArray[np.bool_], folds: npt.NDArray[np.int64]) -> float:
    """Return the cross-validated area under the curve."""
    scores = np.empty(len(labels))
    for fold in range(FOLDS):
        is_held = folds == fold
        scores[is_held] = columns[is_held] @ _fitted(columns[~is_held], labels[~is_held])
    return area_under_curve(scores, labels)


def _fitted(columns: Array, labels: npt.NDArray[np.bool_]) -> Array:
    """Return the weights of a logistic regression by Newton's method; both sides weigh the same."""
    human = max(1, int(labels.sum()))
    weights = np.where(labels, len(labels) / (2 * human), len(labels) / (2 * max(1, len(labels) - human)))
    ridge = RIDGE * np.eye(columns.shape[1])
    ridge[0, 0] = 1e-6
    found = np.zeros(columns.shape[1])
    for _step in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(columns @ found, -40, 40)))
        slope = columns.T @ (weights * (chance - labels)) + ridge @ found
        curve = (columns.T * (weights * chance * (1 - chance))) @ columns + ridge
        found = found - np.linalg.solve(curve, slope)
    return found


def area_under_curve(scores: Array, labels: npt.NDArray[np.bool_]) -> float:
    """Return the probability that a human clip scores higher than another one; ties count half."""
    human, machine = int(labels.sum()), int((~labels).sum())
    _values, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    # Equal scores share the mean of their ranks.
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places][labels].sum()
    return float((ranks - human * (human + 1) / 2) / (human * machine))


def _carriers(names: Sequence[str], columns: Array, labels: npt.NDArray[np.bool_]) -> tuple[tuple[str, float], ...]:
    """Return the measures that separate the sides best by themselves, with their areas, highest first."""
    areas = []
    for name, column in zip(names, columns.T[1:], strict=True):
        area = area_under_curve(column, labels)
        areas.append((name, max(area, 1 - area)))
    return tuple(sorted(areas, key=lambda pair: (-pair[1], pair[0]))[:NAMED])
