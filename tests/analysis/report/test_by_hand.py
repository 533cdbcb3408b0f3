"""Figures worked out again by code that shares nothing with the product: rows invalid, open, excluded (rule H3)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t
from statsmodels.regression.linear_model import OLS
from statsmodels.regression.mixed_linear_model import MixedLM

from analysis.data.models import Simulated
from analysis.live import figures
from analysis.report import computing
from analysis.sections.inputs import AnalysisInput
from analysis.sections.results import dump
from raters.models import Rating
from tests.analysis.report.made import gathered
from tests.analysis.world import World


@dataclass(frozen=True)
class Seen:
    """A rated study: its answers by rules written out here, and what the product makes of them."""

    listed: list[tuple[str, int, int, float, bool]]
    inputs: AnalysisInput
    page: dict[str, Any]
    analysis: dict[str, Any]


@pytest.fixture
def seen(db: None, files: Path, now: datetime) -> Seen:
    return look(now)


@cache
def look(now: datetime) -> Seen:
    """Let people rate a study, and read it once for all tests."""
    world = World(now)
    world.crowd(48)
    inputs = gathered(world.study)
    page = dump(figures.compute(study_id=world.study.pk, simulated=Simulated.WITHOUT, now=now))
    return Seen(rows(world), inputs, page, dump(computing.compute(inputs)))


def rows(world: World) -> list[tuple[str, int, int, float, bool]]:
    """Return (system, rater, text, score, counts) of the answers to test clips, by rules written out here."""
    found = []
    for row in Rating.objects.filter(study=world.study, part="label").order_by("pk"):
        assert row.clip is not None
        batch = row.trial.batch
        counts = batch.state == "done" and not batch.verdicts.exists() and not row.trial.answer.verdicts.exists()
        if row.trial.item.role == "test" and not batch.session.simulated:
            assert row.clip.text is not None
            score = {"human": 1.0, "unclear": 0.5, "machine": 0.0}[row.code]
            found.append((row.clip.system.name, row.trial.rater_id, row.clip.text.pk, score, counts))
    return found


def by_system(seen: Seen) -> dict[str, list[tuple[int, int, float]]]:
    groups: dict[str, list[tuple[int, int, float]]] = defaultdict(list)
    for system, rater, text, score, counts in seen.listed:
        if counts:
            groups[system].append((rater, text, score))
    return groups


def two_way(listed: list[tuple[int, int, float]]) -> tuple[float, float, float]:
    """Return mean and interval of a mean by sums over raters and texts, one cluster deleted at a time (rule D1)."""
    n, mean = len(listed), fmean(score for _, _, score in listed)

    def parts(keys: list[object]) -> tuple[float, float]:
        """Return the variance by these clusters and its degrees of freedom."""
        sums: dict[object, float] = defaultdict(float)
        sizes: dict[object, int] = defaultdict(int)
        for key, (_, _, score) in zip(keys, listed, strict=True):
            sums[key] += score - mean
            sizes[key] += 1
        share = [size / n for size in sizes.values()]
        lever = [h * h / (1 - h) for h in share]
        df = 1 / (sum(h * h for h in share) + sum(lever) ** 2 - sum(a * a for a in lever))
        return sum((sums[key] / n / (1 - sizes[key] / n)) ** 2 for key in sums), df

    raters: list[object] = [rater for rater, _, _ in listed]
    texts: list[object] = [text for _, text, _ in listed]
    (by_rater, df_1), (by_text, df_2) = parts(raters), parts(texts)
    both, _ = parts([*zip(raters, texts, strict=True)])
    total = max(by_rater + by_text - both, by_rater, by_text)
    df = max(total**2 / (by_rater**2 / df_1 + by_text**2 / df_2), 1)
    half = float(t.ppf(0.975, df)) * total**0.5
    return mean, mean - half, mean + half


def test_scores_and_intervals_on_the_page_and_in_an_analysis(seen: Seen) -> None:
    groups = by_system(seen)
    expected = {system: two_way(listed) for system, listed in groups.items()}
    page = seen.page["scores"]["system"]
    analysis = seen.analysis["scores"]["by"]["system"]
    for found in (page, analysis):
        inside = {row["name"]: row for row in found if row["method"] in ("two-way", "larger one-way")}
        assert inside
        assert {row["name"]: row["mean"] for row in found} == pytest.approx({s: e[0] for s, e in expected.items()})
        for name, row in inside.items():
            assert (row["low"], row["high"]) == pytest.approx(expected[name][1:])
            assert row["ratings"] == len(groups[name])


def test_comparison_intervals_agree_with_a_general_regression_package(seen: Seen) -> None:
    groups = by_system(seen)
    for row in seen.analysis["scores"]["by"]["system"]:
        listed = groups[row["name"]]
        scores = np.array([score for _, _, score in listed])
        raters = np.unique([rater for rater, _, _ in listed], return_inverse=True)[1]
        own = {each["label"]: (each["low"], each["high"]) for each in row["comparisons"]}
        paper = OLS(scores, np.ones(len(scores))).fit().conf_int()[0]
        clustered = OLS(scores, np.ones(len(scores))).fit(cov_type="cluster", cov_kwds={"groups": raters}, use_t=True)
        assert own["paper"] == pytest.approx(tuple(paper))
        assert own["raters only"] == pytest.approx(tuple(clustered.conf_int()[0]))


def test_differences_of_systems_and_their_intervals(seen: Seen) -> None:
    groups = by_system(seen)
    pairs = {(p["first"], p["second"]): p for p in seen.analysis["contrasts"]["pairs"]}
    assert set(pairs) == set(combinations(sorted(groups), 2))
    for (first, second), pair in pairs.items():
        difference = fmean(s for *_, s in groups[first]) - fmean(s for *_, s in groups[second])
        assert pair["difference"] == pytest.approx(difference)
        assert pair["low_all"] <= pair["low"] <= difference <= pair["high"] <= pair["high_all"]


def test_exclusions_add_up_and_name_each_rule(seen: Seen) -> None:
    section = seen.analysis["exclusions"]
    listed = seen.listed
    assert (section["given"], section["counted"]) == (len(listed), sum(row[-1] for row in listed))
    reasons = {reason["reason"]: reason for reason in section["reasons"]}
    assert set(reasons) == {"traps", "batch_incomplete", "expert"}
    assert reasons["expert"]["ratings"] == 1
    assert sum(reason["ratings"] for reason in reasons.values()) == len(listed) - section["counted"]


def test_every_choice_of_exclusions_has_the_mean_of_the_rows_it_keeps(seen: Seen) -> None:
    section = seen.analysis["multiverse"]
    assert len(section["universes"]) == 2 ** len(section["rules"])
    everything, strict = section["universes"][0], section["universes"][-1]
    listed = seen.listed
    for universe, kept in ((everything, listed), (strict, [row for row in listed if row[-1]])):
        means = {name: fmean(row[3] for row in kept if row[0] == name) for name in section["systems"]}
        assert dict(zip(section["systems"], universe["scores"], strict=True)) == pytest.approx(means)
        assert sum(universe["ratings"]) == len(kept)
        assert universe["order"] == sorted(means, key=lambda name: -means[name])


# The made-up crowd hardly differs from rater to rater.
@pytest.mark.filterwarnings("ignore::statsmodels.tools.sm_exceptions.ConvergenceWarning")
def test_the_fast_model_is_that_of_a_general_package(seen: Seen) -> None:
    listed = [row for row in seen.listed if row[-1]]
    names = sorted({row[0] for row in listed})
    systems = np.array([[row[0] == name for name in names] for row in listed], dtype=float)
    scores, raters = np.array([row[3] for row in listed]), np.array([row[1] for row in listed])
    cells = {"cell": "0 + C(cell)"}
    table = pd.DataFrame({"score": scores, "rater": raters, "cell": [row[0] for row in listed]})
    table[names] = systems
    fitted = MixedLM.from_formula(
        "score ~ 0 + " + " + ".join(names), table, groups="rater", re_formula="1", vc_formula=cells
    ).fit(reml=True, method=["powell"])
    ours = dump(computing.MODELS["fast"](seen.inputs))
    assert ours["log_likelihood"] >= fitted.llf - 0.01
    means = {row["name"]: row["mean"] for row in ours["systems"]}
    assert means == pytest.approx(dict(fitted.fe_params), abs=0.01)


def test_the_flow_counts_sessions_by_where_they_got_to(seen: Seen) -> None:
    steps = {step["key"]: step["count"] for step in seen.analysis["participants"]["steps"]}
    listed = seen.listed
    assert steps["arrived"] == 48
    # Every fifth is under way; the others finished, every third of all with nothing that counts.
    done = {number + 1 for number in range(48) if number % 5 != 4}
    assert steps["started.open"] == 48 - steps["complete"] == 48 - len(done)
    assert steps["analysed"] == len({row[1] for row in listed if row[-1]})
    assert steps["complete"] - steps["unusable"] == steps["analysed"]
