"""Each check by itself: how it draws, and which answers are right."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from raters.sessions import screening
from raters.sessions.screening.base import StoredSound
from studies.clips.queries import TrainingClip
from studies.definition import presets
from studies.definition.definition import Definition
from studies.definition.parsing import change, parse

SETTINGS = {
    "languages": ["en", "nan | 台語"],
    "certificates": ["IELTS listening | 7.5"],
    "headphones": "both",
    "questions": ["One? | *a | b | c", "Two? | d | *e"],
    "comprehension": "flag",
    "training": "flag",
    "training_clips": 4,
}


def definition(**settings: Any) -> Definition:
    raw = presets.get("att").definition.model_dump(mode="json")
    given = {**SETTINGS, **settings}
    return parse(change(raw, {f"screening.{name}": value for name, value in given.items()}))


def draw(name: str, seed: int = 1, *, clips: list[TrainingClip] | None = None, short: bool = False) -> Any:
    return screening.get(name).draw(definition(), Random(seed), clips=clips or [], short=short)


def judged(name: str, step: dict[str, Any], form: dict[str, str]) -> bool:
    return bool(screening.get(name).answer(definition(), step, form)["right"])


DIGITS = {"counts": [4, 2, 3], "seed": 1}
CAN = {"audio": "yes", "width": "390"}


@pytest.mark.parametrize(
    ("form", "right"),
    [
        ({**CAN, "digits": "423"}, True),
        ({**CAN, "digits": " 4, 2 - 3"}, True),
        ({**CAN, "digits": "٤٢٣"}, True),
        ({**CAN, "digits": "432"}, False),
        ({**CAN, "digits": "423", "audio": "no"}, False),
        ({**CAN, "digits": "423", "width": "319"}, False),
        ({**CAN, "digits": "423", "width": "320"}, True),
        ({"digits": "423"}, False),
        ({**CAN, "digits": "423", "width": "wide"}, False),
    ],
)
def test_a_device_passes_by_what_was_heard_and_by_what_it_can(form: dict[str, str], right: bool) -> None:
    assert judged("device", DIGITS, form) is right


def test_beeps_are_drawn_anew_and_no_number_is_favoured() -> None:
    counts = Counter(count for seed in range(200) for count in draw("device", seed)[0]["counts"])
    assert set(counts) == {2, 3, 4, 5}
    assert min(counts.values()) > 100


@pytest.mark.parametrize(
    ("form", "right"),
    [
        ({"first": "en"}, True),
        ({"first": "nan"}, True),
        ({"first": "de"}, False),
        ({"first": "other"}, False),
        ({"first": "de", "certificate": "IELTS listening", "points": "7.5"}, True),
        ({"first": "de", "certificate": "IELTS listening", "points": "8,0"}, True),
        ({"first": "de", "certificate": "IELTS listening", "points": "7.4"}, False),
        ({"first": "de", "certificate": "TOEFL", "points": "120"}, False),
    ],
)
def test_a_first_language_or_a_certified_score_is_enough(form: dict[str, str], right: bool) -> None:
    assert judged("language", {}, form) is right


@pytest.mark.parametrize("points", ["", "nan", "inf", "seven"])
def test_a_score_must_be_a_number(points: str) -> None:
    form = {"first": "de", "certificate": "IELTS listening", "points": points}
    assert "points" in screening.get("language").problems(definition(), {}, form)


def test_the_list_of_languages_does_not_say_which_are_accepted() -> None:
    page = screening.get("language").page(definition(), {}, language="en", earlier=[])
    names = dict(page["languages"])
    assert len(names) > 30
    assert (names["nan"], names["en"], names["zh"]) == ("台語", "English", "中文")


@pytest.mark.parametrize("name", ["antiphase", "huggins"])
def test_a_headphone_test_has_six_trials_three_in_its_short_form_and_each_place_is_as_likely(name: str) -> None:
    assert (len(draw(name)), len(draw(name, short=True))) == (6, 3)
    places = Counter(step["target"] for seed in range(100) for step in draw(name, seed))
    assert set(places) == {0, 1, 2}
    assert min(places.values()) > 150


@pytest.mark.parametrize(
    ("name", "right", "of", "passed"),
    [
        ("antiphase", 4, 6, False),
        ("antiphase", 5, 6, True),
        ("huggins", 5, 6, False),
        ("huggins", 6, 6, True),
        ("antiphase", 2, 3, False),
        ("antiphase", 3, 3, True),
    ],
)
def test_the_numbers_that_pass_are_the_published_ones(name: str, right: int, of: int, passed: bool) -> None:
    answers = [{"right": number < right} for number in range(of)]
    score = screening.get(name).score(definition(), answers)
    assert (score.right, score.of, score.passed) == (right, of, passed)


def test_choices_are_shuffled_and_only_the_starred_one_is_right() -> None:
    check = screening.get("comprehension")
    firsts = Counter(tuple(draw("comprehension", seed)[0]["orders"][0]) for seed in range(120))
    assert len(firsts) == 6
    step = {"orders": [[2, 0, 1], [1, 0]]}
    page = check.page(definition(), step, language="en", earlier=[])
    assert [question["choices"] for question in page["questions"]] == [["c", "a", "b"], ["e", "d"]]
    assert "right" not in str(page)
    assert judged("comprehension", step, {"question0": "1", "question1": "0"})
    half = check.answer(definition(), step, {"question0": "1", "question1": "1"})
    assert (half["chosen"], half["marks"]) == ([0, 0], [True, False])
    score = check.score(definition(), [half])
    assert (score.right, score.of, score.passed) == (1, 2, False)
    again = check.page(definition(), step, language="en", earlier=[half])
    assert [question["was_wrong"] for question in again["questions"]] == [False, True]


def clip(number: int, system: str) -> TrainingClip:
    return TrainingClip(number, system, "What is said.", 1.23456, f"renditions/{number}", 1000)


def test_practice_has_people_and_machines_in_equal_number_as_far_as_there_are_both() -> None:
    both = [clip(number, "human" if number < 5 else "alpha") for number in range(10)]
    for seed in range(10):
        assert sum(step["human"] for step in draw("training", seed, clips=both)) == 2
    few = [clip(0, "human"), *(clip(number, "alpha") for number in range(1, 6))]
    steps = draw("training", clips=few)
    assert (len(steps), sum(step["human"] for step in steps)) == (4, 1)
    assert len(draw("training", clips=few[:2])) == 2
    assert draw("training", clips=[]) == []


def test_a_practice_page_tells_nothing_of_the_clip_but_its_length() -> None:
    step = {**draw("training", clips=[clip(7, "alpha")])[0], "key": "k"}
    check = screening.get("training")
    page = check.page(definition(), step, language="en", earlier=[])
    assert page["trial"]["seconds"] == 1.24
    assert "alpha" not in str(page["trial"])
    assert "human" not in {*page["trial"], *map(str, page["trial"].values())} - {str(page["trial"]["shown"])}
    assert check.sound(definition(), step) == StoredSound("renditions/7", 1000)


def test_checks_between_batches_are_volume_and_one_headphone_test() -> None:
    assert [check.name for check in screening.rechecks_of(definition(volume=True))] == ["volume", "antiphase"]
    assert [check.name for check in screening.rechecks_of(definition(headphones="huggins"))] == ["huggins"]
    assert screening.rechecks_of(definition(headphones="none")) == []
