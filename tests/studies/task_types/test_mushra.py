"""MUSHRA: clips of one text beside each other."""

from __future__ import annotations

import json
from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Invalid
from studies.task_types.base import (
    AnswerRow,
    ClipFact,
    ItemContent,
    ItemLayout,
    Listener,
    PlacedClip,
    Presentation,
    Sheet,
)
from studies.task_types.mushra import CUTOFFS, Mushra, Params, band

KIND = Mushra()
ANCHORS = ("anchor 3.5 kHz", "anchor 7 kHz")
Place = tuple[str, str, str]
LOW: Place = ("low", "anchor", "t")


def facts(*places: Place, seconds: float = 2.0) -> list[ClipFact]:
    """Return clips of (system, role, text), numbered from 1."""
    return [ClipFact(n, system, role, text, "", seconds) for n, (system, role, text) in enumerate(places, start=1)]


def a_screen(text: str = "t", systems: tuple[str, ...] = ("alpha", "beta")) -> list[Place]:
    return [("human", "reference", text), *((system, "test", text) for system in systems)]


def laid_out(places: list[Place], **params: Any) -> ItemLayout:
    return KIND.layout(Params(**params), facts(*places))


def troubles(layout: ItemLayout) -> list[tuple[int | None, str]]:
    return [(trouble.clip, trouble.reason) for trouble in layout.problems]


def item_of(layout: ItemLayout, places: list[Place]) -> ItemContent:
    """Return the first item as `draw` meets it."""
    by_clip = dict(enumerate(places, start=1))
    return ItemContent(tuple(PlacedClip(*by_clip[clip][:2]) for clip in layout.items[0].clips))


def drawn(places: list[Place], seed: int = 1, **params: Any) -> tuple[Presentation, ItemContent]:
    item = item_of(laid_out(places, **params), places)
    shown = KIND.draw(Params(**params), item, Random(seed))
    return shown.model_copy(update={"clips": tuple(f"key{place}" for place in range(len(shown.order)))}), item


def test_one_system_a_screen_has_the_reference_twice_and_the_anchors_beside_each_system() -> None:
    places = [*a_screen("t"), ("anchor 3.5 kHz", "anchor", "t"), *a_screen("u"), ("anchor 3.5 kHz", "anchor", "u")]
    layout = laid_out(places, one_system=True, anchors=("3.5 kHz",))
    shown = [tuple(places[clip - 1][0] for clip in plan.clips) for plan in layout.items]
    assert shown == [("human", "human", "anchor 3.5 kHz", system) for _text in "tu" for system in ("alpha", "beta")]
    assert {plan.text for plan in layout.items} == {"t", "u"}
    assert layout.problems == ()


screens = st.fixed_dictionaries(
    {
        "systems": st.integers(1, 8),
        "anchors": st.sets(st.sampled_from(sorted(CUTOFFS))),
        "explicit": st.booleans(),
        "hidden": st.booleans(),
        "seed": st.integers(0, 10_000),
    }
)


@given(screens)
def test_each_clip_stands_at_one_place_and_the_reference_where_it_is_said_to_be(screen: dict[str, Any]) -> None:
    places = a_screen(systems=tuple(f"system {n}" for n in range(screen["systems"])))
    places += [(system, "anchor", "t") for system in ANCHORS]
    params = {
        "anchors": tuple(screen["anchors"]),
        "explicit_reference": screen["explicit"],
        "hidden_reference": screen["hidden"],
    }
    shown, item = drawn(places, screen["seed"], **params)
    assert sorted(shown.order) == list(range(len(item.clips)))
    assert len(item.clips) == screen["systems"] + len(screen["anchors"]) + screen["explicit"] + screen["hidden"]
    roles = [item.clips[place].role for place in shown.order]
    assert shown.public == {"has_reference": screen["explicit"], "clips": len(roles)}
    expected = [0] if screen["explicit"] else []
    if screen["hidden"]:
        assert shown.private["hidden"] >= screen["explicit"]
        expected.append(shown.private["hidden"])
    else:
        assert shown.private["hidden"] is None
    assert [place for place, role in enumerate(roles) if role == "reference"] == expected
    rated = [f"key{place}" for place in range(int(screen["explicit"]), len(roles))]
    answer = KIND.simulate(Params(**params), shown, Listener((0.5,) * len(roles)), Random(screen["seed"]))
    assert list(answer.ratings) == rated
    assert KIND.problems(Params(**params), shown, answer) == {}
    assert [row.place for row in KIND.rows(Params(**params), shown, answer)] == [int(key[3:]) for key in rated]


def test_every_clip_comes_to_every_place_about_equally_often_and_the_reference_stays_first() -> None:
    places = a_screen(systems=("alpha", "beta", "gamma"))
    orders = [drawn(places, seed)[0].order for seed in range(800)]
    assert {order[0] for order in orders} == {0}
    for place in range(1, 5):
        counts = Counter(order[place] for order in orders)
        assert set(counts) == {1, 2, 3, 4}
        assert all(140 < count < 260 for count in counts.values())


def test_what_a_browser_is_told_does_not_depend_on_the_order_drawn() -> None:
    assert len({json.dumps(drawn(a_screen(), seed)[0].public) for seed in range(20)}) == 1


def test_a_text_makes_one_screen_of_the_reference_twice_the_anchors_and_each_system() -> None:
    places = [*a_screen("one"), *a_screen("two"), *(("anchor 7 kHz", "anchor", text) for text in ("one", "two"))]
    layout = laid_out(places, anchors=("7 kHz",))
    assert not layout.problems
    assert [(item.clips, item.system, item.role, item.text) for item in layout.items] == [
        ((1, 1, 7, 2, 3), "", "test", "one"),
        ((4, 4, 8, 5, 6), "", "test", "two"),
    ]


def test_anchors_are_shown_when_wanted_and_a_researchers_own_always() -> None:
    places = [*a_screen(), ("anchor 7 kHz", "anchor", "t"), ("codec at 8 kbit/s", "anchor", "t")]
    assert laid_out(places).items[0].clips == (1, 1, 5, 2, 3)
    assert laid_out(places, anchors=("7 kHz",)).items[0].clips == (1, 1, 4, 5, 2, 3)
    assert KIND.anchors(Params(anchors=("7 kHz", "3.5 kHz"))) == (7000, 3500)


def test_without_references_the_systems_are_compared_with_each_other_alone() -> None:
    places: list[Place] = [("alpha", "test", "t"), ("beta", "test", "t")]
    layout = laid_out(places, explicit_reference=False, hidden_reference=False)
    assert not layout.problems
    assert layout.items[0].clips == (1, 2)


def test_a_text_with_only_a_reference_and_clips_of_other_roles_are_left_alone() -> None:
    places = [*a_screen(), ("human", "reference", "more"), ("human", "training", ""), ("broken", "trap_flawed", "")]
    layout = laid_out(places)
    assert not layout.problems
    assert len(layout.items) == 1


@pytest.mark.parametrize(
    ("places", "params", "clip", "words"),
    [
        ([*a_screen("one"), *a_screen("two", ("alpha",))], {}, 5, "“two” has no clip by beta"),
        ([("alpha", "test", "t")], {}, 1, "“t” has no clip of the role reference"),
        ([("alpha", "test", "t")], {"explicit_reference": False}, 1, "no clip of the role reference"),
        ([*a_screen(), ("human", "reference", "t")], {}, 4, "two references"),
        ([*a_screen(), ("alpha", "test", "t")], {}, 4, "two clips by alpha in one voice"),
        ([*a_screen(), ("anchor 7 kHz", "anchor", "t")], {"anchors": ("3.5 kHz", "7 kHz")}, 1, "no anchor at 3.5 kHz"),
        ([("alpha", "test", "")], {}, 1, "no text_id"),
    ],
)
def test_a_screen_that_lacks_something_is_refused_and_names_a_clip(
    places: list[Place], params: dict[str, Any], clip: int, words: str
) -> None:
    [(found, reason)] = troubles(laid_out(places, **params))
    assert found == clip
    assert words in reason


def test_two_voices_of_a_system_may_read_the_same_text() -> None:
    first, *others = facts(*a_screen(systems=("alpha", "alpha")))
    voices = [ClipFact(clip.clip, clip.system, clip.role, clip.text, voice=f"v{clip.clip}") for clip in others]
    assert not KIND.layout(Params(), [first, *voices]).problems


def test_switching_in_step_needs_durations_within_twenty_milliseconds() -> None:
    places = a_screen(systems=("alpha", "beta", "gamma"))
    seconds = (2.0, 2.02, 1.98, 2.021)
    clips = [
        ClipFact(n, *place, "", length) for n, (place, length) in enumerate(zip(places, seconds, strict=True), start=1)
    ]
    assert not KIND.layout(Params(), clips).problems
    [trouble] = KIND.layout(Params(switching="synchronous"), clips).problems
    assert trouble.clip == 4
    assert "2.02 s" in trouble.reason


def test_more_clips_than_a_listener_can_compare_are_worth_a_warning() -> None:
    systems = tuple(f"system {n}" for n in range(12))
    assert not laid_out([*a_screen(systems=systems[:10]), LOW]).warnings
    [warning] = laid_out([*a_screen(systems=systems[:11]), LOW]).warnings
    assert "13 clips to rate" in warning.reason


def test_screens_without_an_anchor_are_worth_a_warning() -> None:
    [warning] = laid_out(a_screen()).warnings
    assert "BS.1534" in warning.reason
    assert warning.clip is None
    assert not laid_out([*a_screen(), LOW]).warnings
    assert not laid_out([*a_screen(), ("anchor 3.5 kHz", "anchor", "t")], anchors=("3.5 kHz",)).warnings
    assert laid_out([*a_screen(), ("anchor 3.5 kHz", "anchor", "t")]).warnings


def test_after_a_change_of_settings_the_screens_made_before_are_shown_by_the_new_ones() -> None:
    places = a_screen()
    item = item_of(laid_out(places), places)
    alone = KIND.draw(Params(explicit_reference=False), item, Random(1))
    assert (len(alone.order), alone.public["has_reference"]) == (3, False)
    item = item_of(laid_out(places, explicit_reference=False), places)
    both = KIND.draw(Params(), item, Random(1))
    assert both.order[0] == 0
    assert sorted(both.order) == [0, 0, 1, 2]


@pytest.mark.parametrize("rating", [-1, 101, 50.5, "50", True, None])
def test_a_rating_is_a_whole_number_from_0_to_100(rating: Any) -> None:
    with pytest.raises(Invalid) as refused:
        KIND.answer({"ratings": {"key1": rating}})
    assert list(refused.value.problems) == ["ratings.key1"]


def test_every_clip_but_the_shown_reference_is_to_be_rated() -> None:
    shown, _item = drawn(a_screen())
    answer = KIND.answer({"ratings": {"key0": 100, "key1": 50, "key2": 0, "strange": 5}})
    assert KIND.problems(Params(), shown, answer) == {
        "ratings.key0": "There is no such clip to rate.",
        "ratings.strange": "There is no such clip to rate.",
        "ratings.key3": "Please move this slider.",
    }


@given(st.integers(0, 100))
def test_each_fifth_of_the_scale_has_its_name(rating: int) -> None:
    shown, _item = drawn(a_screen(systems=("alpha",)))
    answer = KIND.answer({"ratings": {"key1": rating, "key2": 100}})
    rows = KIND.rows(Params(), shown, answer)
    assert rows == [AnswerRow("rating", band(rating), float(rating), 1), AnswerRow("rating", "excellent", 100.0, 2)]
    names = ["bad"] * 20 + ["poor"] * 20 + ["fair"] * 20 + ["good"] * 20 + ["excellent"] * 21
    assert band(rating) == names[rating]


def sheets(*references: int) -> list[Sheet]:
    """Return screens on which the hidden reference, at place 2, got these ratings, and all else less."""
    shown = Presentation(public={"has_reference": True, "clips": 4}, private={"hidden": 2})
    return [
        Sheet(
            shown,
            tuple(
                AnswerRow("rating", band(value), float(value), place) for place, value in ((1, 5), (2, rating), (3, 40))
            ),
        )
        for rating in references
    ]


@pytest.mark.parametrize(
    ("references", "trusted"),
    [
        ((90, 95, 100), True),
        ((100,) * 17 + (89,) * 3, True),
        ((100,) * 16 + (89,) * 3, False),
        ((100,) * 5 + (89,), False),
        ((89,), False),
        ((), True),
    ],
)
def test_post_screening_leaves_out_who_rates_the_reference_below_90_in_more_than_15_percent(
    references: tuple[int, ...], trusted: bool
) -> None:
    assert KIND.trusts(Params(post_screening=True), sheets(*references)) is trusted
    assert KIND.trusts(Params(), sheets(*references)) is True
    assert KIND.rule == "hidden_reference"
    assert KIND.rule_ends_session is False


@given(st.lists(st.integers(0, 100), min_size=1), st.integers(0, 100), st.floats(0, 1))
def test_post_screening_keeps_to_its_settings(references: list[int], below: int, share: float) -> None:
    params = Params(post_screening=True, post_screen_below=below, post_screen_share=share)
    missed = sum(rating < below for rating in references)
    assert KIND.trusts(params, sheets(*references)) is (missed <= share * len(references))


def test_a_screen_without_a_hidden_reference_condemns_nobody() -> None:
    shown = Presentation(public={"has_reference": True, "clips": 3}, private={"hidden": None})
    sheet = Sheet(shown, (AnswerRow("rating", "bad", 5.0, 1), AnswerRow("rating", "bad", 5.0, 2)))
    assert KIND.trusts(Params(post_screening=True), [sheet] * 5)


def test_simulated_listeners_who_care_know_the_reference_again_and_rank_by_what_they_hear() -> None:
    shown, _item = drawn(a_screen(systems=("alpha", "beta", "gamma")))
    hidden = shown.private["hidden"]
    low, high, _ = [place for place in range(1, 5) if place != hidden]
    chances = [0.5] * 5
    chances[low], chances[high] = 0.1, 0.8
    careful = Listener(tuple(chances))
    answers = [KIND.simulate(Params(), shown, careful, Random(seed)).ratings for seed in range(100)]
    assert sum(answer[f"key{hidden}"] >= 90 for answer in answers) > 95
    assert sum(answer[f"key{low}"] < answer[f"key{high}"] for answer in answers) > 95
    careless = Listener(tuple(chances), is_careful=False)
    guesses = [KIND.simulate(Params(), shown, careless, Random(seed)).ratings[f"key{hidden}"] for seed in range(100)]
    assert min(guesses) < 20
    assert max(guesses) > 80
