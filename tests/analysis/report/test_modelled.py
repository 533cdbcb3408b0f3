"""The models with clips, on an analysis's page, in the report's tables and in its methods text."""

from __future__ import annotations

from typing import Any

from django.utils import translation

from analysis.report import methods
from analysis.sections.mixed_models import display as mixed_models_display
from analysis.sections.mixed_models import fitted as fitted_models
from analysis.sections.mixed_models import posterior as posterior_table
from analysis.sections.results import load
from analysis.sections.tables import Table
from tests.analysis.report.made import crowd, given
from tests.analysis.report.results import HUMAN, bayes, posterior, results

MEANS = {"alpha": 0.4, HUMAN: 0.85}
SDS = {"rater": posterior("rater", 0.2), "rater:system": None, "clip": posterior("clip", 0.1)}


def ordinal(scope: str, **changes: Any) -> dict[str, Any]:
    row = {"kind": "", "location": -0.5, "error": 0.1, "score": 0.4, "low": 0.35, "high": 0.45}
    return {
        "model": "ordinal",
        "formula": "P(answer) ~ 0 + system + (1 | rater)",
        "systems": [{"name": "alpha", **row}],
        "thresholds": [0.0, 0.8],
        "sds": {"rater": 1.2},
        "approximate": [],
        "log_likelihood": -300.0,
        "ratings": 600,
        "raters": 40,
        "scope": scope,
        "notes": [],
        **changes,
    }


def fitted(**changes: Any) -> dict[str, Any]:
    """Return results with a Bayesian model with clips."""
    found = results()
    found["models"] |= {"bayes_clips": bayes(MEANS, SDS, ""), **changes}
    return found


def paper_table(found: dict[str, Any]) -> Table:
    """Return the table as the ATT paper prints it."""
    return posterior_table.of_model(load(found).every_model.bayes, posterior_table.NAME, posterior_table.TITLE)


def prose(found: dict[str, Any]) -> str:
    return " ".join(methods.methods(load(found), None).sentences)


def test_the_bayesian_models_without_and_with_clips_are_told_apart_in_both_languages() -> None:
    tables = {table.name: table for table in mixed_models_display.part(load(fitted())).tables}
    without, with_clips = tables["model_bayes"], tables["model_bayes_clips"]
    assert any("these clips only" in note for note in without.notes)
    assert not any("these clips only" in note for note in with_clips.notes)
    with translation.override("zh-hans"):
        titles = {table.name: table.title for table in mixed_models_display.part(load(fitted())).tables}
    assert titles["model_bayes_clips"] == "HLS 的贝叶斯混合模型（含音频和文本）"


def test_estimates_of_shares_are_in_percent_in_every_model() -> None:
    found = fitted()
    found["study"]["scale"] |= {"name": "HFR", "unit": "%"}
    tables = {table.name: table for table in mixed_models_display.part(load(found)).tables}
    human = tables["model_bayes"].shown()[0]
    assert human[:5] == ["Human", "85.000", "1.000", "83.000", "87.000"]
    assert tables["model_bayes"].title == "Bayesian mixed model of HFR (%)"
    assert human[5:] == ["1.001", "2000", "2100"]


def test_an_analysis_made_before_there_was_such_a_model_is_shown_without_it() -> None:
    older = results()
    del older["models"]["bayes_clips"]
    loaded = load(older)
    assert (
        "Bayesian mixed model with clips and texts: This was not computed."
        in mixed_models_display.part(loaded).sentences
    )


def test_the_report_has_a_table_of_it_and_table_3_stays_the_papers_model() -> None:
    found = fitted()
    tables = {table.name: table for table in mixed_models_display.part(load(found)).tables}
    made = tables["model_bayes_clips"]
    assert made.title == "Bayesian mixed model of HLS, with clips and texts"
    assert [row[0] for row in made.rows][-3:] == [posterior_table.SDS[name] for name in SDS]
    assert not any("these clips only" in note for note in made.notes)
    for paper in (tables["model_bayes"], paper_table(found)):
        assert not any(row[0] == posterior_table.SDS["clip"] for row in paper.rows)
        assert "The model holds for these clips only." in paper.notes


def test_the_methods_text_says_which_models_count_clips() -> None:
    told = prose(fitted())
    assert (
        "The same model with random effects of what was heard is score ~ 0 + system + (1 | rater) + (1 | clip), with "
        "the same priors; 4,000 draws, largest R-hat 1.0010, smallest effective sample 2000." in told
    )
    alone = prose(fitted(bayes={"refused": "The chains did not agree."}))
    assert "The Bayesian mixed model, Gaussian with identity link, with random effects of what was heard" in alone
    assert "with these priors: Normal; 4,000 draws" in alone
    assert "Laplace" not in told


def test_the_methods_text_says_how_answers_in_order_were_modelled() -> None:
    clips = ordinal("", formula="P(answer) ~ 0 + system + (1 | rater) + (1 | clip)")
    told = prose(fitted(answers=ordinal("for these clips only"), answers_clips=clips))
    assert (
        "The ordinal mixed model of the answers (cumulative logits) is P(answer) ~ 0 + system + (1 | rater), fitted by "
        "Laplace’s approximation; its scores are averaged over raters." in told
    )
    assert (
        "The same model with random effects of what was heard is P(answer) ~ 0 + system + (1 | rater) + (1 | clip), "
        "fitted by Laplace’s approximation over all of its crossed effects together" in told
    )
    logistic = prose(fitted(answers_clips={**clips, "model": "logistic"}))
    assert "The logistic mixed model of the answers (a logit link) with random effects of what was heard is" in logistic


def test_the_interval_of_a_posterior_mean_does_not_leave_the_scale() -> None:
    """With 10 raters and 5 clips a system, the posterior of human speech at .8 reaches beyond 1."""
    model = fitted_models.posterior_clips(given(crowd({"alpha": 0.4, "human": 0.93}, raters=10, clips=5)))
    human = next(row for row in model.systems if row.kind == HUMAN)
    assert human.low < human.mean < human.high == 1
