"""Means of external metrics by system, to stand beside people's scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analysis.data.groups import ANCHOR, HUMAN
from analysis.report.papers.joined import NAMED
from analysis.report.sections import section

if TYPE_CHECKING:
    from analysis.report.material import Material

LEAST = 3


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric's name and its mean over clips by system."""

    name: str
    values: Mapping[str, float]


def beside(studies: Sequence[Material]) -> list[Metric]:
    """Return the metrics of all studies; of two by one name the first."""
    found: dict[str, Metric] = {}
    for study in studies:
        for table in section(study.results, "metrics").get("tables", []):
            values = {
                NAMED if row["kind"] == HUMAN else row["name"]: float(row["mean"])
                for row in table.get("systems", [])
                if row["kind"] != ANCHOR and row["mean"] is not None
            }
            found.setdefault(table["name"], Metric(table["name"], values))
    return list(found.values())


def correlations(metrics: Sequence[Metric], scores: Mapping[str, float]) -> list[str]:
    """Return a sentence for each metric: how its system means go along with the scores, by ranks and linearly."""
    return [_sentence(metric, scores) for metric in metrics]


def _sentence(metric: Metric, scores: Mapping[str, float]) -> str:
    from scipy.stats import kendalltau, pearsonr, spearmanr

    both = sorted(set(metric.values) & set(scores))
    first = np.array([metric.values[name] for name in both])
    second = np.array([scores[name] for name in both])
    if len(both) < LEAST:
        return f"{metric.name}: no correlation from {len(both)} systems; {LEAST} are needed."
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return f"{metric.name}: no correlation, since one of the two is the same for all systems."
    r, rho, tau = (float(of(first, second)[0]) for of in (pearsonr, spearmanr, kendalltau))
    return f"{metric.name} over {len(both)} systems: Pearson r {r:.3f}, Spearman ρ {rho:.3f}, Kendall τ {tau:.3f}."
