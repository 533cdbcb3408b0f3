"""The command that analyses from a shell: it says at once what doesn't go together, and what can't be had."""

from __future__ import annotations

import csv
import io
import json
from datetime import datetime
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from studies import task_types
from studies.models import StudyVersion
from tests.analysis.rated import Rated, system
from tests.analysis.report.made import settings
from tests.analysis.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


def analyze(*arguments: str) -> str:
    out = io.StringIO()
    call_command("analyze_study", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--paper", "att"], "--paper needs --out DIR"),
        (["--with", "other"], "--with joins studies in a paper's tables"),
        (["--report", "report.doc"], "let the file end in .html or .pdf"),
        (["--with", "other", "other", "--paper", "att", "--out", "."], "Each study can be named once"),
        (["--versions", "9"], "This study has no version 9."),
        (["--seed", "-1"], "The seed is a whole number"),
        (["--paper", "mos", "--out", "."], "invalid choice: 'mos'"),
        (["--simulated", "maybe"], "invalid choice: 'maybe'"),
    ],
)
def test_what_does_not_go_together_is_said_before_anything_is_computed(
    world: World, arguments: list[str], message: str
) -> None:
    with pytest.raises(CommandError, match=message):
        analyze(world.study.slug, *arguments)


def test_an_unknown_study_is_named_as_such() -> None:
    with pytest.raises(CommandError, match="There is no study"):
        analyze("nowhere")


def test_without_ratings_it_says_so_and_its_json_has_every_section(world: World, tmp_path: Path) -> None:
    assert "No rating counts yet" in analyze(world.study.slug)
    written = tmp_path / "deep" / "results.json"
    assert str(written) in analyze(world.study.slug, "--json", str(written))
    results: dict[str, Any] = json.loads(written.read_text())
    assert results["study"]["slug"] == world.study.slug
    assert "refused" in results["models"]["bayes"]


def test_a_report_is_written_in_the_language_asked_for(world: World, tmp_path: Path) -> None:
    analyze(world.study.slug, "--report", str(tmp_path / "zh.html"), "--language", "zh-hans")
    analyze(world.study.slug, "--report", str(tmp_path / "en.html"))
    chinese, english = ((tmp_path / f"{name}.html").read_text() for name in ("zh", "en"))
    assert '<html lang="zh-hans">' in chinese
    assert "还没有计入的评测" in chinese
    assert '<html lang="en">' in english
    assert "No rating counts yet" in english
    with pytest.raises(CommandError, match="invalid choice: 'ar'"):
        analyze(world.study.slug, "--language", "ar")


def test_a_folder_that_cannot_be_written_is_named(world: World, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CommandError, match="Can't write"):
        analyze(world.study.slug, "--json", str(tmp_path / "file" / "results.json"))


def test_hidden_scores_take_a_reason(world: World) -> None:
    version = StudyVersion.objects.get(study=world.study)
    version.definition["results"] = {**version.definition.get("results", {}), "hide_scores": True}
    version.save()
    with pytest.raises(CommandError, match="hidden until it is closed"):
        analyze(world.study.slug)
    assert "No rating counts yet" in analyze(world.study.slug, "--open-scores", "a reviewer asks")


def shares(rated: Rated) -> dict[str, float]:
    """Return how often each system is preferred to the other of its pair: a row counts for both of its systems."""
    values: dict[str, list[float]] = {}
    for row in rated.counting(rated.frozen.kind.score.part):
        assert row.value is not None
        for placed in row.trial.clips.all():
            preferred = row.value if placed.clip_id == row.clip_id else 1 - row.value
            values.setdefault(placed.clip.system.name, []).append(preferred)
    return {name: fmean(each) for name, each in values.items()}


@pytest.mark.parametrize("kind", sorted(task_types.by_name()))
def test_without_a_paper_the_folder_gets_the_tables_of_the_report(
    kind: str, now: datetime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analysis.report.plots.draw", lambda results: [])
    monkeypatch.setattr("analysis.runs.analyses.settings_of", lambda stored: settings())
    rated, folder = Rated(now, kind=kind).everybody(18), tmp_path / "tables"
    written = analyze(rated.study.slug, "--out", str(folder)).split()
    assert sorted(written) == sorted(map(str, folder.iterdir()))
    assert {Path(path).suffix for path in written} == {".csv", ".md", ".tex"}
    with open(folder / "scores_system.csv") as file:
        means = {row[0].casefold(): float(row[1]) for row in list(csv.reader(file))[1:] if row[1]}
    factor = rated.frozen.kind.score.factor
    expected = shares(rated) if rated.frozen.kind.contests else rated.means(system)
    assert means == pytest.approx({name: factor * mean for name, mean in expected.items()})
