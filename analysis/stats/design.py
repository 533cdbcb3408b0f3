"""The table of ratings that all models and intervals start from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.text.words import say

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# If systems share fewer texts, an interval holds for these texts only (rule D12).
LEAST_TEXTS = 5
# Keys are counted in an array of at most this many elements per key.
DENSE = 4


class NotEstimable(ValueError):
    """These ratings don't allow the estimate; the message says why, in a sentence for users."""


@dataclass(frozen=True, slots=True)
class Design:
    """Ratings as columns of shape (n,): `rater` gave `score` to a `clip` of `system` with this `text`.

    `Design.of` makes codes 0 … levels − 1 from any labels; `systems` is the number of levels of `system`. `covariates`
    has shape (n, k), k ≥ 0, in their own units. `clip` and `text` are None if unknown.
    """

    score: Floats
    rater: Codes
    system: Codes
    clip: Codes | None
    text: Codes | None
    covariates: Floats

    @classmethod
    def of(
        cls, score: Any, rater: Any, system: Any, clip: Any = None, text: Any = None, covariates: Any = None
    ) -> Design:
        """Code columns of any sortable labels in sorted order.

        Raises NotEstimable without ratings, ValueError for columns of unequal length or a score that is not finite.
        """
        scores = np.asarray(score, dtype=np.float64)
        columns = [np.asarray(column) for column in (rater, system, clip, text) if column is not None]
        extra = np.zeros((len(scores), 0)) if covariates is None else np.asarray(covariates, dtype=np.float64)
        extra = extra.reshape(len(scores), -1) if len(scores) else extra
        if any(len(column) != len(scores) for column in columns):
            raise ValueError("all columns of a design need the same length")
        if not (np.isfinite(scores).all() and np.isfinite(extra).all()):
            raise ValueError("scores and covariates must be finite numbers")
        if not len(scores):
            raise NotEstimable(say("There are no ratings yet."))
        return cls(scores, coded(rater)[1], coded(system)[1], _maybe(clip), _maybe(text), extra)

    @property
    def systems(self) -> int:
        return int(self.system.max()) + 1

    @property
    def raters(self) -> int:
        return int(self.rater.max()) + 1

    @property
    def cell(self) -> Codes:
        """Return the code of each row's combination of rater and system."""
        return pairs(self.rater, self.system)

    @property
    def pieces(self) -> Codes | None:
        """The second factor of clusters: the text, which several clips may share, or the clip if texts are unknown.

        None if clips are unknown too, or if systems share too few texts to cluster by.
        """
        if self.has_few_texts:
            return None
        return self.clip if self.text is None else self.text

    @property
    def repeats_texts(self) -> bool:
        """True if several clips (voices, takes or systems) speak one text."""
        if self.clip is None or self.text is None:
            return False
        return bool(len(distinct(pairs(self.text, self.clip))) > int(self.text.max()) + 1)

    @property
    def shares_texts(self) -> bool:
        """True if several systems share a text."""
        if self.clip is None or self.text is None:
            return False
        last = np.zeros(int(self.text.max()) + 1, dtype=np.int64)
        last[self.text] = self.system
        return not (last[self.text] == self.system).all()

    @property
    def has_few_texts(self) -> bool:
        """True if systems share texts, but too few to cluster by, so that only raters count (rule D12)."""
        return self.shares_texts and self.text is not None and int(self.text.max()) + 1 < LEAST_TEXTS

    def where(self, mask: Mask) -> Design:
        """Return the rows of `mask` (n,), with new codes."""
        clip = None if self.clip is None else self.clip[mask]
        text = None if self.text is None else self.text[mask]
        return Design.of(self.score[mask], self.rater[mask], self.system[mask], clip, text, self.covariates[mask])


def pairs(first: Codes, second: Codes) -> Codes:
    """Return a code (n,) for each occurring pair of two codes (n,)."""
    return coded(first * (int(second.max()) + 1) + second)[1]


def coded(labels: Any) -> tuple[Any, Codes]:
    """Return the distinct labels in order, and the index (n,) of each of `labels` among them."""
    values = np.asarray(labels)
    if (span := _span(values)) is None:
        different, codes = np.unique(values, return_inverse=True)
        return different, codes.astype(np.int64).reshape(-1)
    seen = np.bincount(values - span[0]) > 0
    return np.flatnonzero(seen) + span[0], (np.cumsum(seen) - 1)[values - span[0]]


def distinct(keys: Codes) -> Codes:
    """Return the distinct keys in order."""
    if (span := _span(keys)) is not None:
        return np.flatnonzero(np.bincount(keys - span[0])) + span[0]
    ordered = np.sort(keys)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])] if len(keys) else keys


def count_by(group: Codes, cluster: Codes) -> Codes:
    """Return the number of different clusters (n,) of ratings in each `group` (n,)."""
    levels = int(cluster.max()) + 1
    return np.bincount(distinct(group * levels + cluster) // levels)


def _span(values: Any) -> tuple[int, int] | None:
    """Return the lowest and highest integer; None if they are so far apart that sorting is faster than counting."""
    if values.dtype.kind != "i" or not len(values):
        return None
    low, high = int(values.min()), int(values.max())
    return (low, high) if high - low < DENSE * len(values) else None


def _maybe(labels: Any) -> Codes | None:
    return None if labels is None else coded(labels)[1]
