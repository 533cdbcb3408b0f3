"""The block on participants of an analysis's page, in the language of whoever reads it."""

from __future__ import annotations

from typing import Any

from django.utils import translation

from analysis.sections.inputs import Sessions
from analysis.sections.participants import compute as participants_compute
from analysis.sections.participants import display as participants_display
from analysis.sections.results import load
from analysis.sections.sentences import in_language, patterns
from analysis.sections.tables import Table
from core.text.words import collecting
from raters.models import Session
from tests.analysis.report.results import nothing, results
from tests.analysis.report.test_screened import CHECKS, told


def steps() -> list[Any]:
    """Return every step that there can be: each way to end, at each stage."""
    ends = [*Session.Outcome.values, "returned", "timed_out"]
    ways = [
        Sessions(stage=stage, end=end, check=check, rated=rated, counts=rated and stage < 3, sessions=1)
        for stage in range(4)
        for end in ends
        for check in ("", *(participants_compute.CHECKS if end == "screened_out" else ()))
        for rated in (True, False)
    ]
    return participants_compute.steps(ways)


def test_every_step_reads_in_english_as_the_report_has_it_and_is_translated() -> None:
    with collecting() as collected:
        made = steps()
    found = {**results(), "participants": {**results()["participants"], "steps": made}}
    found["sentences"] = patterns({"labels": [step.label for step in made]}, collected)
    english = participants_display.bars(load(found))
    assert [bar.label for bar in english] == [step.label for step in made]
    with translation.override("zh-hans"):
        chinese = participants_display.bars(in_language(load(found)))
    same = {each.label for each in english} & {each.label for each in chinese}
    assert same == set()


def test_steps_of_an_earlier_release_are_shown_as_they_were_written() -> None:
    old = [{"key": "rated", "label": "answered about a test clip", "count": 3, "is_exit": False}]
    found = {**results(), "participants": {**results()["participants"], "steps": old}}
    assert [bar.label for bar in participants_display.bars(load(found))] == ["answered about a test clip"]


def test_checks_are_a_table_and_a_study_without_any_has_none() -> None:
    def tables(found: dict[str, Any]) -> dict[str, Table]:
        return {table.name: table for table in participants_display.part(load(found)).tables}

    shown = tables(told(*CHECKS))["screening"].shown()
    assert shown[1][1:] == ["before the first clip", "57", "45", "12", "12"]
    assert shown[2][1:] == ["between batches", "20", "16", "4", "0"]
    assert "screening" not in tables(results())
    assert participants_display.part(load(nothing())).refused
