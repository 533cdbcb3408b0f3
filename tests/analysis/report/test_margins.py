"""Verdicts against human speech at a margin in the unit that pages show (rules D3 and D4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from analysis.report import computing, document, page
from analysis.sections.baseline import display
from analysis.sections.pair_tests import display as pair_tests_display
from analysis.sections.results import dump, load
from studies.definition.definition import Definition, ResultSettings
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


def test_the_reason_for_the_margin_and_the_primary_contrast_are_quoted_in_results_and_methods() -> None:
    inputs = given(crowd(THREE), "att")
    reason = "Below .1 no listener complained [Smith 2024]."
    fixed = {"margin": 0.1, "margin_reason": reason, "primary": "human vs beta"}
    definition = inputs.definition.model_copy(
        update={
            "results": inputs.definition.results.model_validate({**inputs.definition.results.model_dump(), **fixed})
        }
    )
    results = computing.compute(replace(inputs, definition=definition))
    [pair] = [
        pair
        for pair in results.contrasts.pairs  # type: ignore[union-attr]
        if {pair.first, pair.second} == {"human", "beta"}
    ]
    # Pairs are in the order of names; the primary contrast keeps its own direction.
    assert (pair.first, pair.difference < 0) == ("beta", True)
    sentence = (
        f"Human less beta is {-pair.difference:.3f} [{-pair.high:.3f}, {-pair.low:.3f}], by its own 95 % interval"
    )
    parts = {part.key: part for part in document.parts(results, definition)}
    leads = {block.part.key: block.lead for block in page.blocks(results, definition)}
    assert sentence in " ".join(parts["pair_tests"].sentences)
    assert sentence in leads["contrasts"][0]
    assert f"Reason for the margin: {reason}" in parts["human"].sentences
    methods = " ".join(parts["methods"].sentences)
    assert "human speech, 0.1, was fixed before the launch; each system was tested at 2.5 %. Reason" in methods
    assert f"Reason for this margin: {reason}" in methods
    assert "The primary contrast, named before the launch, is human vs beta" in methods


def test_a_margin_without_a_reason_leaves_a_blank_in_the_methods() -> None:
    inputs = given(crowd(THREE), "hfr")
    definition = inputs.definition.model_copy(
        update={"results": inputs.definition.results.model_copy(update={"margin": 10.0})}
    )
    [methods] = [part for part in document.parts(computing.compute(inputs), definition) if part.key == "methods"]
    text = " ".join(methods.sentences)
    assert "10 percentage points, was fixed before the launch" in text
    assert "[State why a smaller difference doesn’t matter.]" in text


def test_a_primary_contrast_of_a_system_that_was_left_out_says_so() -> None:
    inputs = given([row for row in crowd(THREE) if row["system"] != "human" or row["rater"] < 4])
    definition = inputs.definition.model_copy(
        update={"results": inputs.definition.results.model_copy(update={"primary": "alpha vs human"})}
    )
    results = computing.compute(replace(inputs, definition=definition))
    assert pair_tests_display.primary(results) == [
        "Primary contrast, named before the launch: alpha vs Human. It could not be compared."
    ]


def test_a_primary_contrast_must_name_two_systems() -> None:
    settings = ResultSettings(primary="  alpha vs human ")
    assert settings.primary == "alpha vs human"
    for line in ("alpha", "alpha vs alpha", "alpha vs beta vs human"):
        with pytest.raises(ValidationError, match="does not name two systems"):
            ResultSettings(primary=line)
