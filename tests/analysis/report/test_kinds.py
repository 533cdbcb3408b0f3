"""Every kind of task goes through an analysis, and its scores are those that plain loops find."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from analysis.data.models import Simulated
from analysis.live import figures
from analysis.report import computing, gathering, summary
from analysis.report.page import blocks
from analysis.sections.inputs import guarded
from analysis.sections.results import dump, load
from analysis.sections.scores import display as scores_display
from analysis.sections.scores import plot as scores_plot
from studies import task_types
from studies.models import Clip
from tests.analysis.rated import Rated, heard, system
from tests.analysis.report.made import analysed, gathered

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.mark.parametrize("kind", sorted(task_types.by_name()))
def test_a_small_study_of_any_kind_is_analysed_and_shown(kind: str, now: datetime) -> None:
    world = Rated(now, kind=kind).everybody(18)
    inputs = gathered(world.study)
    results = dump(computing.compute(inputs))
    results["models"] = {"refused": "not here"}
    means = {_name(group): group["mean"] for group in results["scores"]["by"]["system"]}
    # Scores of pairs have tests of their own (`test_sides`).
    if not inputs.kind.contests:
        assert means == pytest.approx(world.means(system))
        benchmarks = {group["name"]: group["mean"] for group in results["scores"]["by"]["benchmark"]}
        assert benchmarks == pytest.approx(
            world.means(lambda row: None if system(row) == "human" else heard(row).benchmark)
        )
    assert results["inputs"]["counted"] == len(list(world.counting(world.frozen.kind.score.part)))
    assert json.loads(json.dumps(results)) == results
    # Page 1 counts ratings as the page *Results* does, whatever a trial asks about how many clips.
    live = figures.compute(study_id=world.study.pk, simulated=Simulated.WITHOUT, now=now).coverage
    usable, answers = sum(cell.usable for cell in live.cells), results["exclusions"]["counted"]
    assert f"Usable ratings: {usable}. " in summary.basis(load(results))
    shown = blocks(load(results))
    # Where one trial has several, both numbers are named, and what the tables count.
    units = {"sp_mcqa": "Here each answer to a question counts as a rating."}
    units |= dict.fromkeys(("mushra", "sets"), "Here the answer on each clip of a screen counts as a rating.")
    assert (f"Answers in them: {answers}. " in summary.basis(load(results))) == (kind in units) == (usable != answers)
    said = next(block.part.sentences for block in shown if block.part.key == "exclusions")
    assert (said[0] == units.get(kind), kind in units) in {(True, True), (False, False)}
    assert all(block.part.refused or block.part.sentences or block.part.tables for block in shown)
    for name in ("fast", "answers"):
        model = dump(guarded(lambda name=name: computing.MODELS[name](inputs)))  # type: ignore[misc]
        assert model.get("refused") or model["ratings"] <= results["inputs"]["counted"]


def test_the_analysis_and_its_plot_star_the_benchmarks_that_a_system_was_trained_on(now: datetime) -> None:
    world = Rated(now, kind="hfr", human_tests=True).everybody(18)
    Clip.objects.filter(study=world.study, benchmark="LJSpeech", system__name="alpha").update(seen="yes")
    results = computing.compute(gathered(world.study))
    sentence = "Marked *: the system was trained on this benchmark."
    by_name = {table.name: table for table in scores_display.part(results).tables}
    table = by_name["means_system_benchmark"]
    names = [column.title for column in table.columns]
    starred = [(row[0], name) for row in table.shown() for name, cell in zip(names, row, strict=True) if "*" in cell]
    assert (starred, table.notes[-1]) == ([("alpha", "LJSpeech")], sentence)
    other = by_name["means_system_condition"]
    assert "*" not in "".join([*other.notes, *(cell for row in other.shown() for cell in row)])
    plot = scores_plot.benchmarks(results)
    assert plot
    mean = world.means(lambda row: f"{system(row)}/{heard(row).benchmark}")["alpha/LJSpeech"]
    assert f"LJSpeech {100 * mean:.1f}*" in plot.alt
    assert (plot.alt.count("*"), plot.alt.endswith(sentence)) == (2, True)


def _name(group: dict[str, Any]) -> str:
    return f"{group['name']} (anchor)" if group["kind"] == "anchor" else str(group["name"])


def test_the_same_seed_gives_the_same_json_and_changed_answers_another_fingerprint(now: datetime) -> None:
    world = Rated(now, kind="ternary").everybody(12)
    first, second = (json.dumps(analysed(world.study)) for _ in range(2))
    assert first == second
    other = analysed(world.study, seed=2)
    assert other["inputs"]["fingerprint"] == json.loads(first)["inputs"]["fingerprint"]
    world.everybody(1)
    assert analysed(world.study)["inputs"]["fingerprint"] != other["inputs"]["fingerprint"]


def test_a_decision_that_changes_nothing_but_usability_changes_the_fingerprint(now: datetime) -> None:
    world = Rated(now, kind="hfr").everybody(6)
    before = gathering.fingerprint(gathered(world.study))
    row = next(world.counting("label"))
    row.trial.usable = False
    row.trial.save()
    assert gathering.fingerprint(gathered(world.study)) != before


def test_sections_that_are_left_out_say_so_and_change_nothing_else(now: datetime) -> None:
    world = Rated(now, kind="ternary").everybody(12)
    everything, some = analysed(world.study), analysed(world.study, sections=("agreement", "scores"))
    assert some["contrasts"] == dump(computing.LEFT_OUT)
    assert some["agreement"] == everything["agreement"]
    assert some["scores"] == everything["scores"]
