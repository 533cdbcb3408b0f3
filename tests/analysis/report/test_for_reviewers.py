"""What reviewers ask a report for: methods of every figure, settings in words, numbers behind each cell."""

from __future__ import annotations

from typing import Any

from analysis.report import document, methods
from analysis.sections.boxes import display as boxes_display
from analysis.sections.design import display as design_display
from analysis.sections.exclusions import compute as exclusions_compute
from analysis.sections.exclusions import display as exclusions_display
from analysis.sections.participants import display as participants_display
from analysis.sections.results import load
from analysis.sections.scores import display as scores_display
from analysis.sections.scores import plot as scores_plot
from studies.definition.definition import Definition
from tests.analysis.report.made import crowd, given
from tests.analysis.report.results import EVIL, FIRST, HUMAN, group, results
from tests.analysis.report.test_document import definition, text_of
from tests.analysis.report.test_same_tables import every_section

WORK = {"mode": "share", "share": 0.4, "double_share": 0.25, "done": 90, "experts": 2}


def methods_of(found: dict[str, Any], study: Definition | None = None) -> str:
    return " ".join(methods.methods(load(found), study or definition()).sentences)


def simulated(kind: str) -> dict[str, Any]:
    found = results()
    found["study"]["simulated"] = kind
    return found


def test_the_methods_explain_detection_and_agreement_only_where_the_study_has_them() -> None:
    full = methods_of(every_section())
    assert "d′ is z(hits) − z(false alarms)" in full
    assert "alpha ± t times the standard deviation of bootstrap samples of raters and of texts (all clips of" in full
    assert "Krippendorff’s alpha (ordinal distance)" in full
    without = methods_of(results(agreement={"refused": "No clip has two ratings."}))
    assert "d′" not in without
    assert "Krippendorff" not in without


def test_the_methods_say_how_experts_reviewed_and_coded_reasons() -> None:
    coding = {**WORK, "mode": "all", "codes": 3, "built_in": True}
    text = methods_of(results(quality={**results()["quality"], "review": WORK, "coding": coding}))
    assert "Experts reviewed a random share of 40 % of the reasons" in text
    assert "Of these, 25 % went to two experts. At the time of the analysis, 90 reasons were decided" in text
    assert "Experts coded all that raters wrote. The codebook was that of the task’s paper." in text
    assert "The study had 3 codes of its own." in text
    assert "Experts" not in methods_of(results())


def test_nobody_is_said_to_be_recruited_or_paid_where_all_raters_are_simulated() -> None:
    text = methods_of(simulated("only"))
    assert "Nobody was recruited: a program gave all answers" in text
    for claim in ("Prolific", "Pay was", "lived in", "were paid", "consented"):
        assert claim not in text
    tables = participants_display.part(load(simulated("only")), definition("hfr")).tables
    assert "recruitment" not in {table.name for table in tables}
    tables = participants_display.part(load(simulated("with")), definition("hfr")).tables
    assert "recruitment" in {table.name for table in tables}


def test_people_and_simulated_raters_together_are_both_named() -> None:
    text = methods_of(simulated("with"))
    assert "recruited through Prolific" in text
    assert "Answers of simulated raters, which a program gave, are among the figures." in text


def test_instructions_are_rendered_and_what_is_no_markdown_stays_escaped() -> None:
    study = definition()
    texts = study.texts.model_copy(update={"instructions": f"# Listen\n\n**Twice**, {EVIL}", "consent": "I *agree*"})
    page = document.html(load(results()), study.model_copy(update={"texts": texts}), [])
    assert "<h2>Listen</h2>" in page
    assert "<strong>Twice</strong>" in page
    assert "<script>" not in page
    # The consent is one sentence, shown as it was written.
    assert "I *agree*" in page


def test_settings_have_the_names_and_words_of_the_page_design_with_units() -> None:
    protocol = {"quota_utterances": 8, "quick_seconds": 0.3, "golden_share": 0.1, "lease_minutes": 30, "max_plays": 2}
    found = results(design={**results()["design"], "protocol": {**protocol, "repeat_text": "crossed"}})
    found["study"]["task_type"] = "hfr"
    shown = dict(map(tuple, design_display.part(load(found)).tables[1].shown()))
    assert shown["Utterances per system"] == "8"
    assert shown["Shortest decision, in seconds"] == "0.3 s"
    assert shown["Idle minutes"] == "30 min"
    assert shown["Same text twice"] == "From every system"
    # This task has no golden questions.
    assert "Share of golden questions" not in shown
    found["study"]["task_type"] = "sp_mcqa"
    shown = dict(map(tuple, design_display.part(load(found)).tables[1].shown()))
    assert shown["Share of golden questions"] == "10 %"


def test_the_distance_of_repeats_is_a_setting_only_with_repeats() -> None:
    found = results()
    found["design"]["protocol"] |= {"repeats": 0, "repeat_distance": 5}
    rows = design_display.part(load(found)).tables[1].shown()
    assert "Distance of a repeat" not in [row[0] for row in rows]
    found["design"]["protocol"]["repeats"] = 2
    assert ["Distance of a repeat", "5 trials"] in design_display.part(load(found)).tables[1].shown()


def test_a_value_with_the_name_of_a_setting_is_not_read_as_the_setting() -> None:
    found = results(design={**results()["design"], "parameters": {"pairs": "baseline", "baseline": ""}})
    found["study"]["task_type"] = "compare"
    rows = design_display.part(load(found)).tables[1].shown()
    assert ["Pairs", "Each system with the baseline"] in rows
    assert ["Baseline", "not set"] in rows


def test_exclusions_are_a_flow_from_all_ratings_to_those_that_count() -> None:
    rows = crowd({"human": 0.9, "alpha": 0.4})
    for number, row in enumerate(rows):
        rules = ["traps"] * (number < 20) + ["by_hand"] * (15 <= number < 25)
        row |= {"usable": not rules, "reasons": "|".join(sorted(rules))}
    exclusions = exclusions_compute.compute(given(rows))
    assert [(step.reason, step.out, step.ratings) for step in exclusions.steps] == [
        ("traps", 20, len(rows) - 20),
        ("by_hand", 5, len(rows) - 25),
    ]
    assert exclusions.steps[-1].ratings == exclusions.counted
    assert exclusions.steps[-1].raters == exclusions.raters_counted
    found = load(results(exclusions=exclusions.model_dump(mode="json")))
    table = exclusions_display.part(found).tables[0]
    assert table.shown()[0] == ["all ratings of test clips", "–", str(len(rows)), "16"]
    assert table.shown()[1][1] == "−20"


def test_voices_have_their_own_names_human_ones_too() -> None:
    voices = [group("Anna", 0.9, system=HUMAN, kind="human"), group("bright", 0.4, system=FIRST)]
    found = results()
    found["scores"]["by"]["voice"] = voices
    table = next(table for table in scores_display.part(load(found)).tables if table.name == "scores_voice")
    assert [row[0] for row in table.rows] == ["Anna, Human", f"bright, {FIRST}"]


def boxed() -> dict[str, Any]:
    """Return results with scores of the first system in both boxes, black without an interval."""
    white = group("white", 0.45, low=0.41, high=0.49)
    black = group("black", 0.35, low=None, high=None, note="Too few texts: 4, and at least 5 are needed.")
    row = {"name": FIRST, "kind": "", "cells": [black, white], "mu": 0.4, "of": 2}
    found = results()
    found["scores"]["crossed"]["box"] = {"columns": ["black", "white"], "rows": [row]}
    return found


def test_shares_of_both_boxes_have_their_intervals_or_the_reason_why_not() -> None:
    table = boxes_display.parts(load(boxed()))[0].tables[0]
    heads = [column.title for column in table.columns]
    shown = dict(zip(heads, table.shown()[0], strict=True))
    assert (shown["White, low"], shown["White"], shown["White, high"]) == ("0.410", "0.450", "0.490")
    assert (shown["Black, low"], shown["Black"], shown["Black, high"]) == ("–", "0.350", "–")
    assert "Black: Too few texts: 4, and at least 5 are needed." in table.notes
    plot = scores_plot.figure_2a(load(boxed()))
    assert plot is not None
    assert "white 0.45 [0.41, 0.49], black 0.35" in plot.alt


def test_each_cell_of_a_heat_map_has_its_number_of_ratings() -> None:
    plot = scores_plot.dimensions(load(results()))
    assert plot is not None
    assert "0.85 (n 200)" in plot.alt
    # With a font for Chinese, letters are outlines, and comments hold what they say.
    assert text_of(plot.svg.replace("<!--", "").replace("-->", "")).count("0.40 n 200") == 2
