"""The plan of a launch in the report: numbers planned and reached, margin, primary contrast, and later changes."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import translation

from analysis.planning.models import PowerPlan
from analysis.report import checklist, document, methods, summary
from analysis.report.page import blocks
from analysis.sections.plan import Plan, compute
from analysis.sections.plan import display as plan_display
from analysis.sections.results import load
from core import jobs
from studies.launch import states
from tests.analysis.rated import Rated
from tests.analysis.report.made import analysed, crowd, given
from tests.analysis.report.results import nothing, results
from tests.analysis.report.test_document import definition, text_of
from tests.analysis.report.test_same_tables import every_section

FIXED: dict[str, Any] = {
    "launched": "2026-03-02", "ratings_wanted": 10, "margin": None, "margin_reason": "", "primary": "", "looks": [],
    "contrasts": [], "power": None, "changes": [], "clips_added": 0,
}  # fmt: skip


def plan_of(rows: list[dict[str, Any]], items: list[dict[str, Any]]) -> Plan:
    return compute.compute(given(rows, plan={**FIXED, "items": items}))


def test_ratings_reached_count_each_item_once_an_answer_and_unrated_items_as_none() -> None:
    rows = crowd({"alpha": 0.4, "beta": 0.6}, raters=4, clips=3)
    # One answer to several questions of a passage is several rows of one trial.
    rows += [{**rows[0], "trial": 1, "question": 2}]
    rows[0]["trial"] = 1
    rated = {(row["item"], row["system"]) for row in rows}
    items = [{"item": item, "system": system, "ratings": 10} for item, system in sorted(rated)]
    plan = plan_of(rows, [*items, {"item": 999, "system": "beta", "ratings": 10}])
    shown = {row.name: (row.items, row.rated, row.least, row.median, row.most) for row in plan.reached}
    assert shown == {"": (7, 6, 0, 4.0, 4), "alpha": (3, 3, 4, 4.0, 4), "beta": (4, 3, 0, 4.0, 4)}
    assert plan.reached[0].ratings == 24


def test_ratings_added_for_disagreement_are_not_in_the_plan_of_the_launch() -> None:
    items = [{"item": number, "system": "alpha", "ratings": 10 + 2 * (number == 0)} for number in range(3)]
    plan = plan_of(crowd({"alpha": 0.4}), items)
    assert plan.reached[0].wanted == 30


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_the_plan_is_that_of_the_first_version_and_later_changes_are_listed(now: datetime) -> None:
    world = Rated(now, kind="hfr").everybody(4)
    study = world.study
    before = study.definition.protocol.ratings_wanted
    raw = study.definition.model_dump(mode="json")
    raw["protocol"]["ratings_wanted"] = before + 2
    raw["texts"]["instructions"] = "Listen to all of it. " * 10
    states.update_draft(study=study, raw=raw)
    study.refresh_from_db()
    states.publish(study=study, now=now + timedelta(days=3))
    plan = analysed(study, versions=(1, 2))["plan"]
    assert plan["ratings_wanted"] == before
    changes = {(change["group"], change["name"]): (change["before"], change["after"]) for change in plan["changes"]}
    assert changes[("protocol", "ratings_wanted")] == (str(before), str(before + 2))
    # Long texts are only named.
    assert changes[("texts", "instructions")] == ("", "")
    assert {change["version"] for change in plan["changes"]} == {2}


def test_the_plan_names_margin_reason_primary_contrast_and_power() -> None:
    part = plan_display.part(load(every_section()))
    text = " ".join(part.sentences)
    assert "Planned on 2026-03-01: 53 raters find a difference of 0.1 with a power of 80 %." in text
    assert "The margin fixed at the launch is 0.1. Reason for the margin: As in earlier studies." in text
    assert "The primary contrast named at the launch is alpha vs human." in text
    assert "Interim analyses were planned at 50 %, of these contrasts: alpha vs human." in text
    tables = {table.name: table.shown() for table in part.tables}
    assert ["Raters", "53", "40"] in tables["planned"]
    assert ["alpha", "24", "10", "0", "8.5", "11"] in tables["reached"]
    assert ["2", "2026-03-05", "Ratings per clip", "8", "10"] in tables["changes"]


def test_a_plan_without_margin_contrast_or_changes_says_so() -> None:
    rows = crowd({"alpha": 0.4})
    plan = plan_of(rows, [{"item": 0, "system": "alpha", "ratings": 10}]).model_dump(mode="json")
    sentences = plan_display.part(load(results(plan=plan))).sentences
    assert "No margin was fixed." in sentences
    assert "No primary contrast was named." in sentences
    assert "Nothing was changed since the launch." in sentences


def test_the_report_begins_with_the_question_and_its_answer_before_the_contents() -> None:
    page = document.html(load(every_section()), definition(), [])
    top = text_of(page[: page.index("<nav")])
    assert "Human speech scores 0.85" in top
    assert "Usable ratings: 200. Raters: 40. Clips: 72." in top
    assert "Raters were asked:" in top


def test_the_summary_has_the_sentences_of_the_page_and_is_in_chinese_too() -> None:
    found = load(every_section())
    leads = " ".join(sentence for block in blocks(found) for sentence in block.lead)
    _question, *answers, _basis = summary.part(found).sentences
    assert answers
    assert all(answer in leads for answer in answers)
    with translation.override("zh-hans"):
        page = document.html(found, definition(), [])
        top = text_of(page[: page.index("<nav")])
    assert "可用评分" in top
    assert "Human speech" not in top


def test_the_summary_has_the_questions_of_scales() -> None:
    found = results()
    found["design"]["parameters"] = {"scales": [{"question": "How natural?"}, {"question": "How clear?"}]}
    first = summary.part(load(found)).sentences[0]
    assert first == "Raters were asked: “How natural?” Raters were asked: “How clear?”"


def test_the_primary_contrast_is_the_first_answer() -> None:
    found = every_section()
    found["pair_tests"]["primary"] = ["human", "alpha"]
    first = summary.part(load(found)).sentences[1]
    assert "Human" in first
    assert first == " ".join(summary.pair_tests_display.primary(load(found)))


def test_the_checklist_is_filled_from_the_study() -> None:
    table = checklist.part(load(every_section()), definition()).tables[0]
    rows = {row[0]: row[1:] for row in table.shown()}
    assert rows["Recruitment of raters"] == ["Chiang et al. 2023", "Prolific", "Methods"]
    assert rows["Number of raters"][1] == "40"
    assert rows["Ratings of one sample"][1] == "0 to 11, median 8.5"
    assert rows["Answers and their steps"][1] == "Human, Unclear, Machine"
    assert rows["Level of all clips alike"][1] == "−23 LUFS"
    assert "53 raters" in rows["Enough listeners for the power needed"][1]
    assert rows["Pay"][1] == "for the authors to state"


@pytest.mark.parametrize(
    ("preset", "answers"),
    [
        ("ab", "A or B"),
        ("sp-mcqa", "one of the options of each question (2 to 6, one of them right), or “Other: none of these”"),
        ("hfr", "Human, Machine"),
    ],
)
def test_answers_are_named_as_raters_read_them(preset: str, answers: str) -> None:
    study = definition(preset)
    rows = {row[0]: row[2] for row in checklist.part(load(results()), study).tables[0].shown()}
    assert rows["Answers and their steps"] == answers
    assert f"The possible answers were {answers}." in " ".join(methods.methods(load(results()), study).sentences)


def test_the_checklist_of_simulated_raters_recruits_and_pays_nobody() -> None:
    found = results()
    found["study"]["simulated"] = "only"
    cells = [cell for row in checklist.part(load(found), definition()).tables[0].shown() for cell in row]
    assert "no people: a program gave all answers" in cells
    assert "none: simulated raters" in cells
    assert "Prolific" not in cells


def test_the_checklist_of_refused_sections_has_dashes() -> None:
    rows = {row[0]: row[2] for row in checklist.part(load(nothing()), None).tables[0].shown()}
    assert rows["Number of raters"] == rows["Ratings of one sample"] == "–"


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_the_newest_readable_plan_before_the_launch_is_the_number_of_raters_planned(now: datetime) -> None:
    study = Rated(now, kind="hfr").everybody(4).study
    inputs = {"kind": "power", "unit": "shown", "difference": 8.0, "power": 0.9}
    unreadable = {"kind": "power", "difference": "a lot"}
    for days, asked, found in (
        (-3, inputs, {"needed": 40}),
        (-2, inputs, {"needed": 60}),
        (-1, unreadable, {"needed": 70}),
        (-1, inputs, {"raters": 80}),
        (1, inputs, {"needed": 99}),
    ):
        PowerPlan.objects.create(
            study=study, created_at=study.launched_at + timedelta(days=days), queued_at=now, state=jobs.DONE,
            inputs=asked, results=found,
        )  # fmt: skip
    power = analysed(study)["plan"]["power"]
    assert (power["raters"], power["difference"], power["power"]) == (60, 8.0, 0.9)
