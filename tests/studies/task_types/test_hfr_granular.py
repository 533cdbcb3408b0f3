"""Human or Machine, and what gave a machine away."""

from __future__ import annotations

from itertools import pairwise, product
from random import Random
from typing import Any

import pytest
from django.template.loader import get_template
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Invalid
from studies.task_types.base import ClipFact, ItemContent, Listener, PlacedClip, Presentation
from studies.task_types.hfr_granular import GRACE, MARKER_NAMES, MARKERS, Answer, HfrGranular, Params

KIND = HfrGranular()
SHOWN = Presentation()
SECONDS = 3.0
TIMED = Presentation(private={"seconds": SECONDS})
MOMENTS = Params(moments=True)
KEYS = [
    "voice_quality",
    "unnatural_pitch",
    "flat",
    "inappropriate_emotion",
    "mispronunciations",
    "skipped_repeated_words",
    "unnatural_pauses",
    "digital_artifacts",
    "no_human_quirks",
]

labels = st.sampled_from(["human", "machine"])
markers = st.lists(st.sampled_from(KEYS), max_size=9)
moments = st.dictionaries(st.sampled_from(KEYS), st.floats(0, 600))
answers = st.fixed_dictionaries({"label": labels, "markers": markers, "moments": moments}).map(KIND.answer)


def problems(params: Params, shown: Presentation = SHOWN, **answer: Any) -> dict[str, str]:
    return KIND.problems(params, shown, KIND.answer(answer))


@pytest.mark.parametrize("moment", ["1.5", True, None, [1]])
def test_a_moment_is_a_number(moment: object) -> None:
    with pytest.raises(Invalid) as refused:
        KIND.answer({"label": "machine", "markers": ["flat"], "moments": {"flat": moment}})
    assert list(refused.value.problems) == ["moments.flat"]


@pytest.mark.parametrize("moment", [1, 1.5])
def test_a_moment_may_be_a_whole_second(moment: float) -> None:
    answer = KIND.answer({"label": "machine", "markers": ["flat"], "moments": {"flat": moment}})
    assert answer.moments == {"flat": moment}


def test_the_nine_markers_stand_in_the_order_of_the_papers_form() -> None:
    assert list(MARKERS) == KEYS == list(MARKER_NAMES)


@given(answers)
def test_rows_hold_one_label_then_markers_of_a_machine_in_their_order(answer: Answer) -> None:
    label, *rest = KIND.rows(MOMENTS, TIMED, answer)
    assert (label.part, label.code) == ("label", answer.label)
    assert [row.code for row in rest] == (
        [key for key in KEYS if key in answer.markers] if answer.label == "machine" else []
    )
    moments = {str(key): moment for key, moment in answer.moments.items()}
    assert all((row.part, row.place, row.value) == ("marker", 0, moments.get(row.code)) for row in rest)


@given(answers, st.booleans(), st.booleans())
def test_what_may_be_stored_has_markers_with_machine_alone_and_moments_with_markers_alone(
    answer: Answer, is_required: bool, has_moments: bool
) -> None:
    params = Params(markers_required=is_required, moments=has_moments)
    is_right = (not answer.markers if answer.label == "human" else bool(answer.markers) or not is_required) and (
        all(key in answer.markers and moment <= SECONDS + GRACE for key, moment in answer.moments.items())
        if has_moments
        else not answer.moments
    )
    assert (KIND.problems(params, TIMED, answer) == {}) is is_right


def test_machine_needs_a_marker_unless_the_study_says_otherwise() -> None:
    assert problems(Params(), label="machine") == {"markers": "Please choose at least one."}
    assert problems(Params(markers_required=False), label="machine") == {}
    assert problems(Params(), label="human") == {}


def test_a_marker_with_human_is_refused_beside_the_markers() -> None:
    assert list(problems(Params(), label="human", markers=["flat"])) == ["markers"]


@pytest.mark.parametrize(
    ("params", "moments", "message"),
    [
        (Params(), {"flat": 1.0}, "asks for no moments"),
        (MOMENTS, {"unnatural_pitch": 1.0}, "belongs to a chosen marker"),
        (MOMENTS, {"flat": SECONDS + 1}, "behind the end"),
    ],
)
def test_a_moment_that_cannot_be_is_refused(params: Params, moments: dict[str, float], message: str) -> None:
    found = problems(params, TIMED, label="machine", markers=["flat"], moments=moments)
    assert list(found) == ["moments"]
    assert message in found["moments"]


@pytest.mark.parametrize(
    "sent",
    [{"markers": ["too_loud"]}, {"moments": {"flat": -1}}, {"moments": {"flat": float("nan")}}, {"moments": {"x": 1}}],
)
def test_unknown_markers_and_impossible_times_are_refused_by_their_field(sent: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as refused:
        KIND.answer({"label": "machine", **sent})
    assert next(iter(refused.value.problems)).split(".")[0] in sent


def test_a_marker_ticked_twice_counts_once() -> None:
    rows = KIND.rows(Params(), SHOWN, KIND.answer({"label": "machine", "markers": ["flat", "flat"]}))
    assert [row.code for row in rows] == ["machine", "flat"]


def test_the_label_alone_decides_a_trap() -> None:
    for role, label in product(("trap_flawed", "trap_human"), ("human", "machine")):
        rows = KIND.rows(Params(), SHOWN, KIND.answer({"label": label, "markers": ["flat"]}))
        assert KIND.passes(Params(), role, rows) is (
            (role, label) in {("trap_flawed", "machine"), ("trap_human", "human")}
        )


def test_the_template_offers_every_marker_by_its_name_in_order() -> None:
    page = get_template("task_types/hfr_granular.html").render({"params": Params(), "texts": {}})
    places = [page.index(f'value="{key}"') for key in KEYS]
    assert all(before < after for before, after in pairwise(places))
    for key, place in zip(KEYS, places, strict=True):
        assert MARKER_NAMES[key] in page[place : place + 150]


@pytest.mark.parametrize(
    ("field", "part"), [("moments", "data-here"), ("show_text", "data-sentence"), ("ask_reason", "textarea")]
)
def test_the_template_offers_nothing_that_the_study_has_switched_off(field: str, part: str) -> None:
    template = get_template("task_types/hfr_granular.html")
    assert part not in template.render({"params": Params()})
    assert part in template.render({"params": Params(**{field: True})})


def test_each_order_of_labels_meets_each_order_of_markers() -> None:
    params = Params(option_order="counterbalanced", marker_order="counterbalanced")
    shown = [KIND.draw(params, ItemContent(rater=rater), Random(1)).public for rater in range(4)]
    assert {(public["options"][0], public["markers"][0]) for public in shown} == set(
        product(("human", "machine"), ("voice_quality", "no_human_quirks"))
    )


def test_the_sentence_is_shown_only_where_the_study_says_so() -> None:
    item = ItemContent((PlacedClip("alpha", "test", "Printing, in the only sense", SECONDS),))
    assert "text" not in KIND.draw(Params(), item, Random(1)).public
    assert KIND.draw(Params(show_text=True), item, Random(1)).public["text"] == "Printing, in the only sense"


def test_where_sentences_are_shown_a_clip_without_one_is_refused_since_it_would_stand_out() -> None:
    clips = [ClipFact(1, "alpha", "test", "one"), ClipFact(2, "broken", "trap_flawed", "")]
    clips += [ClipFact(3, "broken", "trap_flawed", "two", is_worded=False)]
    assert KIND.layout(Params(), clips).problems == ()
    assert [trouble.clip for trouble in KIND.layout(Params(show_text=True), clips).problems] == [2, 3]


def simulated(params: Params, *, is_careful: bool = True, count: int = 400) -> list[Answer]:
    rng = Random(3)
    return [KIND.simulate(params, TIMED, Listener((0.4,), is_careful), rng) for _ in range(count)]


def test_simulated_listeners_mark_machines_alone_and_digital_voices_most() -> None:
    found = simulated(Params())
    assert all(bool(answer.markers) is (answer.label == "machine") for answer in found)
    counts = {key: sum(key in answer.markers for answer in found) for key in KEYS}
    assert max(counts, key=lambda key: counts[key]) == "voice_quality"
    assert all(counts.values())


def test_the_careless_mark_one_thing_and_are_done() -> None:
    assert {len(answer.markers) for answer in simulated(Params(), is_careful=False)} == {0, 1}


def test_simulated_moments_lie_within_the_clip() -> None:
    found = simulated(MOMENTS)
    assert all(KIND.problems(MOMENTS, TIMED, answer) == {} for answer in found)
    assert any(answer.moments for answer in found)
