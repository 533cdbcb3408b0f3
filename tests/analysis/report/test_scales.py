"""Several scales: means of each, correlations within raters, answers with all scales alike, and planted means."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from datetime import datetime
from statistics import NormalDist, fmean

import numpy as np
import pandas as pd
import pytest

from analysis.report import computing, document, page
from analysis.sections.scales import Scales, compute
from analysis.sections.scales import plot as scales_plot
from analysis.stats.scales import within_raters
from raters.models import Rating
from studies.definition import presets
from studies.task_types.base import CodeBreakdown, ScoreScale
from tests.analysis.rated import Rated
from tests.analysis.report.made import gathered

SPEECH, NOISE = ScoreScale("SIG", 1.0, 5.0, "", "sig"), ScoreScale("BAK", 1.0, 5.0, "", "bak")
EFFORT = ScoreScale("Effort", 0.0, 100.0, "", "effort")
# Rater, system, and the answers on both scales.
ANSWERS = [
    (1, "alpha", 5, 4),
    (1, "alpha", 4, 4),
    (1, "beta", 3, 1),
    (2, "alpha", 2, 2),
    (2, "beta", 1, 1),
    (2, "beta", 3, 2),
]


def table(rows: list[tuple[int, str, float]]) -> pd.DataFrame:
    """Return ratings of one scale, each of a trial, clip and text of its own."""
    frame = pd.DataFrame(
        [
            (trial, rater, trial, trial, system, "", f"t{trial}", float(score))
            for trial, (rater, system, score) in enumerate(rows)
        ],
        columns=["trial", "rater", "item", "clip", "system", "kind", "text", "score"],
    )
    return frame.astype(dict.fromkeys(("system", "kind", "text"), "category"))


def both() -> Scales:
    tables = {
        "sig": table([(rater, system, sig) for rater, system, sig, _bak in ANSWERS]),
        "bak": table([(rater, system, bak) for rater, system, _sig, bak in ANSWERS]),
    }
    return compute.of((SPEECH, NOISE), tables)


def test_each_scale_has_the_means_of_its_own_answers_by_system() -> None:
    sig, bak = both().means
    assert {each.name: each.mean for each in sig.systems} == pytest.approx({"alpha": 11 / 3, "beta": 7 / 3})
    assert {each.name: each.mean for each in bak.systems} == pytest.approx({"alpha": 10 / 3, "beta": 4 / 3})
    assert [(each.name, each.ratings, each.raters) for each in sig.systems] == [("alpha", 3, 2), ("beta", 3, 2)]


def test_answers_with_all_scales_alike_are_counted() -> None:
    [alike] = both().alike
    assert (alike.scales, alike.alike, alike.answers) == (("SIG", "BAK"), 3, 6)


def test_scales_with_other_points_are_never_called_alike() -> None:
    tables = {"sig": table([(1, "alpha", 5)]), "effort": table([(1, "alpha", 5)])}
    assert compute.of((SPEECH, EFFORT), tables).alike == ()


def test_the_correlation_leaves_out_how_strict_raters_are() -> None:
    # Rater 1: deviations (1, 0, −1) and (1, 1, −2); rater 2: (0, −1, 1) and (1/3, −2/3, 1/3).
    [pair] = both().pairs
    assert pair.correlation == pytest.approx((1 + 2 + 2 / 3 + 1 / 3) / ((2 + 2) * (6 + 6 / 9)) ** 0.5)
    strict = np.array([1.0, 2.0, 4.0, 5.0])
    assert within_raters(strict, np.array([2.0, 1.0, 5.0, 4.0]), np.array([1, 1, 2, 2])) == pytest.approx(-1)
    assert within_raters(strict, np.array([3.0, 3.0, 4.0, 4.0]), np.array([1, 1, 2, 2])) is None


@pytest.mark.django_db
def test_an_analysis_shows_every_scale_and_nothing_of_other_tasks(now: datetime) -> None:
    rated = Rated(now, kind="scales").everybody(30)
    results = computing.compute(gathered(rated.study, sections=("preferences", "scores", "scales")))
    assert isinstance(results.scales, Scales)
    values: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for row in Rating.objects.filter(pk__in=[each.pk for each in rated.counting()] or [0]).select_related(
        "clip__system"
    ):
        if row.clip and row.value is not None:
            values[row.part, row.clip.system.name].append(row.value)
    main = results.scales.means[1]
    assert main.part == rated.frozen.kind.score.part == "intelligibility"
    assert {each.name: each.mean for each in main.systems} == {
        name: pytest.approx(fmean(scores)) for (part, name), scores in values.items() if part == main.part
    }
    assert [block.part.key for block in page.blocks(results)][:2] == ["scores", "scales"]
    [part] = [part for part in document.parts(results) if part.key == "scales"]
    assert [each.name for each in part.tables] == ["scale_naturalness", "scale_intelligibility", "scale_correlations"]
    assert part.plots == ("scale-naturalness", "scale-intelligibility")
    other = computing.compute(gathered(Rated(now, kind="acr").everybody(6).study, sections=("scales",)))
    assert "scales" not in [block.part.key for block in page.blocks(other)]


def test_the_share_of_a_choice_counts_all_answers_and_has_an_interval_by_raters_and_texts() -> None:
    answers = table([(rater, f"s{system}", 4) for rater in range(1, 9) for system in (1, 2) for _text in range(6)])
    answers["text"] = pd.Categorical([f"t{number % 6}" for number in range(len(answers))])
    buzz = answers[[
        item % 3 == 0 if system == "s1" else item % 2 == 0
        for item, system in zip(answers["item"], answers["system"], strict=True)
    ]]  # fmt: skip
    # Of separate passes, the trials differ.
    buzz = buzz.assign(code="buzz", trial=buzz["trial"] + 1000)
    chosen = pd.concat([buzz, buzz[:5].assign(code="click")])
    labels = {"buzz": "Buzz", "click": "Click", "none": "None of these"}
    shares = compute.shares_of(CodeBreakdown("Artefacts", "artefacts", labels), chosen, answers)
    assert [(choice.part, choice.name) for choice in shares.choices] == list(labels.items())
    found = {(choice.part, each.name): each for choice in shares.choices for each in choice.systems}
    assert found["buzz", "s1"].mean == pytest.approx(16 / 48)
    assert found["buzz", "s2"].mean == pytest.approx(24 / 48)
    assert found["none", "s1"].mean == 0
    assert {each.ratings for each in found.values()} == {48}
    low, high = found["buzz", "s1"].low, found["buzz", "s1"].high
    assert low is not None
    assert high is not None
    assert 0 < low < 16 / 48 < high < 1


ARTEFACTS = {"name": "Artefacts", "question": "What do you hear?", "answer": "several", "labels": ["Clicks", "Buzz"]}


@pytest.mark.django_db
def test_an_analysis_has_the_share_of_each_choice_by_system(now: datetime) -> None:
    mos = presets.get("acr-half").definition.params.scales[0].model_dump(mode="json")
    rated = Rated(now, kind="scales", options={"task__scales": [mos, ARTEFACTS]}).everybody(30)
    results = computing.compute(gathered(rated.study, sections=("scores", "scales", "breakdowns")))
    assert isinstance(results.scales, Scales)
    [shares] = results.scales.shares
    trials = {each.trial_id for each in rated.counting()}
    rows = Rating.objects.filter(trial__in=trials, part="artefacts").values_list("trial", "clip__system__name", "code")
    of = Counter(system for _trial, system in {(trial, system) for trial, system, _code in rows})
    buzz = Counter(system for _trial, system, code in rows if code == "2")
    found = {each.name: each.mean for each in shares.choices[1].systems}
    assert buzz
    assert found == {system: pytest.approx(buzz[system] / number) for system, number in of.items()}
    [part] = [part for part in document.parts(results) if part.key == "scales"]
    assert [each.name for each in part.tables] == ["scale_mos", "choices_artefacts"]
    assert ("Buzz", "alpha") in [row[:2] for row in part.tables[1].rows]


@pytest.mark.django_db
def test_every_scale_has_a_plot_of_its_means_with_their_intervals(now: datetime) -> None:
    rated = Rated(now, kind="scales").everybody(30)
    results = computing.compute(gathered(rated.study, sections=("scores", "scales")))
    assert isinstance(results.scales, Scales)
    drawn = {plot.name: plot for plot in scales_plot.means(results)}
    assert list(drawn) == ["scale-naturalness", "scale-intelligibility"]
    for scale in results.scales.means:
        assert len(scale.systems) > 1
        for each in scale.systems:
            assert each.low is not None
            assert each.high is not None
            written = f"{each.name} {each.mean:.2f} [{each.low:.2f}, {each.high:.2f}]"
            assert written.removeprefix("human ") in drawn[f"scale-{scale.part}"].alt
    only = results.scales.model_copy(update={"means": results.scales.means[:1]})
    assert scales_plot.means(results.model_copy(update={"scales": only})) == []


RATER_SD, TEXT_SD, ANSWER_SD = 0.4, 0.3, 0.7


def expected(middle: float, points: int = 5) -> float:
    """Return the mean of a rounded answer that is normal around `middle`."""
    answers = NormalDist(middle, (RATER_SD**2 + TEXT_SD**2 + ANSWER_SD**2) ** 0.5)
    return 1 + sum(1 - answers.cdf(point + 0.5) for point in range(1, points))


def drawn(rng: np.random.Generator, middles: dict[str, float], raters: int = 30, texts: int = 30) -> pd.DataFrame:
    """Draw ratings from 1 to 5: every rater hears each text by one of the systems."""
    names = list(middles)
    rater, text = (grid.ravel() for grid in np.meshgrid(np.arange(raters), np.arange(texts), indexing="ij"))
    system = (rater + text) % len(names)
    by_rater = rng.normal(0, RATER_SD, raters)
    by_text = rng.normal(0, TEXT_SD, (texts, len(names)))
    felt = np.array([middles[name] for name in names])[system] + by_rater[rater] + by_text[text, system]
    score = np.clip(np.rint(felt + rng.normal(0, ANSWER_SD, len(felt))), 1, 5)
    trial = np.arange(len(rater))
    columns = {
        "trial": trial,
        "rater": rater,
        "item": trial,
        "clip": text * len(names) + system,
        "system": pd.Categorical(np.array(names)[system]),
        "kind": pd.Categorical(np.full(len(rater), "")),
        "text": pd.Categorical([f"t{each}" for each in text]),
        "score": score,
    }
    return pd.DataFrame(columns)


@pytest.mark.parametrize("preset", ["p835", "smos"])
def test_planted_means_lie_in_their_intervals_in_93_of_100_studies(preset: str) -> None:
    scales = presets.get(preset).definition.kind.outcomes
    systems = ("alder", "birch", "cedar")
    middles = {
        scale.part: {name: 2.2 + 0.5 * ((n + 2 * k) % 5) for k, name in enumerate(systems)}
        for n, scale in enumerate(scales)
    }
    rng, inside = np.random.default_rng(11), []
    for _study in range(100):
        section = compute.of(scales, {scale.part: drawn(rng, middles[scale.part]) for scale in scales})
        for of_scale, place in itertools.product(section.means, range(len(systems))):
            found = of_scale.systems[place]
            assert found.low is not None
            assert found.high is not None
            inside.append(found.low <= expected(middles[of_scale.part][found.name]) <= found.high)
    assert len(inside) == 100 * len(scales) * len(systems)
    assert sum(inside) >= 0.93 * len(inside)


@pytest.mark.django_db
def test_the_methods_name_every_scale_with_its_labels_and_steps(now: datetime) -> None:
    rated = Rated(now, kind="scales").everybody(12)
    results = computing.compute(gathered(rated.study, sections=("design", "scores", "scales")))
    parts = {part.key: part for part in document.parts(results, rated.study.definition)}
    text = " ".join(parts["methods"].sentences)
    assert "Naturalness: “How natural does this recording sound?” Its labels were Excellent, Good, Fair, Poor" in text
    assert "Its points were 1 to 5 in steps of 1. All scales were on one page." in text
    assert "Their order was drawn for each rater." in text
    [settings] = [table for table in parts["design"].tables if table.name == "settings"]
    assert ("scales", "Naturalness: How natural does this recording sound?, Intelligibility: How easy is it to "
            "understand every word?") in settings.rows  # fmt: skip
