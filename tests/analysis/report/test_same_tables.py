"""The page of an analysis shows the tables of its report, cell by cell, with the same sentences."""

from __future__ import annotations

from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.utils import translation

from analysis.report import document
from analysis.report.page import blocks
from analysis.sections.results import Results, load
from analysis.sections.scores.compute import ACROSS
from analysis.sections.tables import Column, Table
from tests.analysis.report.results import FIRST, HUMAN, SECOND, group, results
from tests.analysis.report.test_document import definition
from tests.analysis.report.test_modelled import fitted, ordinal
from tests.analysis.report.test_screened import CHECKS, told

SECTIONS = [name for name in Results.model_fields if name not in ("version", "study", "inputs", "sentences")]
PAPER = Table("paper", "A table of a paper", (Column("n"), Column("share", 2)), ((1200, 0.125),), ("In English.",))
Shown = tuple[str, list[str], list[list[str]]]


def every_section() -> dict[str, Any]:
    """Return results with figures in every section."""
    ends = {"low": 0.31, "high": 0.52}
    strength = {"name": FIRST, "value": 0.25, **ends, "answers": 80, "raters": 9, "texts": 6, "letters": "a"}
    wide = {"low_all": 0.2, "high_all": 0.6}
    probability = {"first": FIRST, "second": SECOND, "probability": 0.4, **ends, **wide, "p": 0.0004}
    pair = {"first": FIRST, "second": SECOND, "wins": 30, "losses": 45, "ties": 5, "share": 0.4, **ends}
    signal = {
        "name": FIRST, "d_prime": 1.5, "criterion": -0.25, "beta": 0.5, "auc": 0.875, "d_prime_low": 0.5,
        "d_prime_high": 2.5, "auc_low": 0.75, "auc_high": None, "human": 1200, "synthetic": 90, "note": "Few texts.",
    }  # fmt: skip
    mean = {"name": FIRST, "kind": "", "mean": 3.456, **ends, "sd": 1.2, "ratings": 90, "raters": 9, "clips": 6}
    copies = {"name": FIRST, "right": 60, "answers": 90, "share": 2 / 3, **ends, "p": 0.01, "d_prime": 1.7}
    repeated = {
        "part": "label", "name": "HLS", "unit": "", "high": 1.0, "pairs": 90, "raters": 12, "alike": 0.75,
        "difference": {"value": -0.05, **ends}, "icc": {"value": 0.5, **ends}, "kappa": None, "is_weighted": True,
        "notes": [],
    }  # fmt: skip
    tested = {
        "first": HUMAN, "second": FIRST, "raters": 40, "flips_raters": 0.0001, "wilcoxon": 0.0123, "texts": 12,
        "flips_texts": None, "equivalence": 0.9, "effect": 1.25, "odds": 4.5, "odds_low": 2.0, "odds_high": 9.0,
    }  # fmt: skip
    on_texts = [{"text": name, "difference": 0.3, **ends, "ratings": 80} for name in ("one", "two")]
    by_text = {"first": HUMAN, "second": FIRST, "texts": on_texts}
    found = fitted(answers=ordinal("for these clips only"), answers_clips=ordinal("", model="logistic"))
    plan = {
        "launched": "2026-03-02", "ratings_wanted": 10, "margin": 0.1, "margin_reason": "As in earlier studies.",
        "primary": "alpha vs human", "looks": ["50 %"], "contrasts": ["alpha vs human"],
        "power": {"date": "2026-03-01", "raters": 53, "difference": 0.1, "power": 0.8}, "clips_added": 2, "raters": 40,
        "shows": "clip",
        "changes": [
            {"version": 2, "date": "2026-03-05", "group": "protocol", "name": name, "before": "8", "after": "10"}
            for name in ("ratings_wanted", "max_plays")
        ],
        "reached": [
            {
                "name": name, "items": 24, "rated": 23, "wanted": 240, "ratings": 200, "least": 0, "median": 8.5,
                "most": 11,
            }
            for name in ("", HUMAN, FIRST)
        ],
    }  # fmt: skip
    return {
        **found,
        "plan": plan,
        "participants": told(*CHECKS, about={"gender": {"woman": 20, "man": 20}})["participants"],
        "scores": {
            **found["scores"],
            "by": by_every_grouping(found["scores"]["by"]["system"]),
            "crossed": dict.fromkeys(ACROSS, found["scores"]["crossed"]["dimension"]),
        },
        "preferences": {"pairs": [pair], "systems": [strength], "probabilities": [probability], "tie": 0.0625},
        "pair_tests": {"pairs": [tested], "margin": 0.1, "is_share": True, "by_text": by_text},
        "reliability": {
            "icc": {"single": 0.3, "mean": 0.8, "k": 9.5, "clips": 72, "raters": 40, "is_complete": False},
            "repeats": {"raters": 40, "share": 0.4, "longest": 4},
            "seconds": {"raters": 40, "mean": -0.125, "low": -0.2, "high": -0.05},
            "score": {"raters": 40, "mean": 0.001, "low": -0.002, "high": 0.004},
            "outstanding": [{"rater": "ABCDEFGHIJKL", "answers": 30, "sign": "longest", "value": 28}],
            "courses": [{"rater": "ABCDEFGHIJKL", "answers": 30, "share": 0.9, "longest": 28, "seconds": -0.1}],
            "left_out": [
                {"of": "rater", "tried": 40, "changed": 0, "names": []},
                {"of": "text", "tried": 12, "changed": 6, "names": ["a", "b", "c", "d", "e"]},
            ],
            "corrected": [{"name": FIRST, "kind": "", "raw": 0.4, "corrected": 0.42}],
        },
        "sets": {
            "counts": [{"name": FIRST, "shown": 90, "best": 30, "worst": 20, "score": 1 / 9, **ends}],
            "halves": {"pearson": 0.9, "low": 0.8, "high": 0.95, "splits": 100},
        },
        "identification": {"systems": [{**copies, "d_low": 1.1, "d_high": None, "raters": 9}]},
        "detection": {"overall": {**signal, "name": ""}, "systems": [signal], "raters": [None], "human_from": "test"},
        "scales": {
            "means": [{"part": "sig", "name": "SIG", "low": 1.0, "high": 5.0, "unit": "", "systems": [mean]}],
            "pairs": [{"first": "SIG", "second": "BAK", "correlation": 0.5, "answers": 90}],
        },
        "repeats": {"distance": 5, "scales": [repeated]},
    }  # fmt: skip


def by_every_grouping(systems: list[dict[str, Any]]) -> dict[str, Any]:
    other = {by: [group("one", 0.7), group("", 0.3)] for by in ("domain", "benchmark", "condition", "dimension", "box")}
    return {"system": systems, **other, "voice": [group("Xiǎo", 0.5, system=HUMAN)], "overall": [group("", 0.123456)]}


def in_percent() -> dict[str, Any]:
    found = every_section()
    found["study"]["scale"] |= {"name": "HFR", "unit": "%"}
    return found


class Tables(HTMLParser):
    """The tables of a page: title (a caption, or a summary above), headings and cells."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.title, self.cell, self.is_open = "", "", False
        self.shown: list[tuple[str, list[list[str]]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "thead":
            self.shown.append((self.title, []))
        elif tag == "tr":
            self.shown[-1][1].append([])
        if tag in ("summary", "caption", "th", "td"):
            self.cell, self.is_open = "", True

    def handle_data(self, data: str) -> None:
        self.cell += data if self.is_open else ""

    def handle_endtag(self, tag: str) -> None:
        if tag in ("summary", "caption"):
            self.title = self.cell
        elif tag in ("th", "td"):
            self.shown[-1][1][-1].append(self.cell)
        self.is_open = self.is_open and tag not in ("summary", "caption", "th", "td")


def tables_of(page: str) -> list[Shown]:
    """Return every table of a page, in the order of their titles."""
    return sorted((title, head, body) for title, (head, *body) in Tables(page).shown)


def pages(found: dict[str, Any]) -> tuple[str, str]:
    """Return the sections of an analysis's page, and its report."""
    made, study = load(found), definition()
    page = "".join(render_to_string("analysis/block.html", {"block": block}) for block in blocks(made, study, [PAPER]))
    return page, document.html(made, study, [], [PAPER])


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("make", [results, every_section, in_percent])
def test_every_table_of_the_report_is_on_the_page_with_the_same_cells(make: Any, language: str) -> None:
    with translation.override(language):
        page, report = pages(make())
    assert tables_of(page) == tables_of(report)
    assert len(tables_of(page)) > 15


@pytest.mark.parametrize("make", [every_section, in_percent])
def test_every_sentence_of_the_report_is_on_the_page(make: Any) -> None:
    page, _report = map(unescape, pages(make()))
    parts = [part for part in document.parts(load(make()), definition(), [PAPER]) if not part.is_prose]
    sentences = [text for part in parts for text in (part.title, part.refused, *part.sentences)]
    notes = [text for part in parts for table in part.tables for text in (table.title, *table.notes)]
    assert [text for text in [*sentences, *notes] if text not in page] == []
    assert len([*sentences, *notes]) > 100


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_without_figures_takes_tables_and_gives_its_reason_on_both(name: str) -> None:
    every = every_section()
    full, (page, report) = tables_of(pages(every)[0]), pages({**every, name: {"refused": f"No {name} here."}})
    assert f"No {name} here." in page
    assert f"No {name} here." in report
    assert len(tables_of(page)) < len(full)
    assert tables_of(page) == tables_of(report)


def test_scores_are_in_the_unit_of_their_scale_in_every_section() -> None:
    page, _report = pages(in_percent())
    shown = {title: dict(zip(head, body[0], strict=True)) for title, head, body in tables_of(page)}
    assert shown["HFR by system"]["HFR (%)"] == "85.00"
    assert shown["Systems against human speech"]["Difference from human"] == "−45.00"
    assert shown["Differences in HFR"]["Difference"] == "45.00"
    assert shown["HFR by box and system"]["White less black"] == "10.00"
    assert shown["HFR under choices of exclusion rules"]["Human"] == "85.00"
    assert shown["Over the session"]["HFR (%)"] == "50.00"
    assert shown["Metrics and scores over the same clips"]["HFR (%)"] == "40.00"
    assert shown["Bayesian mixed model of HFR (%)"]["Mean"] == "85.000"
    assert "Human speech scored 85.00 [80.00, 90.00], from 200 ratings of test clips." in page
    assert "Differences are in percentage points." in page


def test_no_code_is_shown_where_there_are_words_and_tables_as_csv_have_the_codes() -> None:
    shown = {title: body for title, _head, body in tables_of(pages(results())[0])}
    assert ["batch failed its traps", "300", "0.850", "0.380", "0.200", "100", "100", "100"] in shown[
        "HLS under choices of exclusion rules"
    ]
    assert ["Plays per clip", "not set"] in shown["Settings of the study"]
    assert ["Listening", "Whole clip"] in shown["Settings of the study"]
    csv = {table.name: table.csv() for part in document.parts(load(results())) for table in part.tables}
    assert "\ntraps,300," in csv["multiverse"]
    assert "\nmax plays,\n" in csv["settings"]
    assert "\nplayback,enforce\n" in csv["settings"]
