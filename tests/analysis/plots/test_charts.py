"""Scales of every task type on the chart."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from analysis.plots.charts import Axis
from analysis.stats.design import Design
from analysis.stats.intervals import intervals
from analysis.stats.twoway import means

HLS, HFR, MUSHRA, ACR, CMOS = Axis(0, 1), Axis(0, 1, "%"), Axis(0, 100), Axis(1, 5), Axis(-3, 3)


def test_shares_are_read_in_percent() -> None:
    assert HFR.show(0.418) == "41.8 %"
    assert HFR.show(0.418, 1) == "41.80 %"
    assert HFR.show(1.0) == "100.0 %"
    assert HFR.at(0.418) == "41.80%"
    assert HFR.interval(0.25, 0.5) == "25.0 %\u00a0–\u2060\u00a050.0 %"


def test_other_scores_keep_their_own_numbers() -> None:
    assert [axis.show(value) for axis, value in ((HLS, 0.418), (MUSHRA, 71.25), (ACR, 3.5))] == ["0.42", "71.2", "3.50"]
    assert HFR.show(None) == "–"


@pytest.mark.parametrize(
    ("axis", "labels"),
    [
        (HLS, ["0.00", "0.25", "0.50", "0.75", "1.00"]),
        (HFR, ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]),
        (MUSHRA, ["0", "20", "40", "60", "80", "100"]),
        (ACR, ["1", "2", "3", "4", "5"]),
        (CMOS, ["−3", "−2", "−1", "0", "+1", "+2", "+3"]),
    ],
)
def test_ticks_stand_on_whole_numbers_where_the_scale_allows(axis: Axis, labels: list[str]) -> None:
    ticks = axis.ticks()
    assert [tick.label for tick in ticks] == labels
    assert [tick.at for tick in ticks] == [f"{100 * n / (len(labels) - 1):.2f}%" for n in range(len(labels))]


def test_two_sided_scores_have_signs_and_a_line_at_zero() -> None:
    assert (CMOS.zero, HLS.zero, MUSHRA.zero, ACR.zero) == ("50.00%", "", "", "")
    assert [CMOS.show(value) for value in (-0.5, 0.52, 0.0, -0.001)] == ["−0.50", "+0.52", "0.00", "0.00"]
    assert (CMOS.at(-3), CMOS.at(1.5)) == ("0.00%", "75.00%")


@pytest.mark.parametrize("axis", [HFR, MUSHRA, ACR, CMOS])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 0.98, 1.0])
def test_intervals_stay_on_every_scale_and_around_the_score(axis: Axis, share: float) -> None:
    rng = Random(3)
    width = axis.high - axis.low
    people = np.repeat(np.arange(14), 6)
    scores = np.array([axis.low + width * (rng.random() < share) for _ in people])
    design = Design.of(scores, people, np.zeros(len(people), int), np.tile(np.arange(6), 14))
    [found] = intervals(means(design), low=axis.low, high=axis.high)
    assert found.low is not None
    assert found.high is not None
    assert axis.low <= found.low <= found.mean <= found.high <= axis.high
    assert found.high - found.low > 0.05 * width
