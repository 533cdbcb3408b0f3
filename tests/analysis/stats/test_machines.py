"""A machine against people: yes/no figures, ceiling, correlations, calibration, drift (rules F1 and F4)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from analysis.stats import machines
from analysis.stats.design import NotEstimable

Array = NDArray[Any]


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def traps(hits: int, misses: int, alarms: int, rejections: int) -> tuple[Array, Array]:
    scores = np.repeat([0.9, 0.1, 0.8, 0.2], [hits, misses, alarms, rejections])
    return scores, np.arange(len(scores)) < hits + misses


def test_the_att_papers_traps_are_69_human_and_35_flawed_so_always_human_has_f1_of_80_percent() -> None:
    found = machines.yes_no(*traps(69, 0, 0, 35))
    assert found.always == pytest.approx(2 * 69 / (2 * 69 + 35))
    assert (found.f1, found.precision, found.recall, found.balanced) == (1, 1, 1, 1)
    everything = machines.yes_no(*traps(69, 0, 35, 0))
    assert everything.f1 == found.always
    assert everything.balanced == 0.5


def test_precision_recall_f1_and_balanced_accuracy_by_hand() -> None:
    found = machines.yes_no(*traps(6, 2, 3, 9))
    assert (found.hits, found.misses, found.false_alarms, found.rejections) == (6, 2, 3, 9)
    assert found.precision == pytest.approx(6 / 9)
    assert found.recall == pytest.approx(6 / 8)
    assert found.f1 == pytest.approx(12 / 17)
    assert found.balanced == pytest.approx((6 / 8 + 9 / 12) / 2)


def test_a_machine_that_calls_nothing_human_has_f1_0_and_no_precision() -> None:
    found = machines.yes_no(*traps(0, 5, 0, 4))
    assert (found.f1, found.precision, found.recall, found.balanced) == (0, None, 0, 0.5)


def test_exactly_the_threshold_is_called_human() -> None:
    assert machines.yes_no(np.array([0.5, 0.4999]), np.array([True, False])).hits == 1


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=30))
@settings(max_examples=40, deadline=None)
def test_auc_is_the_share_of_pairs_that_are_in_order(rows: list[tuple[int, bool]]) -> None:
    scores, human = np.array([row[0] for row in rows], dtype=float), np.array([row[1] for row in rows])
    if human.all() or not human.any():
        with pytest.raises(NotEstimable, match="one kind has no value"):
            machines.auc(scores, human)
        return
    pairs = [(a > b) + (a == b) / 2 for a in scores[human] for b in scores[~human]]
    assert machines.auc(scores, human) == pytest.approx(float(np.mean(pairs)))
    assert machines.auc(-scores, human) == pytest.approx(1 - machines.auc(scores, human))


def crowd(noise: float, raters: int = 40, voices: int = 8) -> tuple[Array, Array, Array]:
    """Return the scores of raters who each hear every voice three times."""
    rater = np.repeat(np.arange(raters), voices * 3)
    voice = np.tile(np.repeat(np.arange(voices), 3), raters)
    return voice / voices + rng().normal(0, noise, len(voice)), rater, voice


def test_raters_of_one_mind_have_a_ceiling_of_0_and_raters_of_none_one_half() -> None:
    alike = machines.split_half(*crowd(0.0), rng())
    assert (alike.distance, alike.low, alike.high, alike.raters, alike.splits) == (0, 0, 0, 40, 200)
    scores, rater, voice = crowd(1.0)
    unrelated = machines.split_half(scores - voice / 8, rater, voice, rng())
    assert unrelated.distance == pytest.approx(0.5, abs=0.08)


def test_the_ceiling_is_a_mean_over_halvings_and_noise_raises_it() -> None:
    little, much = (machines.split_half(*crowd(noise), rng()) for noise in (0.5, 3.0))
    assert 0 < little.distance < much.distance < 0.5
    assert much.low <= much.distance <= much.high


def test_of_four_raters_every_halving_is_one_of_three() -> None:
    # 0 and 1 rank up, 2 and 3 rank down: either halves of one mind (distance 1), or mixed ones (all tied: ½).
    scores = np.array([0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0])
    found = machines.split_half(scores, np.repeat(np.arange(4), 2), np.tile([0, 1], 4), rng(), splits=3000)
    assert found.distance == pytest.approx(1 / 3 * 1 + 2 / 3 * 0.5, abs=0.02)


@pytest.mark.parametrize(
    ("rater", "voice", "why"),
    [
        ([0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1], "four"),
        ([0, 1, 2, 3], [0, 0, 0, 0], "two"),
        ([0, 1, 2, 3], [0, 1, 2, 3], "both halves"),
    ],
)
def test_a_ceiling_that_cannot_be_had_says_why(rater: list[int], voice: list[int], why: str) -> None:
    with pytest.raises(NotEstimable, match=why):
        machines.split_half(np.zeros(len(rater)), np.array(rater), np.array(voice), rng())


def test_pearson_and_spearman_of_anscombes_second_set() -> None:
    x = np.array([10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5], dtype=float)
    y = np.array([9.14, 8.14, 8.74, 8.77, 9.26, 8.10, 6.13, 3.10, 9.13, 7.26, 4.74])
    found = machines.correlate(x, y)
    assert found.pearson == pytest.approx(0.816, abs=5e-4)
    assert found.spearman == pytest.approx(0.6909, abs=5e-5)
    assert found.n == 11


def test_a_correlation_of_two_pairs_or_of_equal_values_is_refused() -> None:
    with pytest.raises(NotEstimable, match="three pairs"):
        machines.correlate(np.arange(2.0), np.arange(2.0))
    with pytest.raises(NotEstimable, match="the same"):
        machines.correlate(np.arange(5.0), np.ones(5))


def test_disagreement_is_the_difference_of_places_whatever_the_scales() -> None:
    machine, people = np.array([1.0, 2.0, 3.0, 30.0, 5.0]), np.array([0.9, 0.1, 0.2, 0.3, 0.4])
    found = machines.disagreement(machine, people)
    assert found.tolist() == [-1.0, 0.25, 0.25, 0.5, 0.0]
    assert machines.disagreement(machine**3, people).tolist() == found.tolist()


def test_a_calibration_of_systems_that_rise_together_passes_through_them() -> None:
    machine, human = np.array([0.1, 0.3, 0.5, 0.7, 0.9]), np.array([0.05, 0.2, 0.3, 0.6, 0.8])
    found = machines.calibrate(machine, human)
    assert found.expect(machine) == pytest.approx(human)
    assert found.expect(np.array([0.0, 0.4, 1.0])) == pytest.approx([0.05, 0.25, 0.8])
    # Each from its neighbours: half-way inside, the neighbour's level at the ends.
    assert found.left_out == pytest.approx([0.2, 0.175, 0.4, 0.55, 0.6])
    assert found.error == pytest.approx(np.mean([0.15, 0.025, 0.1, 0.05, 0.2]))
    assert found.reach == pytest.approx(0.2)
    assert found.level == pytest.approx(5 / 6)


def test_a_machine_that_runs_against_people_is_calibrated_to_their_mean() -> None:
    found = machines.calibrate(np.arange(6.0), np.arange(6.0)[::-1].copy())
    assert found.expect(np.array([0.0, 5.0])) == pytest.approx([2.5, 2.5])


def test_systems_with_one_machine_score_share_one_expectation() -> None:
    found = machines.calibrate(np.array([1.0, 1, 1, 2, 2]), np.array([0.1, 0.2, 0.3, 0.6, 0.8]))
    assert found.expect(np.array([1.0, 2.0])) == pytest.approx([0.2, 0.7])


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=5, max_size=12))
@settings(max_examples=30, deadline=None)
def test_expectations_never_fall_nor_leave_what_was_seen(pairs: list[tuple[float, float]]) -> None:
    machine, human = np.array(pairs).T
    expected = machines.calibrate(machine, human).expect(np.linspace(-1, 2, 50))
    assert (np.diff(expected) >= -1e-12).all()
    assert human.min() - 1e-12 <= expected.min() <= expected.max() <= human.max() + 1e-12


def test_four_systems_are_too_few_to_calibrate() -> None:
    with pytest.raises(NotEstimable, match="5 systems"):
        machines.calibrate(np.arange(4.0), np.arange(4.0))


def test_drift_is_the_paired_t_interval_of_the_sleep_data() -> None:
    # Student's ten patients (1908): mean difference 1.58, 95 % interval .7001 to 2.4599.
    first = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
    second = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
    found = machines.paired_drift(first, second)
    assert [found.mean, found.low, found.high] == pytest.approx([1.58, 0.7001, 2.4599], abs=5e-5)
    assert (found.rose, found.fell, found.n) == (9, 0, 10)
    with pytest.raises(NotEstimable):
        machines.paired_drift(first[:1], second[:1])
