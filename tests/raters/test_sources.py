"""Who arrives, and where they are sent back to."""

from __future__ import annotations

import pytest

from core.errors import Invalid, NotFound
from raters import sources
from raters.sources.base import Arrival, completion_code
from studies.presets.definition import Crowd

GOOD = {"PROLIFIC_PID": "5f0c", "STUDY_ID": "st-1", "SESSION_ID": "se_1"}
prolific = sources.get("prolific")


def refusal(**changes: str) -> Invalid:
    with pytest.raises(Invalid) as caught:
        prolific.parse({**GOOD, **changes})
    return caught.value


def test_a_prolific_link_tells_person_study_and_session() -> None:
    assert prolific.parse(GOOD) == Arrival("prolific", "5f0c", "st-1", "se_1")


@pytest.mark.parametrize("name", ["prolific_pid", "Prolific_Pid", "pid", "PID", "participant_label"])
def test_other_names_of_the_person_are_understood(name: str) -> None:
    assert prolific.parse({name: "5f0c", "study_id": "st-1", "Session_ID": "se_1"}).person == "5f0c"


def test_a_missing_id_is_named() -> None:
    error = refusal(SESSION_ID="  ")
    assert error.code == "missing_parameter"
    assert list(error.problems) == ["SESSION_ID"]


@pytest.mark.parametrize("value", ["{{%PROLIFIC_PID%}}", "%7B%7B%25PROLIFIC_PID%25%7D%7D", "{{%prolific_pid%}}"])
def test_a_placeholder_left_in_is_an_error_of_the_set_up(value: str) -> None:
    error = refusal(PROLIFIC_PID=value)
    assert error.code == "placeholder"
    assert list(error.problems) == ["PROLIFIC_PID"]


def test_a_placeholder_outweighs_what_else_is_wrong() -> None:
    assert refusal(PROLIFIC_PID="{{%PROLIFIC_PID%}}", STUDY_ID="").code == "placeholder"


@pytest.mark.parametrize("value", ["a b", "a/b", "é", "<script>", "a" * 129, "a\n"])
def test_an_id_of_another_form_is_refused(value: str) -> None:
    if value == "a\n":
        assert prolific.parse({**GOOD, "STUDY_ID": value}).study == "a"
    else:
        assert refusal(STUDY_ID=value).code == "bad_id"


def test_the_ids_of_a_preview_are_taken() -> None:
    assert prolific.parse({**GOOD, "SESSION_ID": "035orbpf1pk3"}).session == "035orbpf1pk3"


def test_the_link_for_the_researcher_carries_the_placeholders_as_they_stand() -> None:
    assert prolific.link("https://listen.example.org", "voices") == (
        "https://listen.example.org/s/voices/"
        "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )


def test_the_code_is_encoded_into_the_way_back() -> None:
    assert prolific.leave(Crowd(), "complete", "A&b/c=1") == (
        "https://app.prolific.com/submissions/complete?cc=A%26b%2Fc%3D1"
    )


def test_without_a_code_there_is_no_way_back_that_needs_one() -> None:
    assert prolific.leave(Crowd(), "complete", "") is None
    assert prolific.leave(Crowd(return_url="https://example.org/bye"), "complete", "") == "https://example.org/bye"
    assert prolific.leave(Crowd(return_url=""), "complete", "C1") is None


def test_a_way_back_is_https_whatever_the_definition_says() -> None:
    unchecked = Crowd.model_construct(return_url="javascript:alert(1)//{code}")
    assert prolific.leave(unchecked, "complete", "C1") is None


def test_each_outcome_has_its_own_code() -> None:
    crowd = Crowd(completion_code="DONE", declined_code="NO", withdrawn_code="LEFT")
    codes = [completion_code(crowd, outcome) for outcome in ("complete", "declined", "withdrawn", "")]
    assert codes == ["DONE", "NO", "LEFT", ""]


def test_sources_are_found_by_their_files() -> None:
    assert ("prolific", "Prolific") in sources.choices()
    with pytest.raises(NotFound, match="known are prolific"):
        sources.get("nowhere")
