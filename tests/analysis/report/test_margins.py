"""Verdicts against human speech at a margin in the unit that pages show (rules D3 and D4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from analysis.report import computing
from analysis.sections.baseline import display
from analysis.sections.results import dump, load
from studies.definition.definition import Definition
from tests.analysis.report.made import crowd, given

THREE = {"alpha": 0.5, "beta": 0.2, "human": 0.85}


def results_of(rows: list[dict[str, Any]], preset: str, margin: float) -> dict[str, Any]:
    """Return an analysis of ratings with a margin that its version fixed, whatever it is."""
    inputs = given(rows, preset)
    fixed: Definition = inputs.definition.model_copy(
        update={"results": inputs.definition.results.model_copy(update={"margin": margin})}
    )
    return dump(computing.compute(replace(inputs, definition=fixed)))


def as_binary(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {**row, "score": float(row["score"] >= 0.5), "code": "human" if row["score"] >= 0.5 else "machine"}
        for row in rows
    ]


@pytest.mark.parametrize(
    ("preset", "margin", "stored", "printed"), [("hfr", 10.0, 0.1, "10.0"), ("att", 0.1, 0.1, "0.10")]
)
def test_a_margin_is_judged_and_printed_in_the_unit_of_the_score(
    preset: str, margin: float, stored: float, printed: str
) -> None:
    rows = crowd(THREE, raters=40, clips=30)
    results = results_of(as_binary(rows) if preset == "hfr" else rows, preset, margin)
    assert results["baseline"]["margin"] == results["design"]["margin"] == pytest.approx(stored)
    assert {row["name"]: row["verdict"] for row in results["baseline"]["systems"]} == {
        "alpha": "inferior",
        "beta": "inferior",
    }
    sentence = f"The margin of non-inferiority, fixed before the launch, is {printed}."
    assert sentence in display.part(load(results)).sentences


@pytest.mark.parametrize(("preset", "margin"), [("hfr", 50.0), ("hfr", 1000.0), ("att", 0.5)])
def test_a_stored_margin_of_half_the_scale_or_more_gives_no_verdict(preset: str, margin: float) -> None:
    results = results_of(as_binary(crowd(THREE)), preset, margin)
    assert {row["verdict"] for row in results["baseline"]["systems"]} == {""}
    assert "not smaller than half the scale" in results["baseline"]["note"]


@pytest.mark.parametrize(("raters", "verdict"), [(40, "non_inferior"), (20, "undecided")])
def test_human_speech_at_100_percent_is_a_baseline_like_any_other(raters: int, verdict: str) -> None:
    rows = [{**row, "score": 1.0, "code": "human"} for row in crowd(THREE, raters=raters, clips=40)]
    results = results_of(rows, "hfr", 10.0)
    assert {row["verdict"] for row in results["baseline"]["systems"]} == {verdict}
    assert results["baseline"]["note"] == "Each of the 2 verdicts is at 2.5 %."
    assert results["baseline"]["human"]["mean"] == 1.0


def test_human_speech_with_too_few_raters_leaves_a_reason_and_no_verdict() -> None:
    rows = [row for row in crowd(THREE) if row["system"] != "human" or row["rater"] < 4]
    results = results_of(rows, "att", 0.1)
    assert results["baseline"]["systems"] == []
    assert "Human is left out: Too few raters: 4" in results["baseline"]["note"]


def test_one_rater_with_over_a_third_of_the_ratings_is_named_beside_the_score() -> None:
    rows = crowd(THREE, raters=12)
    rows += [
        {**row, "text": f"more-{row['text']}", "clip": row["clip"] + 1000} for row in rows if row["rater"] == 0
    ] * 9
    results = results_of(rows, "att", 0.1)
    [alpha] = [group for group in results["scores"]["by"]["system"] if group["name"] == "alpha"]
    assert alpha["rater_share"] == pytest.approx(10 / 21)
    assert alpha["rater_mean"] != pytest.approx(alpha["mean"])
