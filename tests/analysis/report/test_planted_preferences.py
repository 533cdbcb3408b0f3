"""A planted preference, answered by the task's own listeners, lies in the interval of nearly all studies."""

from __future__ import annotations

from random import Random

import numpy as np
import pandas as pd
import pytest

from analysis.sections.preferences import compute
from studies.task_types import get
from studies.task_types._comparison import Params
from studies.task_types.base import ItemContent, Listener, PlacedClip

STUDIES, RATERS, TEXTS, EACH = 100, 30, 30, 8
# Latent advantage of the new system over the old, and the SDs of raters' liking and of texts (log-odds).
ADVANTAGE, LIKING, TEXT = 0.4, 0.5, 0.4
PAIR = (PlacedClip("new", "test"), PlacedClip("old", "test"))
MIDDLE = {"forced": 0.5, "tie": 0.5}


def chance(latent: float) -> float:
    return float(1 / (1 + np.exp(-latent)))


def answered(answer: str, advantage: float, rater: int, text: int, rng: Random) -> tuple[float, bool]:
    """Return the score of one answer on the new system, and whether its clip was heard first."""
    kind, params = get("compare").of({"answer": answer}), Params.model_validate({"answer": answer})
    shown = kind.draw(params, ItemContent(PAIR, rater=rater, item=text), rng)
    chances = (chance(advantage / 2), chance(-advantage / 2))
    listener = Listener(tuple(chances[place] for place in shown.order))
    [row] = kind.rows(params, shown, kind.simulate(params, shown, listener, rng))
    assert row.value is not None
    return row.value, shown.order[0] == 0


def study(answer: str, seed: int) -> pd.DataFrame:
    draw, rng = np.random.default_rng(seed), Random(seed)
    liking, texts = draw.normal(0, LIKING, RATERS), draw.normal(0, TEXT, TEXTS)
    rows = []
    for rater in range(RATERS):
        for text in draw.choice(TEXTS, EACH, replace=False).tolist():
            score, is_first = answered(answer, ADVANTAGE + liking[rater] + texts[text], rater, text, rng)
            rows.append((rater, f"t{text}", text, "new", "old", is_first, score))
    columns = ["rater", "text", "clip", "system", "against", "is_first", "score"]
    return pd.DataFrame(rows, columns=columns).astype({"text": "category"})


def truth(answer: str) -> float:
    """Return the share of preferences for the new system over many raters and texts."""
    draw, rng = np.random.default_rng(0), Random(0)
    shifts = draw.normal(ADVANTAGE, np.hypot(LIKING, TEXT), 20_000).tolist()
    scores = np.array([answered(answer, shift, number, number, rng)[0] for number, shift in enumerate(shifts)])
    return float((scores > MIDDLE[answer]).sum() / (scores != MIDDLE[answer]).sum())


@pytest.mark.parametrize("answer", ["forced", "tie"])
def test_a_planted_preference_lies_in_its_interval_in_nearly_all_studies(answer: str) -> None:
    expected = truth(answer)
    assert 0.55 < expected < 0.9
    covered = 0
    for seed in range(1, STUDIES + 1):
        [pair] = compute.of(study(answer, seed), middle=MIDDLE[answer]).pairs
        assert (pair.first, pair.second) == ("new", "old")
        assert pair.low is not None
        assert pair.high is not None
        covered += pair.low <= expected <= pair.high
    assert covered >= 93
