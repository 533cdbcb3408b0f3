"""Who arrives, and where they are sent back to: what all crowd sources have in common, and Prolific's ids."""

from __future__ import annotations

from datetime import datetime

import pytest

from core.errors import Invalid, NotFound
from raters import sources
from raters.people import links
from raters.sessions import launch_checks
from raters.sources.base import RaterArrival
from studies.definition.settings.crowd import CODES, Crowd
from tests.raters.knocking import knock
from tests.world import make_study

GOOD = {"PROLIFIC_PID": "5f0c", "STUDY_ID": "st-1", "SESSION_ID": "se_1"}
prolific = sources.get("prolific")
SOMEBODY = RaterArrival("prolific", "5f0c", "st-1", "se_1")


def refusal(**changes: str) -> Invalid:
    with pytest.raises(Invalid) as caught:
        prolific.parse(knock({**GOOD, **changes}))
    return caught.value


def way_back(crowd: Crowd, outcome: str = "complete", payable: bool | None = True) -> str | None:
    return prolific.return_address(crowd, SOMEBODY, outcome, payable=payable)


def test_a_prolific_link_tells_person_study_and_session() -> None:
    assert prolific.parse(knock(GOOD)) == SOMEBODY


@pytest.mark.parametrize("name", ["prolific_pid", "Prolific_Pid", "pid", "PID", "participant_label"])
def test_other_names_of_the_person_are_understood(name: str) -> None:
    assert prolific.parse(knock({name: "5f0c", "study_id": "st-1", "Session_ID": "se_1"})) == SOMEBODY


def test_a_missing_id_is_named() -> None:
    error = refusal(SESSION_ID="  ")
    assert error.code == "missing_parameter"
    assert list(error.problems) == ["SESSION_ID"]


@pytest.mark.parametrize(
    "value",
    [
        "{{%PROLIFIC_PID%}}",
        "%7B%7B%25PROLIFIC_PID%25%7D%7D",
        "{{%prolific_pid%}}",
        "%SURVEY_CODE%",
        "${workerId}",
        "{{MW_ID}}",
    ],
)
def test_a_placeholder_left_in_is_an_error_of_the_set_up(value: str) -> None:
    error = refusal(PROLIFIC_PID=value)
    assert error.code == "placeholder"
    assert list(error.problems) == ["PROLIFIC_PID"]


def test_a_placeholder_outweighs_what_else_is_wrong() -> None:
    assert refusal(PROLIFIC_PID="{{%PROLIFIC_PID%}}", STUDY_ID="").code == "placeholder"


@pytest.mark.parametrize("value", ["a b", "a/b", "é", "<script>", "a" * 129, "a\x00", "5%"])
def test_an_id_of_another_form_is_refused(value: str) -> None:
    assert refusal(STUDY_ID=value).code == "bad_id"


def test_white_space_around_an_id_is_no_part_of_it() -> None:
    assert prolific.parse(knock({**GOOD, "STUDY_ID": " st-1\n"})) == SOMEBODY


@pytest.mark.parametrize("session", ["035orbpf1pk3", "a1b2c3d4e5f6"])
def test_the_made_up_session_of_prolific_s_preview_is_a_test_run_of_nobody(session: str) -> None:
    found = prolific.parse(knock({**GOOD, "SESSION_ID": session}))
    assert (found.preview, found.person, found.session) == (True, f"preview-{session}", session)


@pytest.mark.parametrize(
    "session", ["60d9aadeb86739de712faee0", "se_1", "012345678901", "abcdefghijkl", "035orbpf1pk", "035orbpf1pk34"]
)
def test_any_other_session_counts_whatever_its_form(session: str) -> None:
    assert not prolific.parse(knock({**GOOD, "SESSION_ID": session})).preview


def test_the_link_for_the_researcher_carries_the_placeholders_as_they_stand() -> None:
    assert prolific.link("https://listen.example.org", "voices", Crowd()) == (
        "https://listen.example.org/s/voices/"
        "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )


def test_the_code_is_encoded_into_the_way_back() -> None:
    assert way_back(Crowd(completion_code="A&b/c=1")) == (
        "https://app.prolific.com/submissions/complete?cc=A%26b%2Fc%3D1"
    )


def test_without_a_code_there_is_no_way_back_that_needs_one() -> None:
    assert way_back(Crowd()) is None
    assert way_back(Crowd(return_url="https://example.org/bye")) == "https://example.org/bye"
    assert way_back(Crowd(return_url="", completion_code="C1")) is None


@pytest.mark.parametrize(("payable", "is_led"), [(True, True), (None, False), (False, False)])
def test_an_address_that_credits_whoever_comes_is_for_those_alone_who_are_owed_it(
    payable: bool | None, is_led: bool
) -> None:
    crowd = Crowd(return_url="https://school.example.org/credit?survey_code={session}")
    expected = "https://school.example.org/credit?survey_code=se_1" if is_led else None
    assert way_back(crowd, "withdrawn", payable) == expected


def test_the_way_back_holds_the_platform_s_ids_and_the_outcome() -> None:
    crowd = Crowd(return_url="https://example.org/{study}/{session}?who={person}&how={outcome}")
    assert way_back(crowd, "withdrawn", False) == "https://example.org/st-1/se_1?who=5f0c&how=withdrawn"


def test_a_way_back_is_https_whatever_the_definition_says() -> None:
    unchecked = Crowd.model_construct(
        **{**Crowd().model_dump(), "return_url": "javascript:alert(1)//{code}", "completion_code": "C1"}
    )
    assert way_back(unchecked) is None


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/{code}",
        "//example.org/{code}",
        "https://{study}.example.org/",
        "https://{code}@example.org/",
        "https://somebody@example.org/",
        "https://example.org/{next}",
        "https://example.org/{code",
    ],
)
def test_the_host_of_the_way_back_is_fixed_by_the_researcher(url: str) -> None:
    with pytest.raises(ValueError, match=r"write|filled in"):
        Crowd(return_url=url)


def test_each_outcome_has_its_own_code() -> None:
    crowd = Crowd(**{name: f"{name}-1" for name in CODES.values()})
    codes = [crowd.code(outcome) for outcome in CODES]
    assert codes == [f"{name}-1" for name in CODES.values()]
    assert len(set(codes)) == len(CODES) == 9
    assert crowd.code("") == ""


def test_sources_are_found_by_their_files() -> None:
    names = [source.name for source in sources.offered()]
    assert names == sorted(names)
    assert {"invite", "mturk", "open", "prolific", "template"} <= set(names)
    assert "preview" not in names
    with pytest.raises(NotFound, match=f"known are {', '.join(names)}"):
        sources.get("nowhere")


def test_every_source_says_what_to_do_with_its_link() -> None:
    for source in sources.offered():
        assert str(source.label)
        assert str(source.advice)
        assert source.link("https://listen.example.org", "voices", Crowd()).startswith(
            "https://listen.example.org/s/voices/"
        )


def test_a_return_url_of_another_platform_is_pointed_out() -> None:
    def problems(name: str, url: str) -> int:
        source, crowd = sources.get(name), Crowd(return_url=url)
        return len([*source.problems(crowd), *launch_checks.foreign_return(source, crowd)])

    prolifics = Crowd().return_url
    assert [problems(name, prolifics) for name in ("prolific", "template", "open", "invite")] == [0, 1, 1, 1]
    # Nobody is led anywhere from there.
    assert problems("mturk", prolifics) == 0
    assert [problems(name, "") for name in ("prolific", "template", "open", "invite")] == [0, 0, 0, 0]
    assert problems("prolific", "https://example.org/") == 1


def test_the_usual_return_url_is_that_of_the_usual_source() -> None:
    assert Crowd().return_url == sources.get(Crowd().source).return_url


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("source", "launched", "codes"), [("open", 1, 2), ("prolific", 1, 1), ("prolific", 0, 0), ("open", 0, 1)]
)
def test_a_link_can_be_copied_and_has_a_qr_code_where_it_works_as_it_is(
    now: datetime, source: str, launched: int, codes: int
) -> None:
    """A platform's link holds places for its ids, which a phone can't fill in; the way to try a study out has none."""
    panel = links.panel(make_study(now=now, crowd__source=source, launch=bool(launched)))
    assert panel.count("<svg") == codes
    assert ("QR code of the link" in panel) == (source == "open")
    assert ("to try it out on a phone" in panel) == bool(launched)
    assert 'data-copy="rater-link"' in panel


@pytest.mark.django_db
def test_the_panel_of_links_says_which_completion_codes_to_create(now: datetime) -> None:
    study = make_study(now=now, crowd__source="prolific", crowd__completion_code="C0DE-1")
    assert set(prolific.code_advice) == set(CODES)
    assert "<code>C0DE-1</code></td><td>COMPLETED; review by hand, or approve automatically</td>" in links.panel(study)
    other = make_study(now=now, crowd__source="open")
    assert "Completion codes to create" not in links.panel(other)
