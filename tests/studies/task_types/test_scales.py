"""Several scales for one clip: their points, order, answers, rows, and what is heard with the clip."""

from __future__ import annotations

import json
from collections import Counter
from random import Random
from statistics import fmean
from typing import Any

import pytest

from core.errors import Invalid
from studies.definition import presets
from studies.task_types import get
from studies.task_types._scales import Scale, shuffled
from studies.task_types.base import AnyTaskType, ClipFact, ItemContent, Listener, PlacedClip, Presentation
from studies.task_types.scales import Params

QUALITY = ("Excellent", "Good", "Fair", "Poor", "Bad")
CLIP = ItemContent((PlacedClip("alpha", "test"),))


def of_preset(name: str) -> tuple[AnyTaskType, Any]:
    definition = presets.get(name).definition
    return definition.kind, definition.params


def draw(name: str, rater: int = 1) -> Presentation:
    kind, params = of_preset(name)
    return kind.draw(params, ItemContent(CLIP.clips, rater=rater), Random(1))


def orders(params: Params, raters: int) -> list[list[str]]:
    return [params.ordered(rater) for rater in range(1000, 1000 + raters)]


def scale(**changes: Any) -> Scale:
    return Scale.model_validate({"name": "MOS", "question": "How good?", "labels": QUALITY, **changes})


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({}, "5 · Excellent|4 · Good|3 · Fair|2 · Poor|1 · Bad"),
        ({"first": "low", "labels": ("Bad", "Excellent")}, "1 · Bad|2|3|4|5 · Excellent"),
        ({"high": 9}, "9 · Excellent|8|7 · Good|6|5 · Fair|4|3 · Poor|2|1 · Bad"),
        ({"step": 0.5}, "5 · Excellent|4.5|4 · Good|3.5|3 · Fair|2.5|2 · Poor|1.5|1 · Bad"),
        ({"low": 0, "high": 1, "labels": ("Yes", "No"), "codes": ("yes", "no")}, "Yes|No"),
        ({"answer": "category", "labels": ("Red", "Blue")}, "Red|Blue"),
        ({"low": -1, "high": 1, "labels": ()}, "1|0|-1"),
    ],
)
def test_labels_name_every_point_the_ends_or_points_evenly_between(changes: dict[str, Any], shown: str) -> None:
    assert "|".join(answer.shown for answer in scale(**changes).answers) == shown


def test_a_slider_in_tenths_has_all_its_points() -> None:
    answers = scale(answer="slider", step=0.1).answers
    assert len(answers) == 41
    assert [answer.code for answer in answers[:3]] == ["1", "1.1", "1.2"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"step": 0.3}, "steps"),
        ({"high": 1}, "steps"),
        ({"high": 100}, "more than 21 points"),
        ({"answer": "slider", "high": 200}, "more than 101 points"),
        ({"labels": ("Bad", "Fair", "Good", "Excellent")}, "label for each point"),
        ({"labels": ("Only",)}, "label for each point"),
        ({"codes": ("a", "b")}, "different code"),
        ({"answer": "category", "labels": ()}, "two categories"),
        ({"answer": "text"}, "no labels"),
        ({"name": "2 words"}, "name"),
    ],
)
def test_a_scale_whose_points_labels_or_codes_do_not_fit_is_refused(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(Invalid) as refused:
        get("scales").params({"scales": [{**scale().model_dump(), **changes}]})
    [(field, message)] = refused.value.problems.items()
    assert reason in f"{field} {message}"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ({"scales": [scale().model_dump(), scale(name="mos").model_dump()]}, "two scales"),
        ({"scales": [scale(answer="text", labels=()).model_dump()]}, "points, a slider or a transcript"),
        ({"main": "Effort"}, "Effort"),
        ({"scales": []}, "points, a slider or a transcript"),
    ],
)
def test_a_list_of_scales_without_a_result_of_its_own_is_refused(raw: dict[str, Any], reason: str) -> None:
    with pytest.raises(Invalid) as refused:
        get("scales").params(raw)
    assert reason in "".join(refused.value.problems.values())


def test_half_of_the_raters_of_p835_hear_speech_first_and_all_judge_the_whole_last() -> None:
    found = Counter(tuple(order) for order in orders(of_preset("p835")[1], 100))
    assert found == {("sig", "bak", "ovrl"): 50, ("bak", "sig", "ovrl"): 50}


def test_a_rater_has_the_same_order_in_all_trials_and_it_is_stored() -> None:
    kind, params = of_preset("p835")
    shown = [kind.draw(params, ItemContent(CLIP.clips, rater=8, item=item), Random(item)) for item in range(20)]
    assert {tuple(each.public["scales"]) for each in shown} == {tuple(params.ordered(8))}
    assert shown[0].stored()["public"] == {"scales": params.ordered(8)}


def test_of_many_scales_each_is_first_equally_often() -> None:
    found = Counter(shuffled("abcde", rater)[0] for rater in range(1000, 1100))
    assert found == dict.fromkeys("abcde", 20)
    assert len({tuple(shuffled("abcde", rater)) for rater in range(1000, 1100)}) > 50


def test_the_noisiness_of_p804_is_before_or_after_the_four_that_are_shuffled() -> None:
    found = orders(of_preset("p804")[1], 200)
    assert Counter(order.index("noisiness") for order in found) == {0: 100, 4: 100}
    assert {tuple(order[5:]) for order in found} == {("sig", "ovrl")}
    between = Counter(order[1] if order[0] == "noisiness" else order[0] for order in found)
    assert all(between[part] == 50 for part in ("loudness", "reverb", "discontinuity", "coloration"))


def test_a_fixed_order_is_that_of_the_list() -> None:
    params = Params.model_validate({"order": "fixed"})
    assert {tuple(order) for order in orders(params, 10)} == {("naturalness", "intelligibility")}


def test_an_answer_gives_a_row_for_each_scale_in_the_order_shown() -> None:
    kind, params = of_preset("p835")
    shown = draw("p835", rater=3)
    answer = kind.answer({"answers": {"ovrl": "2", "sig": "5", "bak": "1"}})
    assert kind.problems(params, shown, answer) == {}
    rows = kind.rows(params, shown, answer)
    assert [row.part for row in rows] == shown.public["scales"]
    assert {(row.part, row.code, row.value, row.place) for row in rows} == {
        ("sig", "5", 5.0, 0),
        ("bak", "1", 1.0, 0),
        ("ovrl", "2", 2.0, 0),
    }


@pytest.mark.parametrize(
    ("answers", "wrong"),
    [
        ({"sig": "5", "bak": "4"}, "answers.ovrl"),
        ({"sig": "6", "bak": "4", "ovrl": "3"}, "answers.sig"),
        ({"sig": "4.5", "bak": "4", "ovrl": "3"}, "answers.sig"),
        ({"sig": "5", "bak": "4", "ovrl": ""}, "answers.ovrl"),
        ({"sig": "5", "bak": "4", "ovrl": "3", "noise": "1"}, "answers.noise"),
    ],
)
def test_an_answer_that_lacks_a_scale_or_leaves_its_points_is_refused(answers: dict[str, str], wrong: str) -> None:
    kind, params = of_preset("p835")
    assert list(kind.problems(params, draw("p835"), kind.answer({"answers": answers}))) == [wrong]


def test_text_is_kept_as_a_note_and_a_category_has_no_number() -> None:
    raw = {
        "scales": [
            scale().model_dump(),
            {"name": "Emotion", "question": "Which emotion?", "answer": "category", "labels": ["Joy", "Fear"]},
            {"name": "Words", "question": "What did you hear?", "answer": "text"},
        ],
        "order": "fixed",
    }
    kind = get("scales").of(raw)
    params = kind.params(raw)
    answer = kind.answer({"answers": {"mos": "4", "emotion": "2", "words": "A cat sat."}})
    shown = kind.draw(params, CLIP, Random(1))
    assert [(row.part, row.code, row.value, row.note) for row in kind.rows(params, shown, answer)] == [
        ("mos", "4", 4.0, ""),
        ("emotion", "2", None, ""),
        ("words", "text", None, "A cat sat."),
    ]
    assert kind.score.part == "mos"
    assert [outcome.part for outcome in kind.outcomes] == ["mos"]
    assert set(kind.columns) == {"mos", "emotion", "words", "check"}


SEVERAL = {
    "name": "Artefacts",
    "question": "What do you hear?",
    "answer": "several",
    "labels": ["Clicks", "Buzz", "Echo"],
}


def with_several(**changes: Any) -> tuple[AnyTaskType, Any]:
    raw = {"scales": [scale().model_dump(), {**SEVERAL, **changes}], "order": "fixed"}
    kind = get("scales").of(raw)
    return kind, kind.params(raw)


@pytest.mark.parametrize(
    ("given", "codes"),
    [(["3", "1"], ["1", "3"]), (["none"], ["none"]), (["2"], ["2"])],
)
def test_several_choices_have_a_row_each_in_the_order_of_the_list(given: list[str], codes: list[str]) -> None:
    kind, params = with_several()
    answer = kind.answer({"answers": {"mos": "4", "artefacts": given}})
    shown = kind.draw(params, CLIP, Random(1))
    assert kind.problems(params, shown, answer) == {}
    rows = kind.rows(params, shown, answer)
    assert [(row.part, row.code, row.value) for row in rows] == [
        ("mos", "4", 4.0),
        *(("artefacts", code, 1.0) for code in codes),
    ]
    assert [(each.part, dict(each.labels)) for each in kind.several] == [
        ("artefacts", {"1": "Clicks", "2": "Buzz", "3": "Echo", "none": "None of these"})
    ]
    assert [outcome.part for outcome in kind.outcomes] == ["mos"]


@pytest.mark.parametrize("given", [[], ["4"], ["none", "1"], ["1", "1"], "1", ""])
def test_no_choice_unknown_ones_and_none_of_these_with_another_are_refused(given: Any) -> None:
    kind, params = with_several()
    answer = kind.answer({"answers": {"mos": "4", "artefacts": given}})
    assert list(kind.problems(params, kind.draw(params, CLIP, Random(1)), answer)) == ["answers.artefacts"]


def test_several_choices_are_no_answer_to_a_scale_with_points() -> None:
    kind, params = with_several()
    answer = kind.answer({"answers": {"mos": ["4"], "artefacts": ["1"]}})
    assert list(kind.problems(params, kind.draw(params, CLIP, Random(1)), answer)) == ["answers.mos"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [({"labels": ["Clicks"]}, "two categories"), ({"codes": ["a", "b", "none"]}, "none"), ({"codes": ["a"]}, "code")],
)
def test_several_choices_that_do_not_fit_are_refused(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(Invalid) as refused:
        with_several(**changes)[0].params({"scales": [scale().model_dump(), {**SEVERAL, **changes}]})
    assert reason in "".join(refused.value.problems.values())


def test_the_main_scale_is_the_last_one_or_the_one_that_is_named() -> None:
    raw = presets.get("p835").definition.task
    assert get("scales").of(raw).score.name == "OVRL"
    assert get("scales").of({**raw, "main": "sig"}).score.name == "SIG"
    assert [outcome.name for outcome in get("scales").of(raw).outcomes] == ["SIG", "BAK", "OVRL"]
    assert of_preset("smos")[0].score.name == "SMOS"
    detection = of_preset("detection")[0].score
    assert (detection.unit, dict(detection.codes)) == ("%", {"human": "Human", "machine": "Machine"})


@pytest.mark.parametrize("preset", ["p835", "smos", "naturalness", "acr-half", "dcr", "p804", "acr-9", "detection"])
def test_simulated_listeners_score_what_sounds_better_higher_on_every_scale(preset: str) -> None:
    kind, params = of_preset(preset)
    shown = draw(preset)
    of_clip = len(shown.order) - 1 if shown.order else 0
    scores: dict[float, dict[str, float]] = {}
    for chance in (0.2, 0.8):
        chances = tuple(chance if place == of_clip else 0.5 for place in range(of_clip + 1))
        answers = [kind.simulate(params, shown, Listener(chances), Random(seed)) for seed in range(60)]
        rows = [row for answer in answers for row in kind.rows(params, shown, answer)]
        scores[chance] = {
            outcome.part: fmean(row.value for row in rows if row.part == outcome.part and row.value is not None)
            for outcome in kind.outcomes
        }
    assert all(scores[0.2][part] < scores[0.8][part] for part in scores[0.2])


TRAP_CLIPS = [
    ClipFact(1, "alpha", "test", "one"),
    ClipFact(2, "checks", "trap_flawed", expected="2"),
    ClipFact(3, "human", "trap_human", expected="4.."),
]


def given(role: str, expected: str, point: str) -> bool:
    """Return whether this point of MOS passes a trap; the other scale always gets 1."""
    raw = {"scales": [scale(name="Other").model_dump(), scale().model_dump()]}
    kind = get("scales").of(raw)
    params = kind.params(raw)
    shown = kind.draw(params, ItemContent((PlacedClip("x", role, expected=expected),)), Random(1))
    assert shown.public == kind.draw(params, CLIP, Random(1)).public
    return kind.passes(params, role, kind.rows(params, shown, kind.answer({"answers": {"mos": point, "other": "1"}})))


@pytest.mark.parametrize(
    ("role", "expected", "points"),
    [
        ("trap_flawed", "2", "2"),
        ("trap_flawed", "4..", "45"),
        ("trap_human", "..2", "12"),
        ("trap_human", "2..3", "23"),
        # Without an expected answer, the ends of the scale.
        ("trap_human", "", "45"),
        ("trap_flawed", "", "12"),
    ],
)
def test_a_trap_expects_a_point_or_a_range_of_the_main_scale(role: str, expected: str, points: str) -> None:
    assert "".join(point for point in "12345" if given(role, expected, point)) == points


def test_the_rows_of_a_trap_say_whether_the_expected_answer_was_given_and_those_of_a_test_do_not() -> None:
    kind, params = of_preset("acr-half")
    for role, rows in (("trap_flawed", [("mos", "4.5"), ("check", "wrong")]), ("test", [("mos", "4.5")])):
        shown = kind.draw(params, ItemContent((PlacedClip("x", role, expected="2"),)), Random(1))
        answered = kind.rows(params, shown, kind.answer({"answers": {"mos": "4.5"}}))
        assert [(row.part, row.code) for row in answered] == rows


def test_traps_are_items_unless_each_clip_is_heard_with_another() -> None:
    kind, params = of_preset("acr-half")
    assert [item.role for item in kind.layout(params, TRAP_CLIPS).items] == ["test", "trap_flawed", "trap_human"]
    assert kind.traps
    assert not of_preset("dcr")[0].traps


def test_a_trap_whose_expected_answer_is_no_point_of_the_scale_is_named() -> None:
    kind, params = of_preset("acr-half")
    layout = kind.layout(params, [*TRAP_CLIPS, ClipFact(4, "checks", "trap_flawed", expected="7")])
    assert [(trouble.clip, "MOS" in trouble.reason) for trouble in layout.problems] == [(4, True)]


def test_a_guesser_passes_a_trap_as_often_as_answers_do() -> None:
    kind, _params = of_preset("p835")
    assert (kind.guessed("trap_human"), kind.guessed("trap_flawed")) == (2 / 5, 2 / 5)
    assert of_preset("acr-half")[0].guessed("trap_human") == 3 / 9


def test_a_page_for_each_scale_takes_a_play_for_each() -> None:
    assert get("scales").plays(of_preset("p835")[1]) == 3
    assert get("scales").plays(of_preset("p804")[1]) == 1


CLIPS = [
    ClipFact(1, "alpha", "test", "one", voice="anna"),
    ClipFact(2, "beta", "test", "one", voice="anna", prompt=9),
    ClipFact(3, "human", "test", "one", voice="anna"),
    ClipFact(8, "human", "prompt", "two", voice="anna"),
    ClipFact(9, "human", "prompt", "three", voice="anna"),
    ClipFact(10, "human", "reference", "one"),
]


def pairs(reference: str, clips: list[ClipFact]) -> list[tuple[int, ...]]:
    params = Params.model_validate({"reference": reference})
    layout = get("scales").layout(params, clips)
    assert layout.problems == ()
    return [item.clips for item in layout.items]


def test_a_clip_is_heard_after_the_reference_of_its_text_and_the_row_is_about_the_clip() -> None:
    assert pairs("first", CLIPS) == [(1, 10), (2, 10), (3, 10)]
    assert pairs("beside", CLIPS[:3]) == [(1, 3), (2, 3)]
    kind, params = of_preset("dcr")
    shown = kind.draw(params, ItemContent((PlacedClip("alpha", "test"), PlacedClip("human", "reference"))), Random(1))
    assert shown.order == (1, 0)
    assert kind.rows(params, shown, kind.answer({"answers": {"dmos": "4"}}))[0].place == 1


def test_the_target_speaker_is_the_clip_of_prompt_file_or_the_prompt_of_the_same_voice() -> None:
    assert pairs("prompt", CLIPS[:4] + CLIPS[4:5]) == [(1, 9), (2, 9), (3, 9)]
    assert pairs("prompt", [*CLIPS[:3], CLIPS[4], CLIPS[3]]) == [(1, 8), (2, 9), (3, 8)]


@pytest.mark.parametrize(
    ("clips", "reason"),
    [
        ([ClipFact(1, "alpha", "test", "one", voice="anna")], "no recording of the target speaker"),
        ([CLIPS[1], ClipFact(9, "human", "prompt", "one")], "same sentence"),
    ],
)
def test_a_clip_without_a_target_speaker_who_says_another_sentence_is_named(clips: list[ClipFact], reason: str) -> None:
    layout = get("scales").layout(Params(reference="prompt"), clips)
    [trouble] = layout.problems
    assert trouble.clip == clips[0].clip
    assert reason in trouble.reason


def test_a_clip_without_a_reference_is_named() -> None:
    [trouble] = get("scales").layout(Params(reference="first"), CLIPS[:1]).problems
    assert "no reference" in trouble.reason


def test_a_translation_changes_words_alone_and_needs_all_of_them() -> None:
    kind, params = of_preset("smos")
    own = kind.texts(params)["scales"]
    other = kind.with_texts(params.model_dump(mode="json"), {"scales": [f"{text}!" for text in own]})
    translated = kind.params(other)
    assert kind.texts(translated)["scales"] == tuple(f"{text}!" for text in own)
    assert [each.answers[0].code for each in translated.scales] == [each.answers[0].code for each in params.scales]
    raw = params.model_dump(mode="json")
    assert kind.with_texts(raw, {"scales": own[:-1]}) == raw


def test_nothing_that_reaches_the_page_depends_on_the_system_or_the_role() -> None:
    kind, params = of_preset("smos")
    for system, role in (("alpha", "test"), ("human", "test")):
        item = ItemContent((PlacedClip(system, role, "A text."), PlacedClip("human", "prompt")), rater=4)
        assert json.dumps(kind.draw(params, item, Random(1)).public) == '{"scales": ["smos", "known"]}'
