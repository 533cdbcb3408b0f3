"""A task type dropped in while the tests run says itself how its answers are analysed, exported and printed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from analysis.data.models import Simulated
from analysis.exports import files as exported
from analysis.exports.models import Layout
from analysis.exports.source import Source
from analysis.papers import index
from analysis.runs import analyses
from analysis.sections.results import Material
from studies import task_types
from studies.definition import presets
from tests.analysis.papers.made import study
from tests.analysis.rated import Rated
from tests.studies.task_types.test_new_task_type import SOURCE

DECLARED = """
    measure = "count"
    shows = "screen"
    paper, short = "att", "Metres"
"""


@pytest.fixture
def kinds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Add two task types: `silent` declares nothing that has a default, `telling` all that analyses ask for."""
    named = {"silent": SOURCE, "telling": SOURCE.replace("    options = 2\n", f"    options = 2\n{DECLARED}")}
    for name, source in named.items():
        (tmp_path / f"{name}.py").write_text(source.replace('"distance"', f'"{name}"'))
    monkeypatch.setattr(task_types, "__path__", [*task_types.__path__, str(tmp_path)])
    task_types.by_name.cache_clear()
    presets.by_name.cache_clear()
    yield
    monkeypatch.undo()
    task_types.by_name.cache_clear()
    presets.by_name.cache_clear()
    for name in named:
        sys.modules.pop(f"studies.task_types.{name}", None)
        vars(task_types).pop(name, None)


def analysed(world: Rated) -> Material:
    return analyses.material(
        study=world.study, simulated="without", versions=None, seed=1, report=lambda step, done, total: None
    )


@pytest.mark.django_db
@pytest.mark.usefixtures("files", "kinds")
@pytest.mark.parametrize(
    ("kind", "metric", "file", "tables"),
    [
        ("silent", "interval", "lss.csv", []),
        (
            "telling",
            "ratio",
            "mushra.csv",
            ["att_table3", "att_table6", "att_figure2a", "att_figure2b", "att_figure3", "att_table4"],
        ),
    ],
)
def test_it_is_analysed_exported_and_printed_as_it_declares(
    now: datetime, tmp_path: Path, kind: str, metric: str, file: str, tables: list[str]
) -> None:
    world = Rated(now, kind=kind).everybody(12)
    found = analysed(world)
    assert {alpha.metric for alpha in found.results.agreement.alpha} == {metric}
    paper = found.kind.paper
    assert [table.name for table in (index.tables(paper, [found]) if paper else [])] == tables
    exported.write(Source(world.study, Simulated.WITHOUT, layout=Layout.WEBMUSHRA), tmp_path / "out")
    assert (tmp_path / "out" / file).exists()


@pytest.mark.usefixtures("kinds")
def test_tables_of_several_types_call_it_by_its_short_name_those_without_one_last() -> None:
    rows = [{"system": "a", "rater": 1, "clip": 1, "score": 1.0}]
    asked = [study(kind, rows, slug=kind) for kind in ("silent", "acr", "telling", "hfr")]
    columns = index.tables("hfr", asked)[-1].columns
    assert [column.title for column in columns] == ["Time taken", "HFR", "Metres", "ACR", "SILENT"]
