"""Figures of each task type, worked out again by loops that share nothing with the product."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from statistics import fmean, median

import pytest

from analysis.data.models import Simulated
from analysis.live import figures
from analysis.sections.results import dump
from raters.models import Rating
from tests.analysis.rated import Rated, heard, of, spoken, system, took
from tests.passages import listen, make_passages

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


def field(name: str) -> Callable[[Rating], str | None]:
    """Return a key: what a synthesiser's clip says of itself; human speech has none."""
    return lambda row: None if system(row) == "human" else getattr(heard(row), name)


@pytest.fixture
def hfr(files: Path, now: datetime) -> Rated:
    return Rated(now, kind="hfr", human_tests=True).everybody(18)


def test_hfr_by_system_benchmark_condition_domain_and_overall_counts_usable_answers_alone(hfr: Rated) -> None:
    found = hfr.figures()
    assert of(found, "system") == pytest.approx(hfr.means(system))
    assert set(of(found, "system")) == {"human", "alpha", "beta"}
    for by in ("benchmark", "condition"):
        assert of(found, by) == pytest.approx(hfr.means(field(by)))
    domains = hfr.means(lambda row: heard(row).domain or "human")
    assert of(found, "domain") == pytest.approx(domains)
    assert set(domains) == {"human", "commercial", "open"}
    overall = {row["kind"]: row["mean"] for row in found["scores"]["overall"]}
    assert overall == pytest.approx(hfr.means(lambda row: "human" if system(row) == "human" else ""))


def test_the_mean_over_benchmarks_weighs_each_benchmark_equally(hfr: Rated) -> None:
    table = hfr.figures()["crossed"]["benchmark"]
    cells = hfr.means(lambda row: f"{system(row)}/{heard(row).benchmark}")
    shown = {
        f"{row['name']}/{column}": cell["mean"]
        for row in table["rows"]
        for column, cell in zip(table["columns"], row["cells"], strict=True)
        if cell
    }
    assert shown == pytest.approx(cells)
    for row in table["rows"]:
        own = [mean for name, mean in cells.items() if name.startswith(f"{row['name']}/")]
        assert row["mu"] == pytest.approx(fmean(own))
        assert row["of"] == len(own)


def test_the_quota_counts_different_people_and_different_texts(hfr: Rated) -> None:
    people: dict[tuple[str, str], set[int]] = {}
    texts: dict[tuple[str, str], set[str]] = {}
    for row in hfr.counting("label"):
        key = (system(row), heard(row).benchmark)
        people.setdefault(key, set()).add(row.trial.rater_id)
        texts.setdefault(key, set()).add(spoken(row))
    found = {(row["name"], row["benchmark"]): (row["raters"], row["utterances"]) for row in hfr.figures()["quota"]}
    assert {key: count for key, count in found.items() if any(count)} == {
        key: (len(own), len(texts[key])) for key, own in people.items()
    }
    assert len(found) == 9


def test_a_system_that_nobody_has_rated_stands_in_the_quota_with_nothing(files: Path, now: datetime) -> None:
    found = Rated(now, kind="hfr").figures()["quota"]
    assert {(row["raters"], row["utterances"]) for row in found} == {(0, 0)}
    assert {row["name"] for row in found} == {"alpha", "beta"}


def test_times_have_a_median_beside_their_mean(hfr: Rated) -> None:
    seconds: dict[str, list[float]] = {}
    for row in hfr.counting("label"):
        seconds.setdefault(system(row), []).append(took(row.trial))
        seconds.setdefault("", []).append(took(row.trial))
    found = {row["name"]: row for row in hfr.figures()["times"]}
    for name, own in seconds.items():
        assert found[name]["clips"] == len(own)
        assert found[name]["response"]["mean"] == pytest.approx(fmean(own), abs=0.001)
        assert found[name]["response"]["median"] == pytest.approx(median(own), abs=0.001)
        # The clip lasts half a second, and its play began with the trial.
        assert found[name]["decision"]["median"] == pytest.approx(median(own) - 0.5, abs=0.001)


def test_markers_are_percent_of_all_usable_answers_the_human_ones_included(files: Path, now: datetime) -> None:
    world = Rated(now, kind="hfr_granular", human_tests=True).everybody(18)
    marked: Counter[tuple[str, str]] = Counter()
    answers: Counter[str] = Counter()
    for row in world.counting():
        names = (system(row), f"in {heard(row).domain or 'human'}")
        for name in names:
            answers[name] += row.part == "label"
            marked[name, row.code] += row.part == "marker"
    table = world.figures()["breakdowns"][1]
    assert len(table["lines"]) == 9
    for by, prefix in (("system", ""), ("domain", "in ")):
        for group in table["groups"][by]:
            name = prefix + group["name"]
            assert group["of"] == answers[name] > 0
            assert group["counts"] == [marked[name, line["code"]] for line in table["lines"]]
    assert any(row.code == "human" for row in world.counting("label"))


def test_errors_are_percent_of_questions_with_syntax_and_grammar_merged(files: Path, now: datetime) -> None:
    world = Rated(now, kind="sp_mcqa").everybody(18)
    for number, row in enumerate(Rating.objects.filter(part="error", code="phonetic").order_by("pk")):
        # The study's own questions have no distractors of these kinds.
        Rating.objects.filter(pk=row.pk).update(code=("syntax", "grammar", "phonetic")[number % 3])
    questions: Counter[str] = Counter(system(row) for row in world.counting("question"))
    errors = Counter((system(row), row.code) for row in world.counting("error"))
    [table] = world.figures()["breakdowns"]
    for group in table["groups"]["system"]:
        counts = dict(zip((line["code"] for line in table["lines"]), group["counts"], strict=True))
        assert group["of"] == questions[group["name"]]
        for code in ("phonetic", "semantic", "syntax", "grammar", "other"):
            assert counts[code] == errors[group["name"], code]
        assert counts["structure"] == counts["syntax"] + counts["grammar"]
    assert errors["alpha", "syntax"] + errors["beta", "syntax"] > 0


def test_acc_knows_no_golden_question_and_stands_beside_the_mean_over_raters(files: Path, now: datetime) -> None:
    world = Rated(now, kind="sp_mcqa").everybody(18)
    found = world.figures()
    assert of(found, "system") == pytest.approx(world.means(system))
    by_rater = world.means(lambda row: f"{system(row)}/{row.trial.rater_id}")
    for name, shown in of(found, "system", "rater_mean").items():
        assert shown == pytest.approx(fmean(mean for key, mean in by_rater.items() if key.startswith(f"{name}/")))


def test_acc_of_the_first_two_raters_leaves_out_those_asked_as_they_disagreed(files: Path, now: datetime) -> None:
    study = make_passages(now=now, questions=3)
    listen(study, now, "correct", "correct", "distractor_1")
    listen(study, now, "correct", "distractor_1", "correct")
    listen(study, now, "distractor_1", "distractor_1", "distractor_1")
    listen(study, now, "other", "other", "other")
    found = dump(figures.compute(study_id=study.pk, simulated=Simulated.WITHOUT, now=now))
    [row] = found["scores"]["system"]
    assert (row["ratings"], row["mean"]) == (12, pytest.approx(4 / 12))
    assert (row["first_ratings"], row["first"]) == (6, pytest.approx(4 / 6))
    assert row["rater_mean"] == pytest.approx((2 / 3 + 2 / 3 + 0 + 0) / 4)
    assert found["coverage"]["cells"] == [
        {"system": "alpha", "dimension": "", "clips": 1, "wanted": 4, "usable": 4, "filled": 4, "reopened": 1}
    ]
    assert found["notes"]["total"] == 3
    assert [note["prompt"] for note in found["notes"]["listed"]] == [
        f"How many were there, text-0, {number}?" for number in (1, 2, 3)
    ]
    assert {note["system"] for note in found["notes"]["listed"]} == {"alpha"}


def test_a_session_lost_to_its_golden_questions_is_counted(files: Path, now: datetime) -> None:
    study = make_passages(now=now)
    listen(study, now)
    listen(study, now, golden="distractor_1")
    found = dump(figures.compute(study_id=study.pk, simulated=Simulated.WITHOUT, now=now))
    assert found["rule"] == {"name": "golden", "lost": 1, "asked": 2, "right": 1}
    assert found["traps"] == []


@pytest.fixture
def mushra(files: Path, now: datetime) -> Rated:
    return Rated(now, kind="mushra", anchors=True).everybody(18)


def test_a_screens_clips_count_for_their_own_systems_and_the_hidden_reference_for_human(mushra: Rated) -> None:
    found = mushra.figures()
    assert of(found, "system") == pytest.approx(mushra.means(system))
    assert set(of(found, "system")) == {"human", "alpha", "beta", "human (anchor)"}
    assert found["baseline"]["mean"] == pytest.approx(mushra.means(system)["human"])
    assert found["baseline"]["source"] == "test"
    overall = {row["kind"]: row["mean"] for row in found["scores"]["overall"]}
    synthetic = mushra.means(lambda row: "" if system(row) in {"alpha", "beta"} else None)
    assert overall == pytest.approx({**synthetic, "human": mushra.means(system)["human"]})
    assert {cell["system"] for cell in found["coverage"]["cells"]} == {""}


def test_the_time_of_a_screen_is_divided_by_its_clips(mushra: Rated) -> None:
    trials = {row.trial_id: row.trial for row in mushra.counting()}
    # Two systems, an anchor, and the reference, which stands there twice.
    shares = [took(trial) / 4 for trial in trials.values()]
    found = {(row["name"], row["kind"]): row for row in mushra.figures()["times"]}
    for key in (("alpha", ""), ("human", "human"), ("human", "anchor")):
        assert found[key]["clips"] == len(trials)
        assert found[key]["response"]["mean"] == pytest.approx(fmean(shares), abs=0.001)
        assert found[key]["response"]["median"] == pytest.approx(median(shares), abs=0.001)
