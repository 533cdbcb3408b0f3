"""What can't be estimated is refused with a sentence: never a traceback, never a wrong number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from analysis.papers.index import tables
from analysis.report import computing
from analysis.sections.baseline import display as baseline_display
from analysis.sections.detection import compute as detection_compute
from analysis.sections.inputs import AnalysisInput, guarded
from analysis.sections.results import dump, load
from analysis.stats.refusals import THESE_TEXTS
from tests.analysis.papers.made import study
from tests.analysis.report.made import crowd, given

THREE = {"alpha": 0.4, "beta": 0.2, "human": 0.8}


def found(rows: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    """Return all sections as they are stored, and the models that are quick."""
    inputs = given(rows, **changes)
    results = dump(computing.compute(inputs))
    results["models"] = {name: model(inputs, name) for name in ("fast", "answers", "answers_clips")}
    return results


def model(inputs: AnalysisInput, name: str) -> Any:
    """Return one model, or why there is none."""
    return dump(guarded(lambda: computing.MODELS[name](inputs)))


def every_model(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what each of the models says."""
    inputs = given(rows)
    return {name: model(inputs, name) for name in computing.MODELS}


def detection_notes(results: dict[str, Any]) -> tuple[str, ...]:
    """Return the sentences below the table of d′."""
    [table] = [table for table in baseline_display.part(load(results)).tables if table.name == "detection"]
    return table.notes


def test_no_rating_is_refused_in_every_section_that_needs_one() -> None:
    results = found([{"rater": 1, "score": 1.0, "usable": False, "reasons": "traps", "system": "alpha"}])
    for name in ("scores", "design", "contrasts", "times", "agreement"):
        assert "No rating counts yet" in results[name]["refused"]
    nothing = given([{"rater": 1, "score": 1.0, "usable": False, "reasons": "traps", "system": "alpha"}])
    assert {model(nothing, name)["refused"] for name in computing.MODELS} == {"No rating counts yet."}
    assert results["exclusions"]["counted"] == 0


def test_one_rater_has_scores_without_intervals_and_no_model() -> None:
    results = found(crowd(THREE, raters=1))
    assert [group["low"] for group in results["scores"]["by"]["system"]] == [None, None, None]
    few = "Too few raters: 1, and at least 5 are needed."
    assert results["scores"]["by"]["system"][0]["note"] == few
    assert f"A comparison needs two systems. alpha is left out: {few}" in results["contrasts"]["refused"]
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


def test_a_system_never_called_human_has_an_interval_on_the_scale_and_no_place_in_a_model() -> None:
    rows = [{**row, "score": 0.0, "code": "machine"} if row["system"] == "beta" else row for row in crowd(THREE)]
    results = found(rows)
    beta = next(group for group in results["scores"]["by"]["system"] if group["name"] == "beta")
    assert (beta["mean"], beta["low"], beta["method"]) == (0.0, 0.0, "wilson")
    assert 0 < beta["high"] < 0.4
    for model in results["models"].values():
        assert {row["name"] for row in model["systems"]} == {"alpha", "human"}
        assert "beta is left out: Every answer about it is the same" in model["notes"][0]
    assert results["contrasts"]["left_out"] == []
    pairs = {(pair["first"], pair["second"]): pair for pair in results["contrasts"]["pairs"]}
    assert set(pairs) == {("alpha", "beta"), ("alpha", "human"), ("beta", "human")}
    assert all(pair["low"] < pair["difference"] < pair["high"] for pair in pairs.values())
    assert pairs["beta", "human"]["p"] < 0.05
    assert {tier["name"] for tier in results["contrasts"]["tiers"]} == {"alpha", "beta", "human"}
    assert {row["name"] for row in results["baseline"]["systems"]} == {"alpha", "beta"}


def test_without_variance_no_model_is_made_and_a_comparison_says_that_nothing_differs() -> None:
    rows = [{**row, "score": 1.0, "code": "human"} for row in crowd(THREE)]
    results = found(rows)
    assert {pair["difference"] for pair in results["contrasts"]["pairs"]} == {0.0}
    assert all(pair["p"] == pytest.approx(1) for pair in results["contrasts"]["pairs"])
    assert all(pair["low"] < 0 < pair["high"] for pair in results["contrasts"]["pairs"])
    assert all("Every answer is the same" in model["refused"] for model in every_model(rows).values())
    assert {row["alpha"] for row in results["agreement"]["alpha"]} == {None}
    assert all(group["low"] < group["high"] == 1.0 for group in results["scores"]["by"]["system"])


@pytest.mark.parametrize(
    ("raters", "clips", "sentence"),
    [
        (9, 6, "Too few raters: 9, and at least 10 are needed."),
        (12, 4, "Too few texts: 4, and at least 5 are needed."),
    ],
)
def test_below_ten_raters_or_five_texts_no_model_is_made(raters: int, clips: int, sentence: str) -> None:
    for name, result in every_model(crowd(THREE, raters=raters, clips=clips)).items():
        assert f"alpha is left out: {sentence}" in result["refused"], name


@pytest.mark.parametrize(
    ("raters", "clips", "sentence"),
    [
        (4, 6, "Too few raters: 4, and at least 5 are needed."),
        (12, 4, "Too few texts: 4, and at least 5 are needed."),
    ],
)
def test_below_five_raters_or_five_texts_no_engine_publishes_an_interval(
    raters: int, clips: int, sentence: str
) -> None:
    rows = [{**row, "text": ""} for row in crowd(THREE, raters=raters, clips=clips)]
    results = dump(computing.compute(given(rows)))
    assert {group["note"] for group in results["scores"]["by"]["system"]} == {sentence}
    signals = [results["detection"]["overall"], *results["detection"]["systems"]]
    assert sentence in {signal["note"] for signal in signals}
    assert {signal["d_prime_low"] for signal in results["detection"]["systems"]} == {None}
    assert f"alpha is left out: {sentence}" in results["contrasts"]["refused"]
    assert results["quality"]["slope"] is None


def test_one_note_names_all_groups_without_an_interval_of_alpha() -> None:
    notes = dump(computing.compute(given(crowd(THREE, clips=4))))["agreement"]["notes"]
    why = "no interval of alpha. Too few texts of clips with two ratings: 4, and at least 10 are needed."
    assert [note for note in notes if "alpha." in note] == [f"All, alpha, beta, Human: {why}"]


def test_a_box_of_few_shared_texts_has_intervals_over_raters_as_in_the_papers_figure() -> None:
    rows = [{**row, "box": "black" if row["text"] < "text-4" else "white"} for row in crowd(THREE, clips=10)]
    results = dump(computing.compute(given(rows)))
    scores = results["scores"]
    cells = {row["name"]: dict(zip(("black", "white"), row["cells"], strict=True))
             for row in scores["crossed"]["box"]["rows"]}  # fmt: skip
    black = [next(group for group in scores["by"]["box"] if group["name"] == "black"), cells["alpha"]["black"]]
    assert [(each["note"], each["low"] < each["mean"] < each["high"]) for each in black] == [(THESE_TEXTS, True)] * 2
    assert cells["alpha"]["white"]["note"] == ""
    # No text is in both boxes.
    gap = results["boxes"]["overall"]
    assert (gap["low"], gap["note"]) == (None, "Too few texts: 4, and at least 5 are needed.")
    paper = next(table for table in tables("att", [study("ternary", rows)]) if table.name == "att_figure2a")
    line = next(line for line in paper.rows if line[0] == "alpha")
    assert line[8:] == (cells["alpha"]["black"]["low"], cells["alpha"]["black"]["high"])
    assert f"black: Human, alpha, beta: {THESE_TEXTS}" in paper.notes


def test_five_to_nine_raters_have_intervals_with_a_mark_everywhere() -> None:
    results = dump(computing.compute(given(crowd(THREE, raters=7))))
    assert all("Few raters: 7." in group["note"] for group in results["scores"]["by"]["system"])
    assert all(group["low"] < group["high"] for group in results["scores"]["by"]["system"])
    assert "alpha: Few raters: 7." in results["contrasts"]["notes"]
    assert len(results["contrasts"]["pairs"]) == 3
    assert "Few raters: 7." in results["detection"]["overall"]["note"]
    assert all(row["low"] is None for row in results["agreement"]["alpha"])


def test_a_system_with_too_few_raters_is_left_out_of_every_model_and_named() -> None:
    rows = [row for row in crowd(THREE) if row["system"] != "beta" or row["rater"] < 9]
    for name, result in every_model(rows).items():
        assert {row["name"] for row in result["systems"]} == {"alpha", "human"}, name
        assert "beta is left out: Too few raters: 9, and at least 10 are needed." in result["notes"]


@pytest.mark.parametrize(
    ("score", "who"),
    [
        (lambda row: float(row["system"] == "human"), "each system got"),
        (lambda row: float(row["rater"] % 2), "each rater gave"),
        (lambda row: float((row["rater"] + len(row["system"])) % 2), "each rater gave each system"),
    ],
)
def test_answers_that_separate_perfectly_have_no_model(score: Callable[[dict[str, Any]], float], who: str) -> None:
    for name, result in every_model([{**row, "score": score(row)} for row in crowd(THREE)]).items():
        assert f"The answers separate perfectly: {who}" in result["refused"], name


@pytest.mark.parametrize(("texts", "pieces"), [(6, "texts."), (0, "clips.")])
def test_pages_and_notes_name_what_stands_beside_raters_in_intervals(texts: int, pieces: str) -> None:
    rows = [{**row, "text": f"text-{row['clip'] % texts}" if texts else ""} for row in crowd(THREE)]
    results = dump(computing.compute(given(rows)))
    sentence = f"Intervals account for raters and for {pieces}"
    assert sentence in results["scores"]["notes"]
    assert sentence in detection_notes(results)


def test_fewer_than_five_shared_texts_leave_raters_alone_and_every_engine_says_so() -> None:
    rows = [{**row, "text": f"text-{row['clip'] % 3}"} for row in crowd(THREE)]
    results = dump(computing.compute(given(rows)))
    label = "Systems share fewer than 5 texts, so only raters are counted: for these texts only."
    alpha = next(group for group in results["scores"]["by"]["system"] if group["name"] == "alpha")
    only = next(each for each in alpha["comparisons"] if each["label"] == "raters only")
    assert alpha["note"] == label
    # Deleting one rater at a time is as good as the same, and no clip counts.
    assert (alpha["low"], alpha["high"]) == (
        pytest.approx(only["low"], abs=0.02),
        pytest.approx(only["high"], abs=0.02),
    )
    assert results["contrasts"]["scope"] == results["detection"]["overall"]["note"] == label
    assert results["design"]["pieces"] == "raters"
    assert label in results["scores"]["notes"]
    assert not any("Intervals account" in note for note in detection_notes(results))
    assert label in results["design"]["scope"]
    models = every_model(rows)
    for name in ("fast", "bayes", "answers"):
        assert models[name]["scope"] == "for these texts only"
    for name in ("clips", "adjusted", "bayes_clips", "answers_clips"):
        assert "Systems share fewer than 5 texts" in models[name]["refused"]


def test_answers_are_modelled_with_clips_and_texts_and_not_for_these_clips_only() -> None:
    models = found(crowd(THREE))["models"]
    assert models["answers"]["scope"] == "for these clips only"
    assert (models["answers_clips"]["scope"], models["answers_clips"]["model"]) == ("", "ordinal")
    assert list(models["answers_clips"]["sds"]) == ["rater", "rater:system", "clip", "text"]
    assert models["answers_clips"]["log_likelihood"] >= models["answers"]["log_likelihood"] - 1e-6


def test_clips_that_cannot_be_told_from_chance_give_no_model_of_answers_with_clips() -> None:
    rows = [{**row, "clip": number, "text": ""} for number, row in enumerate(crowd(THREE))]
    models = found(rows)["models"]
    assert models["answers_clips"]["refused"] == (
        "Each clip has a single rating, so its effect can't be told from chance."
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


def test_clips_that_cannot_be_told_from_chance_give_no_bayesian_model_with_clips() -> None:
    alone = given([{**row, "clip": number, "text": ""} for number, row in enumerate(crowd(THREE))])
    reason = "Each clip has a single rating, so its effect can't be told from chance."
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
    results = found(crowd({"alpha": 0.4, "beta": 0.2}, raters=12))
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
    assert "No margin was set" in results["baseline"]["note"]


@pytest.mark.parametrize("preset", ["mushra", "sp-mcqa", "cmos", "acr"])
def test_tasks_that_do_not_ask_for_human_speech_have_no_detection(preset: str) -> None:
    inputs = given(crowd(THREE, raters=2), preset)
    assert "nothing to detect" in dump(guarded(lambda: detection_compute.compute(inputs)))["refused"]
