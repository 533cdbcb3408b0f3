"""White box against black box."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.boxes import compare
from analysis.stats.design import Design, NotEstimable
from analysis.stats.twoway import means
from tests.analysis.stats.listeners import Crowd


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_the_gap_is_judged_within_systems_and_holds_the_truth() -> None:
    design = Crowd(hls=(0.6, 0.4, 0.2), clip=0.5).crossed(60, 20, 10, rng())
    assert design.clip is not None
    black = (design.clip % 20 >= 10).astype(np.int64)
    lifted = Design.of(design.score - 0.1 * black, design.rater, design.system, design.clip)
    found = compare(lifted, black, rng(), low=-1, high=2)
    assert set(found.systems) == {0, 1, 2}
    assert found.overall.gap == pytest.approx(np.mean([gap.gap for gap in found.systems.values()]))
    assert found.overall.gap == pytest.approx(found.overall.white - found.overall.black)
    assert found.overall.low is not None
    assert found.overall.high is not None
    assert found.overall.low < 0.1 < found.overall.high
    assert found.ranks is not None
    assert (found.ranks.distance, found.ranks.n) == (0.0, 3)
    mine = lifted.where(lifted.system == 1)
    own = means(mine, black[lifted.system == 1])
    assert found.systems[1].gap == pytest.approx(own.mean[0] - own.mean[1])


def test_a_system_of_one_box_is_left_out_and_too_few_raters_give_no_interval() -> None:
    design = Crowd(hls=(0.6, 0.4)).crossed(4, 12, 12, rng())
    assert design.clip is not None
    black = ((design.clip % 12 >= 6) & (design.system == 1)).astype(np.int64)
    found = compare(design, black, rng(), low=0, high=1)
    assert set(found.systems) == {1}
    assert (found.systems[1].low, found.systems[1].high) == (None, None)
    assert found.ranks is None


def test_without_two_boxes_it_is_refused_in_words() -> None:
    design = Crowd(hls=(0.6, 0.4)).crossed(4, 4, 2, rng())
    with pytest.raises(NotEstimable, match="both boxes"):
        compare(design, np.zeros(len(design.score), dtype=np.int64), rng(), low=0, high=1)
