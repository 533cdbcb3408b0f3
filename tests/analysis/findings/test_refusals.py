"""What can't be estimated is refused with a sentence: never a traceback, never a wrong number."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.report.findings import detecting, whole
from analysis.report.findings.given import Given
from tests.analysis.findings.made import crowd, given

THREE = {"alpha": 0.4, "beta": 0.2, "human": 0.8}


def found(rows: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    """Return all sections, and the models that are quick."""
    inputs = given(rows, **changes)
    results = whole.compute(inputs)
    results["models"] = {name: model(inputs, name) for name in ("fast", "answers", "answers_clips")}
    return results


def model(inputs: Given, name: str) -> Any:
    """Return one model, or why there is none."""
    return whole.guarded(lambda: whole.MODELS[name](inputs))


def test_no_rating_is_refused_in_every_section_that_needs_one() -> None:
    results = found([{"rater": 1, "score": 1.0, "usable": False, "reasons": "traps", "system": "alpha"}])
    for name in ("scores", "design", "contrasts", "times", "agreement"):
        assert "No rating counts yet" in results[name]["refused"]
    nothing = given([{"rater": 1, "score": 1.0, "usable": False, "reasons": "traps", "system": "alpha"}])
    assert {model(nothing, name)["refused"] for name in whole.MODELS} == {"No rating counts yet."}
    assert results["exclusions"]["counted"] == 0


def test_one_rater_has_scores_without_intervals_and_no_model() -> None:
    results = found(crowd(THREE, raters=1))
    assert [group["low"] for group in results["scores"]["by"]["system"]] == [None, None, None]
    assert "1 raters" in results["scores"]["by"]["system"][0]["note"]
    assert "fewer than 10 raters" in results["contrasts"]["refused"]
    for model in results["models"].values():
        assert model["refused"] == "All ratings are one rater's, so how raters differ can't be estimated."
    assert "No clip has two ratings" in results["agreement"]["refused"]


def test_without_two_ratings_of_a_clip_agreement_is_refused() -> None:
    rows = [{**row, "clip": number, "item": number} for number, row in enumerate(crowd(THREE))]
    assert found(rows)["agreement"]["refused"] == "No clip has two ratings, so agreement can't be judged."


def test_one_system_has_a_score_and_nothing_to_compare_it_with() -> None:
    results = found(crowd({"alpha": 0.4}))
    assert results["contrasts"]["refused"] == (
        "Only one system was rated (alpha), so there is nothing to compare it with."
    )
    assert results["scores"]["by"]["system"][0]["low"] is not None
    assert "rater:system" not in results["models"]["fast"]["sds"]
    assert any("can't be told apart" in note for note in results["models"]["fast"]["notes"])
    assert any("Only one system" in note for note in results["agreement"]["notes"])


def test_one_rating_a_rater_leaves_out_the_effect_of_raters() -> None:
    rows = [{**row, "rater": number} for number, row in enumerate(crowd(THREE))]
    results = found(rows)
    assert results["models"]["fast"]["sds"] == {}
    assert any("Each rater has a single rating" in note for note in results["models"]["fast"]["notes"])
    assert "single rating" in results["models"]["answers"]["refused"]
    assert "single rating" in model(given(rows), "bayes")["refused"]


def test_a_system_never_called_human_has_an_interval_on_the_scale_and_no_place_on_the_latent_one() -> None:
    rows = [{**row, "score": 0.0, "code": "machine"} if row["system"] == "beta" else row for row in crowd(THREE)]
    results = found(rows)
    beta = next(group for group in results["scores"]["by"]["system"] if group["name"] == "beta")
    assert (beta["mean"], beta["low"], beta["method"]) == (0.0, 0.0, "wilson")
    assert 0 < beta["high"] < 0.3
    latent = next(row for row in results["models"]["answers"]["systems"] if row["name"] == "beta")
    assert (latent["location"], latent["score"]) == (None, None)
    assert any("left out" in note for note in results["models"]["answers"]["notes"])
    assert results["contrasts"]["left_out"] == ["beta"], "its own answers don't vary, so no difference has a width"
    assert all(pair["low"] < pair["difference"] < pair["high"] for pair in results["contrasts"]["pairs"])


def test_without_variance_no_model_and_no_comparison_is_made() -> None:
    rows = [{**row, "score": 1.0, "code": "human"} for row in crowd(THREE)]
    results = found(rows)
    assert "Every answer is the same" in results["contrasts"]["refused"]
    assert "All answers about a system are the same" in results["models"]["fast"]["refused"]
    assert "Every answer is the same" in results["models"]["answers"]["refused"]
    assert {row["alpha"] for row in results["agreement"]["alpha"]} == {None}
    assert all(group["low"] < group["high"] == 1.0 for group in results["scores"]["by"]["system"])


def test_answers_are_modelled_with_clips_and_texts_and_not_for_these_clips_only() -> None:
    models = found(crowd(THREE))["models"]
    assert models["answers"]["scope"] == "for these clips only"
    assert (models["answers_clips"]["scope"], models["answers_clips"]["model"]) == ("", "ordinal")
    assert list(models["answers_clips"]["sds"]) == ["rater", "rater:system", "clip", "text"]
    assert models["answers_clips"]["log_likelihood"] >= models["answers"]["log_likelihood"] - 1e-6


def test_clips_that_cannot_be_told_from_systems_give_no_model_of_answers_with_clips() -> None:
    models = found([{**row, "clip": row["clip"] // 100, "text": row["system"]} for row in crowd(THREE)])["models"]
    assert models["answers_clips"]["refused"] == (
        "Each system has a single clip, so its effect can't be told from the system's."
    )
    assert "refused" not in models["answers"]


def test_the_bayesian_model_with_clips_stands_beside_that_of_the_paper() -> None:
    inputs = given([{**row, "text": f"text-{row['clip']}"} for row in crowd({"alpha": 0.4, "beta": 0.2}, raters=20)])
    found = model(inputs, "bayes_clips")
    assert found["formula"] == "score ~ 0 + system + (1 | rater) + (1 | rater:system) + (1 | clip)"
    assert [*found["sds"]] == ["rater", "rater:system", "clip", "residual"]
    assert (found["scope"], found["ratings"], found["raters"]) == ("", 240, 20)
    assert all(row["low"] < row["mean"] < row["high"] for row in found["systems"])
    assert found["worst_rhat"] < 1.01
    assert found["least_ess"] > 400


def test_clips_that_cannot_be_told_from_systems_give_no_bayesian_model_with_clips() -> None:
    alone = given([{**row, "clip": row["clip"] // 100, "text": row["system"]} for row in crowd(THREE)])
    reason = "Each system has a single clip, so its effect can't be told from the system's."
    assert model(alone, "bayes_clips") == {"refused": reason}


def test_without_dimensions_there_are_none_in_scores_and_the_model_says_so() -> None:
    rows = [{**row, "dimension": "" if row["clip"] % 2 else row["dimension"]} for row in crowd(THREE)]
    results = found(rows)
    named = {group["name"] for group in results["scores"]["by"]["dimension"]}
    assert named == {"", "poetry"}
    assert any("without a dimension" in note for note in model(given(rows), "adjusted")["notes"])
    bare = found([{**row, "dimension": ""} for row in crowd(THREE)])
    assert "dimension" not in bare["scores"]["by"]


def test_too_few_cells_hide_the_sd_of_raters_liking_of_systems() -> None:
    results = found(crowd(THREE, raters=8))
    assert results["models"]["fast"]["sds"]["rater:system"] is None
    assert results["models"]["fast"]["icc"] == {}
    assert any("30 are needed" in note for note in results["models"]["fast"]["notes"])


def test_detection_needs_human_speech_and_boxes_need_boxes() -> None:
    results = found(crowd({"alpha": 0.4, "beta": 0.2}))
    assert "no answers about human speech" in results["detection"]["refused"]
    assert results["boxes"]["refused"] == "No clip of a system is marked as white box or black box."
    assert "neither human test clips" in results["baseline"]["refused"]


def test_a_verdict_is_given_only_by_a_margin_that_was_fixed() -> None:
    results = found(crowd(THREE))
    assert results["baseline"]["source"] == "test"
    assert {row["verdict"] for row in results["baseline"]["systems"]} == {""}
    assert "No margin was fixed" in results["baseline"]["note"]


@pytest.mark.parametrize("preset", ["mushra", "sp-mcqa", "cmos", "acr"])
def test_tasks_that_do_not_ask_for_human_speech_have_no_detection(preset: str) -> None:
    inputs = given(crowd(THREE, raters=2), preset)
    assert "nothing to detect" in whole.guarded(lambda: detecting.section(inputs))["refused"]
