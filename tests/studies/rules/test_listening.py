"""The floor below which no answer is taken."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from studies.rules.listening import ClipPlayback, wait

BEGAN = datetime(2026, 3, 2, tzinfo=UTC)


def after(seconds: float) -> datetime:
    return BEGAN + timedelta(seconds=seconds)


@pytest.mark.parametrize(("elapsed", "left"), [(0, 4.75), (4.7, 0.05), (4.75, None), (60, None)])
def test_one_clip_needs_its_duration_less_a_quarter_second(elapsed: float, left: float | None) -> None:
    early = wait([ClipPlayback(5.0, True, BEGAN)], after(elapsed))
    assert (early and early.seconds) == (None if left is None else pytest.approx(left))


def test_several_clips_need_the_sum_of_their_durations_from_the_first_play() -> None:
    clips = [ClipPlayback(5.0, True, after(2)), ClipPlayback(3.0, True, BEGAN)]
    assert wait(clips, after(7.8)) is None
    early = wait(clips, after(7.0))
    assert early is not None
    assert early.seconds == pytest.approx(0.75)


@pytest.mark.parametrize("clip", [ClipPlayback(5.0, False, BEGAN), ClipPlayback(5.0, True, None)])
def test_a_clip_that_was_not_sent_or_not_played_is_never_enough(clip: ClipPlayback) -> None:
    early = wait([ClipPlayback(1.0, True, BEGAN), clip], after(3600))
    assert early is not None
    assert early.code == "not_played"
