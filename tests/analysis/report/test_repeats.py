"""The section on repeated trials: planted reliability is recovered, and the export marks repeats."""

from __future__ import annotations

import csv
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command

from analysis.report import computing, document
from analysis.sections.repeats import Repeats
from analysis.sections.repeats.compute import compute
from raters.models import Trial
from raters.simulation.simulated_sessions import simulate
from studies.launch.states import close
from studies.models import Study
from tests.analysis.report.made import analysed, gathered, given
from tests.world import make_study


def twice(sd: float, raters: int = 60, each: int = 6, part: str = "mos") -> dict[str, Any]:
    """Return ratings of clips with variance 1 around 3, given twice with this error, not rounded."""
    rng = np.random.default_rng(4)
    true = rng.normal(3, 1, raters * each)
    first, again = (true + rng.normal(0, sd, len(true)) for _time in range(2))
    codes = {"first_code": [f"{value:g}" for value in first], "again_code": [f"{value:g}" for value in again]}
    rater = np.repeat(np.arange(raters), each).tolist()
    return {"part": part, "rater": rater, "first": first.tolist(), "again": again.tolist(), **codes}


def section(preset: str, **rows: Any) -> Repeats:
    return compute(given([{"rater": 1, "session": 1, "system": "alpha", "score": 1.0}], preset, repeats=[rows]))


@pytest.mark.parametrize("reliability", [0.5, 0.8])
def test_the_planted_reliability_is_recovered(reliability: float) -> None:
    part = given([{"rater": 1, "session": 1, "score": 1.0}], "acr").kind.score.part
    [found] = section("acr", **twice(np.sqrt(1 / reliability - 1), part=part)).scales
    assert found.icc is not None
    assert found.icc.value == pytest.approx(reliability, abs=0.06)
    assert found.icc.low is not None
    assert found.icc.high is not None
    assert found.icc.low < reliability < found.icc.high
    # A scale with hundreds of points has no kappa.
    assert found.kappa is None
    assert found.difference is not None
    assert found.difference.value == pytest.approx(0, abs=0.15)


def test_categories_have_a_kappa_and_no_icc() -> None:
    part = given([{"rater": 1, "session": 1, "score": 1.0}], "hfr").kind.score.part
    codes = {"first_code": ["human", "machine"] * 6, "again_code": ["human", "human", "human", "machine"] * 3}
    scores = {name.removesuffix("_code"): [float(code == "human") for code in said] for name, said in codes.items()}
    [found] = section("hfr", part=part, rater=list(range(12)), **codes, **scores).scales
    assert (found.icc, found.difference, found.is_weighted) == (None, None, False)
    # Agreement .75, by chance .5 · .75 + .5 · .25.
    assert found.alike == 0.75
    assert found.kappa is not None
    assert found.kappa.value == pytest.approx(0.5)
    assert found.notes == ()


def test_few_raters_have_figures_without_intervals() -> None:
    part = given([{"rater": 1, "session": 1, "score": 1.0}], "acr").kind.score.part
    [found] = section("acr", **twice(0.5, raters=9, part=part)).scales
    assert found.icc is not None
    assert (found.icc.low, found.icc.high) == (None, None)
    assert found.notes == ("No intervals. Too few raters: 9, and at least 10 are needed.",)


@pytest.fixture
def simulated(now: datetime, files: Path) -> Study:
    study = make_study(now=now, texts=24, seconds=1.0, protocol__repeats=3, protocol__batches_per_session=1)
    simulate(study_id=study.pk, raters=25, seed=2, careless=0.0, now=now)
    return study


@pytest.mark.django_db
def test_simulated_raters_answer_repeats_with_their_own_noise(simulated: Study) -> None:
    found = analysed(simulated, simulated="only")["repeats"]
    [scale] = found["scales"]
    valid = Trial.objects.filter(repeat=1, batch__valid=True)
    assert (found["distance"], scale["pairs"], scale["raters"]) == (5, valid.count(), valid.count() / 3)
    assert 0.3 < scale["alike"] < 0.95
    # Their clips are much alike, so that most of the variance is their own noise.
    assert -0.1 < scale["icc"]["value"] < 0.8
    assert scale["kappa"]["value"] == pytest.approx(scale["icc"]["value"], abs=0.02)
    assert -0.2 < scale["difference"]["value"] < 0.2


@pytest.mark.django_db
def test_the_page_and_the_report_have_the_section_only_where_trials_are_repeated(
    simulated: Study, now: datetime
) -> None:
    inputs = gathered(simulated, simulated="only")
    results = computing.compute(inputs)
    [part] = [part for part in document.parts(results, inputs.definition) if part.key == "repeats"]
    assert part.title == "Repeated trials"
    assert "at least 5 trials after the first" in part.sentences[0]
    assert [row[1] for row in part.tables[0].rows] == [
        "Alike (%)", "Second − first, mean", "ICC(A,1)", "κ, quadratic weights",
    ]  # fmt: skip
    assert "ICC(A,1) is" in part.sentences[1]
    text = " ".join(
        sentence for part in document.parts(results, inputs.definition) if part.is_prose for sentence in part.sentences
    )
    assert "3 trials of each batch were repeated at least 5 trials later" in text
    assert "Apart from these repeats, nobody heard a text twice." in text
    other = make_study(now=now, texts=8)
    assert "repeats" not in analysed(other)


@pytest.mark.django_db
def test_exported_repeats_are_marked_and_not_usable(simulated: Study, tmp_path: Path) -> None:
    close(study=simulated)
    call_command("export_study", simulated.slug, simulated="only", out=tmp_path, verbosity=0)
    [file] = tmp_path.rglob("ratings.csv")
    with file.open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert list(rows[0])[-2] == "repeat"
    repeats = [row for row in rows if row["repeat"] == "1"]
    assert len({(row["session"], row["clip"]) for row in repeats}) == 75
    assert {row["usable"] for row in repeats} == {"false"}
    assert {"repeat" in row["exclusion_reasons"].split("|") for row in repeats} == {True}
    assert not any("repeat" in row["exclusion_reasons"] for row in rows if row["repeat"] == "0")
    assert {row["role"] for row in repeats} == {"test"}
