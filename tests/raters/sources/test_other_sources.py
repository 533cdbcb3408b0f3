"""Sources beside Prolific: what their links say, and where their people go back to."""

from __future__ import annotations

import pytest

from core.errors import Invalid
from raters import sources
from raters.sources.base import RaterArrival
from studies.definition.settings.crowd import Crowd
from tests.raters.knocking import FRESH, knock

template, mturk, anybody = (sources.get(name) for name in ("template", "mturk", "open"))
CONNECT = Crowd(
    source="template",
    person_parameter="participantId",
    study_parameter="projectId",
    session_parameter="assignmentId",
    return_url="https://connect.example.org/participant/project/{study}/complete?code={code}",
    completion_code="C-1",
)
SONA = Crowd(
    source="template",
    session_parameter="survey_code",
    return_url="https://school.example.org/webstudy_credit.aspx?experiment_id=1&survey_code={session}",
)
TURK = {"workerId": "W1", "hitId": "H1", "assignmentId": "A1", "turkSubmitTo": "https://workersandbox.mturk.com/"}


def test_a_template_reads_the_parameters_that_the_study_names() -> None:
    given = {"ParticipantID": "p", "projectid": "s", "assignmentId": "a", "PROLIFIC_PID": "x"}
    assert template.parse(knock(given, CONNECT)) == RaterArrival("template", "p", "s", "a")
    assert template.link("https://b.example", "voices", CONNECT) == (
        "https://b.example/s/voices/?participantId=PERSON&projectId=STUDY&assignmentId=SESSION"
    )


def test_a_platform_that_tells_sessions_alone_makes_each_one_a_person_of_this_study() -> None:
    assert template.parse(knock({"survey_code": "23456"}, SONA)) == RaterArrival(
        "template", "voices-23456", "voices", "23456"
    )


@pytest.mark.parametrize("value", ["SESSION", "%SURVEY_CODE%"])
def test_a_link_in_which_no_placeholder_was_put_is_nobody_s(value: str) -> None:
    with pytest.raises(Invalid) as caught:
        template.parse(knock({"survey_code": value}, SONA))
    assert (caught.value.code, list(caught.value.problems)) == ("placeholder", ["survey_code"])


def test_a_template_s_people_go_back_by_the_study_s_own_address() -> None:
    back = template.return_address(CONNECT, RaterArrival("template", "p", "s/1", "a"), "complete", payable=True)
    assert back == "https://connect.example.org/participant/project/s%2F1/complete?code=C-1"
    school = RaterArrival("template", "x", "voices", "23456")
    assert str(template.return_address(SONA, school, "complete", payable=True)).endswith("&survey_code=23456")
    assert template.return_address(SONA, school, "withdrawn", payable=False) is None


def test_one_name_for_two_parameters_is_pointed_out() -> None:
    twice = CONNECT.model_copy(update={"study_parameter": "PARTICIPANTID"})
    assert [len(list(template.problems(crowd))) for crowd in (CONNECT, twice)] == [0, 1]


@pytest.mark.parametrize("name", ["a b", "1st", "x=y", "a" * 65])
def test_a_parameter_s_name_is_plain(name: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        Crowd(session_parameter=name)


def test_a_task_that_nobody_has_accepted_shows_what_it_is_about() -> None:
    door = mturk.entry_page(knock({"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "H1"}))
    assert door is not None
    assert (door.context["accepted"], door.opens) == (False, False)


def test_an_accepted_task_opens_a_window_and_waits_for_the_code() -> None:
    door = mturk.entry_page(knock(TURK))
    assert door is not None
    assert door.context["window"] == "?workerId=W1&hitId=H1&assignmentId=A1&window=1"
    assert door.context["submit_to"] == "https://workersandbox.mturk.com/mturk/externalSubmit"
    assert mturk.entry_page(knock({**TURK, "window": "1"})) is None
    assert mturk.parse(knock({**TURK, "window": "1"})) == RaterArrival("mturk", "W1", "H1", "A1", passed_on=True)


@pytest.mark.parametrize(
    "site", ["https://evil.example", "http://www.mturk.com", "https://www.mturk.com.evil.example", ""]
)
def test_a_code_is_handed_in_at_mechanical_turk_alone(site: str) -> None:
    door = mturk.entry_page(knock({**TURK, "turkSubmitTo": site}))
    assert door is not None
    assert door.context["submit_to"] == ""


def test_nobody_of_mechanical_turk_is_sent_anywhere() -> None:
    assert mturk.return_address(CONNECT, RaterArrival("mturk", "W1", "H1", "A1"), "complete", payable=True) is None


@pytest.mark.parametrize(
    ("browser", "once", "name"),
    [("", True, FRESH), ("known", True, "known"), ("known", False, FRESH), ("", False, FRESH)],
)
def test_an_open_link_knows_people_by_their_browsers(browser: str, once: bool, name: str) -> None:
    found = anybody.parse(knock({}, Crowd(one_per_browser=once), browser=browser))
    assert found == RaterArrival("open", f"voices-{name}", "voices", name, proof="anonymous")


def test_a_preview_can_t_be_the_source_of_a_study() -> None:
    assert "preview" not in [source.name for source in sources.offered()]
    with pytest.raises(Invalid):
        sources.get("preview").parse(knock({}))
