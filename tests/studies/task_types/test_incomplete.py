"""Incomplete designs: each system meets one other per text, and all meet about equally often."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from studies.task_types import get
from studies.task_types._comparison import Params
from studies.task_types._pairs import incomplete
from studies.task_types.base import ClipFact


def named(count: int) -> list[str]:
    return [f"s{number:02}" for number in range(count)]


def is_connected(systems: list[str], pairs: set[tuple[str, str]]) -> bool:
    reached = {systems[0]}
    for _ in systems:
        reached |= {system for pair in pairs if reached & set(pair) for system in pair}
    return reached == set(systems)


@pytest.mark.parametrize("systems", [2, 3, 4, 5, 6, 7, 9, 10, 12, 21])
@pytest.mark.parametrize("texts", [1, 2, 5, 40])
def test_meetings_differ_by_at_most_one_and_all_systems_are_connected(systems: int, texts: int) -> None:
    names = named(systems)
    chosen = incomplete([names] * texts, names)
    met = Counter(pair for pairs in chosen for pair in pairs)
    times = [met[pair] for pair in combinations(names, 2)]
    assert sum(times) == sum(met.values())
    assert max(times) - min(times) <= 1
    assert is_connected(names, set(met))
    if texts > 1:
        assert {len(pairs) for pairs in chosen} == {systems // 2}
        assert all(len(set(sum(pairs, ()))) == 2 * len(pairs) for pairs in chosen)


def test_texts_that_lack_systems_connect_as_many_as_they_can() -> None:
    names = named(4)
    chosen = incomplete([names[:2], names[1:3], names[2:], names[:2]], names)
    assert is_connected(names, {pair for pairs in chosen for pair in pairs})
    apart = incomplete([names[:2], names[2:]], names)
    assert {pair for pairs in apart for pair in pairs} == {("s00", "s01"), ("s02", "s03")}


def test_only_a_clip_without_any_partner_is_warned_about() -> None:
    names = named(3)
    clips = [
        ClipFact(10 * text + place, name, "test", f"t{text}") for text in range(3) for place, name in enumerate(names)
    ]
    layout = get("compare").layout(Params(pairs="incomplete"), [*clips, ClipFact(99, "s00", "test", "alone")])
    assert len(layout.items) == 3
    assert [trouble.clip for trouble in layout.warnings] == [99]


def test_the_setting_forms_one_pair_per_system_and_text_and_turns_sides() -> None:
    names = named(4)
    clips = [
        ClipFact(10 * text + place, name, "test", f"t{text}") for text in range(12) for place, name in enumerate(names)
    ]
    plans = get("compare").layout(Params(pairs="incomplete"), clips).items
    assert len(plans) == 12 * 2
    met = Counter(tuple(clip % 10 for clip in plan.clips) for plan in plans)
    assert set(met.values()) == {2}
    assert len(met) == 12
