"""The benches run; the figures that they print here mean nothing."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from types import ModuleType
from urllib.parse import urlsplit, urlunsplit

import numpy as np
import pytest

from config.settings import DATABASE_URL
from tests.bench import coverage, cycle, designs, exports, flat, imports, methods
from tests.bench.drawn import Drawn
from tests.bench.stage import PREFIX, Stage


@pytest.fixture
def database() -> str:
    """The URL of a database that no other test uses: a bench drops it and creates it again."""
    return urlunsplit(urlsplit(DATABASE_URL)._replace(path=f"/{PREFIX}_suite_{secrets.token_hex(4)}"))


def run(bench: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    monkeypatch.setattr(sys, "argv", ["bench", *arguments])
    bench.main()
    return capsys.readouterr().out


@pytest.mark.processes
@pytest.mark.postgres
@pytest.mark.slow
def test_a_cycle_counts_what_it_sent(monkeypatch, capsys, database: str) -> None:
    arguments = ("--runs=1", "--raters=1", "--sessions=1", "--settle=0", "--duration=0.1")
    printed = run(cycle, monkeypatch, capsys, f"--database={database}", *arguments)
    assert "30 cycles" in printed
    # Two raters warmed the servers up.
    assert "acknowledged: 90, stored: 90, lost: 0, doubled: 0" in printed
    assert "| CPU ms, web | " in printed


@pytest.mark.processes
@pytest.mark.postgres
@pytest.mark.slow
def test_a_small_and_a_large_study_are_compared(monkeypatch, capsys, database: str) -> None:
    arguments = ("--clips=400", "--answers=300", "--earlier=20", "--sessions=2")
    printed = run(flat, monkeypatch, capsys, f"--database={database}", *arguments)
    assert "large / small: median" in printed
    assert printed.count("lost: 0") == printed.count("breaches of the rules of places: []") == 2


def test_sides_of_a_cycle_are_compared_run_by_run(capsys, tmp_path: Path) -> None:
    stage = Stage("postgresql://127.0.0.1/earshot_bench", tmp_path)
    ours = cycle.Side("Earshot", stage, runs=[{"CPU ms": 4.0, "SQL": 16.0}, {"CPU ms": 5.0, "SQL": 16.0}])
    peer = cycle.Side("oTree", stage, runs=[{"CPU ms": 20.0}, {"CPU ms": 20.0}])
    cycle.compare([ours, peer])
    printed = capsys.readouterr().out
    assert "| CPU ms | 4.50 (4.00–5.00) | 20.0 |\n| SQL | 16.0 | – |" in printed
    assert "CPU a cycle, oTree / Earshot: 4.50 (4.00–5.00)" in printed


def test_an_import_is_timed(monkeypatch, capsys) -> None:
    printed = run(imports, monkeypatch, capsys, "--clips=2", "--rows=100")
    assert '2 clips: {"seconds": ' in printed
    assert '100 rows: {"seconds": ' in printed


@pytest.mark.sqlite
@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_an_export_is_timed(tmp_path: Path) -> None:
    exports.seed(sessions=2)
    figures = exports.export("csv", tmp_path / "export")
    assert figures["rows"] == 400
    assert figures["peak_over_idle_mb"] >= 0


def test_coverage_of_intervals_is_counted(monkeypatch, capsys) -> None:
    arguments = ("--replicates=1", "--scenario=40 raters × 24 clips, each rater 8", "--method=two-way")
    assert "| default (two-way) | " in run(methods, monkeypatch, capsys, *arguments)


def test_intervals_of_drawn_designs_are_counted_and_an_impossible_bound_fails(monkeypatch, capsys) -> None:
    monkeypatch.setattr(coverage, "LOWEST", 1.1)
    with pytest.raises(SystemExit, match="cells are out of bounds"):
        run(coverage, monkeypatch, capsys, "--designs=1", "--sets=2", "--fewer=0")
    drawn = Drawn.by(np.random.default_rng([7, 0]))
    shares = {cell.interval: cell.share for cell in coverage.cells(drawn, sets=2, fewer=0, seed=7)}
    assert set(shares) == {"means", "differences", "family error"}


def test_intervals_that_miss_too_often_on_one_side_fail(monkeypatch, capsys) -> None:
    for bound, value in (("LOWEST", 0.0), ("HIGHEST", 1.0), ("FAMILY", 1.0), ("TAIL", 1.0)):
        monkeypatch.setattr(coverage, bound, value)
    arguments = ("--designs=2", "--sets=2", "--fewer=0")
    with pytest.raises(SystemExit, match=r"^0$"):
        run(coverage, monkeypatch, capsys, *arguments)
    assert "Largest tails: differences 0.0" in capsys.readouterr().out
    monkeypatch.setattr(coverage, "TAIL", 0.0)
    with pytest.raises(SystemExit, match="2 cells are out of bounds"):
        run(coverage, monkeypatch, capsys, *arguments)


def test_looks_of_few_raters_and_repeated_trials_are_counted(monkeypatch, capsys) -> None:
    printed = run(methods, monkeypatch, capsys, "--null", "--raters=15", "--replicates=2")
    assert printed.startswith("2 null studies, 15 raters, five looks: naive ")
    printed = run(methods, monkeypatch, capsys, "--repeats", "--replicates=2")
    assert [line.split(":")[0] for line in printed.splitlines()] == ["10 raters", "20 raters", "50 raters"]


def test_every_design_is_drawn_and_judged() -> None:
    names = [name for name, _figures, _is_within in designs.rows(sets=1, seed=1)]
    assert names == [*designs.COVERAGE, *designs.FAMILIES, *designs.ENDS]
