"""Equation 2 of the ATT paper, its minimum, and measures of ranking and classification."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import torch
from scipy.optimize import minimize
from torch.nn.functional import softplus

Reduction = Literal["sum", "mean"]
BRADLEY_TERRY, SQUARED = 0.4, 0.6


def att_loss(predicted: torch.Tensor, wanted: torch.Tensor, reduction: Reduction = "sum") -> torch.Tensor:
    """Return 0.4 BT + 0.6 MSE over a batch of scores from 0 to 1 (ATT paper, equation 2).

    BT is the sum of -log sigmoid(s_i - s_j) over pairs labelled i > j; MSE is half the sum of squares. With sums, BT
    grows with the square of the batch size and MSE with its size; `mean` divides each by its count.
    """
    ahead = wanted[:, None] > wanted[None, :]
    pairs = softplus(-(predicted[:, None] - predicted[None, :]))[ahead]
    squares = (predicted - wanted).square() / 2
    if reduction == "sum":
        return BRADLEY_TERRY * pairs.sum() + SQUARED * squares.sum()
    return BRADLEY_TERRY * pairs.sum() / max(1, pairs.numel()) + SQUARED * squares.mean()


def floor(wanted: Sequence[float], reduction: Reduction = "sum") -> float:
    """Return the minimum of `att_loss` for these labels, over scores from 0 to 1.

    It is far from zero: even scores of 1 and 0 leave log(1 + 1/e) = 0.313 per pair. The loss is convex and symmetric in
    clips with equal labels, so one score per distinct label is optimized.
    """
    levels, at = np.unique(np.asarray(wanted, dtype=np.float64), return_inverse=True)
    labels = torch.tensor(levels[at])

    def value(scores: Any) -> tuple[float, Any]:
        tensor = torch.tensor(scores, requires_grad=True)
        loss = att_loss(tensor[torch.tensor(at)], labels, reduction)
        loss.backward()
        return loss.item(), tensor.grad.numpy()

    return float(minimize(value, levels, jac=True, bounds=[(0.0, 1.0)] * len(levels), options={"ftol": 1e-14}).fun)


def pair_accuracy(predicted: Sequence[float], wanted: Sequence[float]) -> float:
    """Return the share of pairs with different labels ordered correctly, ties counting half; NaN without pairs."""
    right = total = 0.0
    for i, high in enumerate(wanted):
        for j, low in enumerate(wanted):
            if high > low:
                total += 1
                right += 1.0 if predicted[i] > predicted[j] else 0.5 * (predicted[i] == predicted[j])
    return right / total if total else math.nan


def f1(predicted: Sequence[float], wanted: Sequence[float]) -> float:
    """Return F1 at 0.5 with human as the positive class; NaN if neither labels nor predictions are human."""
    both = sum(p >= 0.5 and w >= 0.5 for p, w in zip(predicted, wanted, strict=True))
    predicted_human, labelled_human = sum(p >= 0.5 for p in predicted), sum(w >= 0.5 for w in wanted)
    return 2 * both / (predicted_human + labelled_human) if predicted_human + labelled_human else math.nan
