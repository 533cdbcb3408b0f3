"""The acoustic leak test finds what gives human clips away, and finds nothing where nothing does."""

from __future__ import annotations

import numpy as np
import pytest

from studies.audit.leak import FEATURES, LeakClip, area_under_curve, find

SYSTEMS = ("human", "alpha", "beta", "gamma")


def clips(
    *, seed: int = 1, texts: int = 20, leak: float = 0.0, of_text: float = 0.0, shared: bool = True
) -> list[LeakClip]:
    """Return clips whose level in pauses is higher by `leak` in human ones, and differs by `of_text` between texts."""
    rng = np.random.default_rng(seed)
    level = of_text * rng.standard_normal((texts, 1 if shared else len(SYSTEMS)))
    return [
        LeakClip(
            system == "human",
            f"t{text}" if shared else f"t{text}-{system}",
            {
                "pauses": -60
                + rng.standard_normal()
                + leak * (system == "human")
                + level[text, place % level.shape[1]],
                "bandwidth": 8000 + 500 * rng.standard_normal(),
                "duration": 4 + rng.standard_normal(),
                "loudness": -23.0,
            },
        )
        for text in range(texts)
        for place, system in enumerate(SYSTEMS)
    ]


@pytest.mark.parametrize("edge", ["noise_before", "noise_after"])
def test_noise_at_an_edge_gives_human_clips_away(edge: str) -> None:
    noisy = [LeakClip(clip.is_human, clip.text, {**clip.values, edge: 0.9 * clip.is_human}) for clip in clips()]
    leak = find(noisy)
    assert leak is not None
    assert leak.is_found
    assert leak.carriers[0][0] == edge


def test_a_measure_that_gives_human_clips_away_is_found_and_named() -> None:
    leak = find(clips(leak=2.0))
    assert leak is not None
    assert leak.is_found
    assert leak.area > 0.85
    assert leak.p == 1 / 200
    assert leak.carriers[0][0] == "pauses"


def test_the_same_clips_give_the_same_result() -> None:
    assert find(clips(leak=0.8)) == find(clips(leak=0.8))


@pytest.mark.parametrize("of_text", [0.0, 5.0])
def test_without_a_difference_hardly_any_study_has_a_leak(of_text: float) -> None:
    found = [find(clips(seed=seed, of_text=of_text)) for seed in range(30)]
    assert sum(leak is not None and leak.is_found for leak in found) <= 1


def test_clips_of_different_texts_are_tested_too() -> None:
    leak = find(clips(leak=2.0, shared=False))
    assert leak is not None
    assert leak.is_found


def test_a_text_is_never_predicted_from_itself() -> None:
    # Ten random numbers for each text: a model that has seen some clips of a text would know the others by heart.
    rng = np.random.default_rng(3)
    rows = []
    for text in range(12):
        values = dict(zip(FEATURES, rng.standard_normal(len(FEATURES)), strict=True))
        rows += [LeakClip(text % 2 == 0, f"t{text}", values) for _take in range(8)]
    leak = find(rows)
    assert leak is not None
    assert leak.area < 0.65


def test_too_few_clips_are_not_tested() -> None:
    assert find(clips(texts=9, leak=5.0)) is None
    assert find([]) is None


def test_the_area_counts_ties_as_a_half() -> None:
    labels = np.array([True, True, False, False])
    assert area_under_curve(np.array([2.0, 1.0, 1.0, 0.0]), labels) == 0.875


def test_of_a_large_study_some_texts_are_drawn() -> None:
    leak = find(clips(texts=2000, leak=2.0))
    assert leak is not None
    assert leak.clips == 600
    assert leak.is_found
