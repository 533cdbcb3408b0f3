"""The scores under every choice of exclusion rules (rule D9)."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.multiverse import multiverse

SCORE = np.array([1.0, 0.0, 1.0, 0.0, 0.5])
GROUP = np.array([0, 0, 1, 1, 1])


def test_every_set_of_rules_is_a_world_with_its_numbers() -> None:
    rules = {"trap": np.array([False, True, False, False, False]), "fast": np.array([False, False, True, True, True])}
    worlds = {world.rules: world for world in multiverse(SCORE, GROUP, rules)}
    assert list(worlds) == [(), ("trap",), ("fast",), ("trap", "fast")]
    assert worlds[()].ratings.tolist() == [2, 3]
    assert worlds[()].scores == pytest.approx([0.5, 0.5])
    assert worlds["trap",].scores == pytest.approx([1.0, 0.5])
    both = worlds["trap", "fast"]
    assert both.ratings.tolist() == [1, 0]
    assert np.isnan(both.scores[1])
    assert both.order == (0,)


@pytest.mark.parametrize(("rules", "worlds"), [(0, 1), (1, 2), (8, 256), (9, 20), (12, 26)])
def test_beyond_eight_rules_each_is_tried_alone_and_left_out(rules: int, worlds: int) -> None:
    nobody = np.zeros(5, dtype=bool)
    found = multiverse(SCORE, GROUP, {f"rule {number}": nobody for number in range(rules)})
    assert len(found) == worlds
    assert found[0].rules == ()
    assert len(found[-1].rules) == rules
    assert all(world.ratings.sum() == 5 for world in found)
    assert len({world.rules for world in found}) == worlds


def test_no_ratings_make_worlds_without_groups() -> None:
    nothing = np.zeros(0)
    found = multiverse(nothing, nothing.astype(np.int64), {"trap": nothing.astype(bool)})
    assert [world.scores.tolist() for world in found] == [[], []]
