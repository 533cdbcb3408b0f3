"""The launch page on first checks: what nobody could pass, and what would check nothing, is said in a sentence."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from core.errors import Invalid
from raters.sessions.launch_checks import check_attention, check_languages
from studies.launch import screening_checks
from studies.launch.states import tried
from studies.models import Study
from tests.raters.sessions.screening.listener import ALL, ATTENTION, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


def found(study: Study) -> dict[str, str]:
    """Return {message: level}."""
    return {finding.message: finding.level for finding in screening_checks.findings(study)}


def blocking(now: datetime, *, training: int = 4, **settings: Any) -> str:
    """Return what prevents the launch."""
    levels = found(make_study(now, training=training, launch=False, **settings))
    return " ".join(message for message, level in levels.items() if level == "blocking")


def test_a_study_without_checks_hears_nothing_of_them(now: datetime) -> None:
    assert found(make_study(now, launch=False)) == {}


def test_all_checks_together_can_be_launched(now: datetime) -> None:
    codes = {"crowd__screened_out_code": "OUT"}
    assert set(found(make_study(now, launch=False, **ALL, **codes)).values()) == {"note"}


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        ({"screening__training": "flag"}, "no clip has the role “training”"),
        ({"screening__comprehension": "flag"}, "switched on, but there are none"),
        (
            {
                "screening__comprehension": "flag",
                "screening__questions": ("How often? | Once | Twice", "Is it? | *Y | N"),
            },
            "“How often?” has no right answer",
        ),
        ({"screening__language": "flag"}, "none is accepted"),
        ({"screening__recheck_minutes": 30}, "nothing to check again"),
    ],
)
def test_what_nobody_could_pass_prevents_the_launch(now: datetime, chosen: dict[str, Any], sentence: str) -> None:
    assert sentence in blocking(now, training=0, **chosen)


def test_practice_that_can_never_be_passed_prevents_the_launch(now: datetime) -> None:
    settings = {"screening__training": "screen_out", "screening__training_clips": 2, "screening__training_right": 3}
    assert "3 right answers on 2 clips" in blocking(now, **settings)


def test_a_task_on_several_clips_cannot_be_practised(now: datetime) -> None:
    settings = {"screening__training": "flag", "protocol__flawed_traps": 0, "protocol__human_traps": 0}
    settings |= {"protocol__human_traps_right": 0}
    assert "has no practice" in blocking(now, task_type="cmos", **settings)


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        ({"screening__training": "flag", "screening__training_clips": 9}, "all of them are practised on"),
        ({"screening__headphones": "huggins"}, "without the volume check"),
        ({"screening__comprehension": "flag", "screening__questions": ("Is it? | *Yes | No",)}, "2 to 4 are usual"),
        ({"screening__language": "screen_out", "screening__languages": ("en",)}, "couldn’t be paid"),
    ],
)
def test_what_may_surprise_is_said(now: datetime, chosen: dict[str, Any], sentence: str) -> None:
    levels = found(make_study(now, launch=False, **chosen))
    assert [level for message, level in levels.items() if sentence in message] == ["warning"]


@pytest.mark.parametrize(
    ("changes", "field", "sentence"),
    [
        ({"screening.languages": ["English"]}, "screening.languages", "“English” is no language"),
        ({"screening.certificates": ["IELTS"]}, "screening.certificates", "needs the least score"),
        ({"screening.certificates": ["A | 1", "A | 2"]}, "screening.certificates", "“A” is there twice"),
        ({"screening.certificates": ["| 2"]}, "screening.certificates", "needs a name"),
        ({"screening.questions": ["Is it? | *Yes"]}, "screening.questions", "only one choice"),
        ({"screening.comprehension_tries": 1}, "screening.comprehension_tries", "greater than or equal to 2"),
    ],
)
def test_a_setting_that_cannot_be_read_is_told_at_its_field(
    now: datetime, changes: dict[str, Any], field: str, sentence: str
) -> None:
    study = make_study(now, launch=False)
    with pytest.raises(Invalid) as refused:
        tried(study=study, changes=changes)
    assert sentence in refused.value.problems[field]


def test_languages_and_certificates_are_read_as_written(now: datetime) -> None:
    changes = {"screening.languages": ["en", "nan | 台語"], "screening.certificates": ["IELTS listening | 7.5"]}
    screening = tried(study=make_study(now, launch=False), changes=changes).screening
    assert screening.accepted == {"en": "", "nan": "台語"}
    assert [(each.name, each.least) for each in screening.certified] == [("IELTS listening", 7.5)]


def test_a_first_language_that_is_offered_since_it_is_accepted_is_said(now: datetime) -> None:
    def said(*languages: str) -> list[str]:
        study = make_study(now, launch=False, screening__language="flag", screening__languages=languages)
        return [finding.message for finding in check_languages(study)]

    assert said("en", "zh") == []
    [warning] = said("en", "gsw | Schwiizerdütsch")
    assert "(gsw)" in warning


def test_attention_checks_that_nobody_or_not_everybody_would_meet_are_said(now: datetime) -> None:
    def said(sets: int, **settings: Any) -> dict[str, str]:
        asked = {"screening__attention": ATTENTION, "protocol__batches_per_session": sets, **settings}
        study = make_study(now, launch=False, **asked)
        return found(study) | {finding.message: finding.level for finding in check_attention(study)}

    assert said(3) == {}
    assert list(said(1).values()) == ["blocking"]
    few = said(2)
    assert "Only 1 of 2 attention checks" in " ".join(few)
    assert "only after 2 were failed" in " ".join(few)
    assert set(few.values()) == {"warning"}
    assert len(said(2, payment__minutes=4)) == 1


def test_a_statement_that_names_an_answer_of_the_scale_in_its_language_keeps_a_study_from_being_launched(
    now: datetime,
) -> None:
    lines = {"zh-hans": ("请选择“经常” | *经常 | 从不 | 有时", "请选择“非常同意”。")}
    translations = {language: {"questions": {"screening.attention": own}} for language, own in lines.items()}
    study = make_study(now, launch=False, screening__attention=ATTENTION, protocol__batches_per_session=3)
    study.draft = {**study.draft, "translations": translations}
    study.save()
    [finding] = check_attention(study)
    assert (finding.level, "names “非常同意”" in finding.message) == ("blocking", True)


def test_who_is_ended_by_attention_checks_needs_a_code(now: datetime) -> None:
    asked: dict[str, Any] = {"screening__attention": ATTENTION, "screening__attention_failed": "screen_out"}
    assert "no code for them" in " ".join(found(make_study(now, launch=False, **asked)))
    assert found(make_study(now, launch=False, **asked, crowd__failed_attention_code="INATT")) == {}
