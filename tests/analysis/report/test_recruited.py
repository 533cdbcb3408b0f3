"""The methods text and its tables on who was recruited, and on what raters said about themselves."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.report import document
from analysis.sections.participants import description
from analysis.sections.parts import paragraph
from analysis.sections.results import load
from studies.definition.settings.recruitment import HFR, Recruitment
from tests.analysis.report.results import results
from tests.analysis.report.test_document import definition, text_of

ABOUT = {
    "gender": {"skipped": 3, "woman": 20, "man": 15, "non_binary": 2},
    "age": {"25-34": 20, "18-24": 5, "65+": 12, "not_said": 3},
    "languages": {"en": 30, "cy|en": 6, "es": 1, "fr": 1, "de": 1, "yue": 2},
    "device": {"over_ear": 2, "in_ear": 1},
}


def told() -> dict[str, Any]:
    found = results()
    return {**found, "participants": {**found["participants"], "about": ABOUT}}


def test_the_filters_of_the_hfr_paper_are_its_presets_and_are_printed() -> None:
    text = text_of(document.html(load(results()), definition("hfr"), []))
    assert (
        "These prescreeners were set: born in United States; living in United States; first language English; age 18 "
        "to 60 years; acceptance rate at least 99 %; headphones asked for."
    ) in text
    assert "[state the prescreeners, or none]" not in text
    assert "Raters lived in United States. " in text
    assert definition("hfr").recruitment == definition("hfr-granular").recruitment == HFR


def test_what_was_not_recorded_stays_a_blank() -> None:
    text = text_of(document.html(load(results()), definition(), []))
    assert "[state the prescreeners, or none]" in text
    assert "[state them or that they were not asked]" in text
    assert "Who was recruited" not in text


def test_what_raters_said_of_themselves_is_counted_in_the_text() -> None:
    text = text_of(document.html(load(told()), definition(), []))
    assert (
        "They reported these first languages: English (30), Welsh and English (6), all others (5). They reported these "
        "ages in years: 18-24 (5), 25-34 (20), 65+ (12), preferred not to say (3). They reported these genders: woman "
        "(20), man (15), all others (5). What they listened with is not reported: fewer than 5 raters answered."
    ) in text


def test_filters_and_answers_are_tables_of_the_part_on_participants() -> None:
    part = next(part for part in document.parts(load(told()), definition("hfr")) if part.key == "participants")
    by_name = {table.name: table for table in part.tables}
    assert ("acceptance rate", "at least 99 %") in by_name["recruitment"].rows
    assert ("Gender", "woman", 20, 50.0) in by_name["questionnaire"].rows
    assert ("Gender", "all others", 5, 12.5) in by_name["questionnaire"].rows
    assert ("Listened with", "fewer than 5 answered", None, None) in by_name["questionnaire"].rows
    assert by_name["questionnaire"].notes == (description.merged_note(),)
    assert sum(bool(row[0] == "First language") for row in by_name["questionnaire"].rows) == 3


@pytest.mark.parametrize(
    ("recruitment", "said"),
    [
        (Recruitment(), ""),
        (
            Recruitment(not_in_studies=("a", "b")),
            "People who had taken part in a, b were turned away when they arrived.",
        ),
        (
            Recruitment(not_in_studies=("a",), same_text_days=30),
            "People who had taken part in a were turned away when they arrived. People who had heard one of the texts "
            "in another study here within 30 days were turned away when they arrived.",
        ),
    ],
)
def test_whoever_was_left_out_is_told_of(recruitment: Recruitment, said: str) -> None:
    assert paragraph("turned_away", **description.recruitment_values(recruitment, {})) == said


@pytest.mark.parametrize(
    ("recruitment", "which"),
    [
        (Recruitment(youngest=21), ("age", "at least 21 years")),
        (Recruitment(oldest=70), ("age", "at most 70 years")),
        (Recruitment(birth_countries=("Wales", "Ireland", "Malta")), ("born in", "Wales, Ireland or Malta")),
        (Recruitment(least_submissions=1000), ("earlier submissions", "at least 1,000")),
        (Recruitment(other="No musicians."), ("also", "No musicians")),
    ],
)
def test_each_filter_is_said_in_words(recruitment: Recruitment, which: tuple[str, str]) -> None:
    assert description.filters(recruitment) == [which]
