"""Systems compared several at once: counts and ranks of every system, and strengths that find what was planted."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pandas as pd
import pytest

from analysis.live import scores_page
from analysis.live.result import Figures
from analysis.report import computing, document, page
from analysis.sections.contrasts import Contrasts
from analysis.sections.sets import SetResults, compute
from analysis.sections.shared import Refusal
from studies.task_types.base import Sets
from tests.analysis.rated import Rated
from tests.analysis.report.made import gathered

STRENGTHS = {"alder": 1.0, "birch": 0.3, "cedar": -0.3, "damson": -1.0}


def answers(sets: Sets, *, seed: int = 1, raters: int = 30, texts: int = 12) -> pd.DataFrame:
    """Draw answers about sets of four from the model: the best of all, then of those left."""
    draw = np.random.default_rng(seed)
    names = list(STRENGTHS)
    rows = []
    for rater in range(raters):
        for text in range(texts):
            felt = {name: STRENGTHS[name] + draw.gumbel() for name in names}
            ranked = sorted(names, key=lambda name: -felt[name])
            scores = [1.0, 2 / 3, 1 / 3, 0.0] if sets == "ranking" else [1.0, 0.0, 0.0, -1.0]
            trial = rater * texts + text
            shown = draw.permutation(len(names))
            rows += [(trial, rater, f"t{text}", text, ranked[at], scores[at]) for at in shown]
    columns = ["trial", "rater", "text", "clip", "system", "score"]
    return pd.DataFrame(rows, columns=columns).astype({"text": "category"})


def found(rows: pd.DataFrame, sets: Sets) -> SetResults:
    return compute.of(rows, sets, np.random.default_rng(1))


def test_the_planted_difference_of_two_systems_lies_in_the_interval_of_a_ranking() -> None:
    section = found(answers("ranking"), "ranking")
    assert [each.name for each in section.systems] == list(STRENGTHS)
    assert len(section.probabilities) == 6
    for pair in section.probabilities:
        planted = 1 / (1 + np.exp(STRENGTHS[pair.second] - STRENGTHS[pair.first]))
        assert pair.low_all < planted < pair.high_all


def test_a_mean_rank_is_the_mean_over_the_sets() -> None:
    rows = answers("ranking")
    section = found(rows, "ranking")
    for each in section.ranks:
        scores = rows[rows["system"] == each.name]["score"]
        assert each.rank == pytest.approx(float((4 - 3 * scores).mean()))
        assert each.shown == len(scores)
    assert [each.name for each in section.ranks] == list(STRENGTHS)
    assert section.sizes == (4,)


def test_best_and_worst_are_counted_and_their_difference_is_the_score() -> None:
    rows = answers("best_worst")
    section = found(rows, "best_worst")
    for each in section.counts:
        scores = rows[rows["system"] == each.name]["score"]
        assert (each.best, each.worst) == ((scores == 1).sum(), (scores == -1).sum())
        assert each.score == pytest.approx(float(scores.mean()))
    assert [each.name for each in section.systems] == list(STRENGTHS)
    assert section.halves is not None
    assert section.halves.pearson > 0.9


def test_too_few_raters_get_counts_and_a_reason_instead_of_strengths() -> None:
    section = found(answers("ranking", raters=3), "ranking")
    assert len(section.ranks) == 4
    assert not section.systems
    assert section.refused


@pytest.mark.django_db
@pytest.mark.parametrize(("answer", "table"), [("best_worst", "best_worst"), ("ranking", "mean_ranks")])
def test_an_analysis_of_sets_has_its_tables_on_the_page_and_in_the_report(
    now: datetime, answer: str, table: str
) -> None:
    rated = Rated(now, kind="sets", options={"task__answer": answer}).everybody(30)
    results = computing.compute(gathered(rated.study, sections=("sets",)))
    assert isinstance(results.sets, SetResults)
    listed = results.sets.counts or results.sets.ranks
    assert {each.name for each in listed} == {"alpha", "beta", "gamma"}
    assert sum(each.shown for each in listed) == len(list(rated.counting()))
    assert page.blocks(results)[0].part.key == "sets"
    [part] = [part for part in document.parts(results) if part.key == "sets"]
    assert part.tables[0].name == table
    other = computing.compute(gathered(Rated(now, kind="acr").everybody(6).study, sections=("sets",)))
    assert page.blocks(other)[0].part.key == "scores"


@pytest.mark.django_db
def test_models_of_single_scores_are_refused_for_sets_and_pairs_of_systems_are_not(now: datetime) -> None:
    rated = Rated(now, kind="sets").everybody(30)
    live = Figures.model_validate(rated.figures())
    assert isinstance(live.model, Refusal)
    assert "judged against each other" in live.model.refused
    assert isinstance(live.contrasts, Contrasts)
    results = computing.compute(gathered(rated.study, sections=("contrasts", "models")))
    assert isinstance(results.every_model.fast, Refusal)
    assert isinstance(results.contrasts, Contrasts)


@pytest.mark.django_db
def test_live_says_what_the_scores_of_best_and_worst_mean(now: datetime) -> None:
    live = Figures.model_validate(Rated(now, kind="sets").everybody(12).figures())
    assert scores_page.reading(live).startswith("to the right of the line the system was chosen as the best")
