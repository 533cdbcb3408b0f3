"""Differences between systems: paired by text, gathered, and silent while an interval reaches into the threshold."""

from __future__ import annotations

import random

import pytest
from scipy import stats

from studies.audit.comparing import Difference, Interval, SystemClip, differences, interval, source_differences


def clips(**by_system: list[float]) -> list[SystemClip]:
    """Return clips of systems that share their texts."""
    return [
        SystemClip(system, f"t{place}", {"loudness": value})
        for system, values in by_system.items()
        for place, value in enumerate(values)
    ]


def found(rows: list[SystemClip], threshold: float = 1.0) -> list[Difference]:
    return list(differences(rows, {"loudness": threshold}))


def test_shared_texts_are_paired_and_the_interval_is_students() -> None:
    one, other = [3.0, 5.0, 9.0, 4.0], [1.0, 2.0, 7.0, 3.0]
    by = interval(dict(zip("abcd", one, strict=True)), dict(zip("abcd", other, strict=True)))
    expected = stats.ttest_rel(one, other).confidence_interval()
    assert by == Interval(2.0, pytest.approx(expected.low), pytest.approx(expected.high), 4)


def test_without_shared_texts_the_interval_is_welchs() -> None:
    one, other = [3.0, 5.0, 9.0, 4.0], [1.0, 2.0, 7.0]
    by = interval(dict(zip("abcd", one, strict=True)), dict(zip("xyz", other, strict=True)))
    expected = stats.ttest_ind(one, other, equal_var=False).confidence_interval()
    assert by is not None
    assert (by.low, by.high, by.texts) == (pytest.approx(expected.low), pytest.approx(expected.high), 0)


def test_a_difference_that_texts_share_is_found_although_texts_differ_more() -> None:
    rng = random.Random(1)
    base = [rng.gauss(0, 10) for _text in range(12)]
    [finding] = found(clips(alpha=[value + 1.5 + rng.gauss(0, 0.1) for value in base], beta=base))
    assert (finding.more, finding.less, finding.by.texts) == (("alpha",), ("beta",), 12)
    assert finding.by.mean == pytest.approx(1.5, abs=0.1)
    # The same values without their texts differ too much among themselves.
    rows = [
        SystemClip(clip.system, "", clip.values) for clip in clips(alpha=[value + 1.5 for value in base], beta=base)
    ]
    assert found(rows) == []


def test_nothing_is_found_while_the_interval_reaches_into_the_threshold() -> None:
    assert found(clips(alpha=[0.2, 1.4, 2.6], beta=[0.0, 0.0, 0.0])) == []
    assert found(clips(alpha=[1.0, 1.0, 1.0], beta=[0.0, 0.0, 0.0])) == []
    assert len(found(clips(alpha=[1.1, 1.1, 1.1], beta=[0.0, 0.0, 0.0]))) == 1


def test_one_system_that_differs_from_all_others_makes_one_finding() -> None:
    rows = clips(human=[5.0, 5.1, 5.2], alpha=[0.0, 0.1, 0.0], beta=[0.1, 0.0, 0.1], gamma=[0.0, 0.0, 0.1])
    [finding] = found(rows)
    assert (finding.more, finding.less) == (("human",), ("alpha", "beta", "gamma"))
    assert finding.by.mean == pytest.approx(5.1 - 0.4 / 9)
    [opposite] = found([SystemClip(clip.system, clip.text, {"loudness": -clip.values["loudness"]}) for clip in rows])
    assert (opposite.more, opposite.less) == (("alpha", "beta", "gamma"), ("human",))


def test_three_steps_make_two_findings() -> None:
    rows = clips(human=[0.0] * 3, alpha=[2.0] * 3, beta=[4.0] * 3)
    sides = [(finding.more, finding.less) for finding in found(rows)]
    assert sides == [(("alpha", "beta"), ("human",)), (("beta",), ("alpha",))]


def test_two_systems_above_two_others_make_one_finding() -> None:
    rows = clips(alpha=[0.0] * 3, beta=[0.0] * 3, gamma=[5.0] * 3, human=[5.0] * 3)
    assert [(finding.more, finding.less) for finding in found(rows)] == [(("gamma", "human"), ("alpha", "beta"))]


def test_two_systems_make_one_finding() -> None:
    assert len(found(clips(alpha=[0.0] * 4, beta=[3.0] * 4))) == 1


def test_a_measure_that_a_clip_does_not_have_is_left_out() -> None:
    rows = [*clips(alpha=[9.0, 9.0, 9.0], beta=[0.0, 0.0, 0.0]), SystemClip("beta", "t9", {})]
    [finding] = found(rows)
    assert finding.by.texts == 3


def test_two_clips_are_too_few_for_an_interval() -> None:
    assert found(clips(alpha=[9.0, 9.0], beta=[0.0, 0.0])) == []


def test_sources_that_differ_are_named_with_their_systems() -> None:
    facts = {
        "sample_rate": {"human": {"44100"}, "alpha": {"16000"}, "beta": {"16000"}, "gamma": set()},
        "channels": {"human": {"1"}, "alpha": {"1"}},
    }
    [finding] = source_differences(facts)
    assert finding.fact == "sample_rate"
    assert finding.groups == ((("44100",), ("human",)), (("16000",), ("alpha", "beta")))
