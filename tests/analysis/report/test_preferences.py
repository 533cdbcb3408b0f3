"""Preferences between systems: counts of every pair, and strengths that find what was planted."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

import numpy as np
import pandas as pd
import pytest

from analysis.data import frame
from analysis.report import computing, document, page
from analysis.sections.preferences import Preferences, compute
from analysis.sections.preferences import plot as preferences_plot
from analysis.sections.results import load
from studies.models import ItemClip
from tests.analysis.rated import Rated
from tests.analysis.report.made import gathered
from tests.analysis.report.results import nothing

STRENGTHS = {"alder": 0.8, "birch": 0.0, "cedar": -0.8}


def answers(
    *, order: float = 0.0, ties: bool = False, seed: int = 1, raters: int = 30, texts: int = 20
) -> pd.DataFrame:
    """Draw answers on all pairs from the model; a system is a row's own in half of its texts."""
    draw = np.random.default_rng(seed)
    names = list(STRENGTHS)
    rows = []
    for rater in range(raters):
        for text in range(texts):
            one, other = draw.permutation(names)[:2]
            is_first = bool(draw.random() < 0.5)
            felt = STRENGTHS[one] - STRENGTHS[other] + (order if is_first else -order)
            is_tie = ties and draw.random() < 0.2
            score = 0.5 if is_tie else float(draw.random() < 1 / (1 + np.exp(-felt)))
            rows.append((rater, f"t{text}", text, one, other, is_first, score))
    columns = ["rater", "text", "clip", "system", "against", "is_first", "score"]
    return pd.DataFrame(rows, columns=columns).astype({"text": "category"})


def found(rows: pd.DataFrame) -> Preferences:
    return compute.of(rows, middle=0.5)


def test_planted_strengths_and_the_effect_of_order_lie_in_their_intervals() -> None:
    section = found(answers(order=0.4, ties=True))
    assert [each.name for each in section.systems] == ["alder", "birch", "cedar"]
    assert all(each.low is not None and each.low < STRENGTHS[each.name] < (each.high or 0) for each in section.systems)
    assert section.first_heard is not None
    assert section.first_heard.low < 1 / (1 + np.exp(-0.4)) < section.first_heard.high
    assert section.tie is not None
    assert len({each.letters for each in section.systems}) == 3


def test_counts_of_a_pair_are_those_of_its_answers_whichever_side_they_were_on() -> None:
    rows = answers(ties=True)
    section = found(rows)
    for pair in section.pairs:
        ours = rows[(rows["system"] == pair.first) & (rows["against"] == pair.second)]
        theirs = rows[(rows["system"] == pair.second) & (rows["against"] == pair.first)]
        assert pair.wins == (ours["score"] == 1).sum() + (theirs["score"] == 0).sum()
        assert pair.losses == (ours["score"] == 0).sum() + (theirs["score"] == 1).sum()
        assert pair.ties == (ours["score"] == 0.5).sum() + (theirs["score"] == 0.5).sum()


def test_systems_that_were_never_compared_have_counts_and_a_reason_instead_of_strengths() -> None:
    rows = answers()
    rows = rows[(rows["system"] != "cedar") & (rows["against"] != "cedar")]
    apart = rows.replace({"alder": "fir", "birch": "gorse"})
    section = found(pd.concat([rows, apart]))
    assert len(section.pairs) == 2
    assert not section.systems
    assert section.refused


@pytest.mark.django_db
def test_an_analysis_shows_preferences_of_a_comparison_and_of_no_other_task(now: datetime) -> None:
    rated = Rated(now, kind="compare").everybody(30)
    results = computing.compute(gathered(rated.study, sections=("preferences",)))
    assert isinstance(results.preferences, Preferences)
    [pair] = results.preferences.pairs
    others = dict(ItemClip.objects.filter(place=1).values_list("item", "clip__system__name"))
    wins = Counter(
        row.clip.system.name if row.value else others[row.trial.item_id] for row in rated.counting() if row.clip
    )
    assert (pair.wins, pair.losses) == (wins[pair.first], wins[pair.second])
    assert sum(wins.values()) > 10
    assert page.blocks(results)[0].part.key == "preferences"
    other = computing.compute(gathered(Rated(now, kind="acr").everybody(6).study, sections=("preferences",)))
    assert page.blocks(other)[0].part.key == "scores"


def test_the_plot_of_strengths_names_human_speech_as_tables_do() -> None:
    section = found(answers().replace({"system": {"alder": "human"}, "against": {"alder": "human"}}))
    plot = preferences_plot.strengths(load(nothing()).model_copy(update={"preferences": section}))
    assert plot
    assert "Human: 0." in plot.alt
    assert "human:" not in plot.alt


@pytest.mark.django_db
@pytest.mark.parametrize("reference", ["none", "text"])
def test_rows_of_a_comparison_name_the_other_system_and_the_order(now: datetime, reference: str) -> None:
    rated = Rated(now, kind="compare", options={"task__reference": reference}).everybody(12)
    table = frame.scores(rated.study.pk, None)
    assert set(frame.OF_PAIR) <= set(table.columns)
    assert (table["system"].astype(str) != table["against"].astype(str)).all()
    assert 0 < table["is_first"].mean() < 1


@pytest.mark.django_db
def test_each_further_question_has_preferences_of_its_own(now: datetime) -> None:
    more = [{"name": "Noise", "question": "Which has less noise?"}]
    options = {"task__answer": "tie", "task__more": more}
    rated = Rated(now, kind="compare", options=options).everybody(30)
    results = computing.compute(gathered(rated.study, sections=("preferences", "scales")))
    assert isinstance(results.preferences, Preferences)
    [noise] = results.preferences.questions
    for section, part in ((results.preferences, "preference"), (noise, "noise")):
        answers = [row.code for row in rated.counting(part)]
        assert sum(pair.ties for pair in section.pairs) == answers.count("tie")
        assert sum(pair.wins + pair.losses + pair.ties for pair in section.pairs) == len(answers) > 0
    keys = [part.key for part in document.parts(results)]
    assert "preferences" in keys
    assert "preferences-noise" in keys
    assert "scales" not in keys, "means of preferences are no scales"
    assert [block.part.key for block in page.blocks(results)][:2] == ["preferences", "preferences-noise"]
