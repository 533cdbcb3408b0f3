"""The benchmarks run, so that they can be trusted when somebody needs a figure; what they measure here says nothing."""

from __future__ import annotations

import secrets
import sys
from urllib.parse import urlsplit, urlunsplit

import pytest

from config.settings import DATABASE_URL
from tests.bench import browser, cycle, experts, flat, http
from tests.bench.stage import PREFIX
from tests.servers import ROOT

pytestmark = [pytest.mark.processes, pytest.mark.postgres, pytest.mark.slow]


def run(module, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a benchmark on a database of its own beside the suite's, and return what it says."""
    # Tests that run side by side may not share it: each bench makes its database afresh.
    name = f"{PREFIX}_suite_{secrets.token_hex(4)}"
    database = urlunsplit(urlsplit(DATABASE_URL)._replace(path=f"/{name}"))
    monkeypatch.setattr(sys, "argv", ["bench", "--database", database, *arguments])
    module.main()
    return capsys.readouterr().out


def test_the_load_driver_counts_what_it_sent(monkeypatch, capsys) -> None:
    said = run(http, monkeypatch, capsys, "--raters=2", "--seconds=2", "--warm-up=1", "--runs=1", "--audio")
    assert "lost: 0" in said
    assert "doubled: 0" in said
    assert "breaches of the rules of places: []" in said


def test_true_cycles_of_two_checkouts_are_compared(monkeypatch, capsys) -> None:
    """This checkout stands for the other one, too; oTree is left out, since it isn't installed here."""
    monkeypatch.setattr(cycle, "interpreter_of", lambda root: sys.executable)
    arguments = ("--runs=1", "--raters=2", "--sessions=1", "--settle=0", "--duration=0.1", f"--before={ROOT}")
    said = run(cycle, monkeypatch, capsys, *arguments)
    for side in ("Earshot, run 1", "before, run 1"):
        found = said.split(side)[1]
        assert "60 cycles" in found
        # Four raters warmed it up.
        assert "acknowledged: 180, stored: 180, lost: 0, doubled: 0" in found
    assert "| CPU ms, web | " in said
    assert "CPU a cycle, before / Earshot: " in said


@pytest.mark.browser
def test_the_next_clip_is_timed_in_a_browser(monkeypatch, capsys) -> None:
    said = run(browser, monkeypatch, capsys, "--trials=2", "--duration=0.3")
    assert "from Save to the next clip: median" in said
    assert ", of 2" in said
    assert "trial page, second visit: " in said


def test_early_answers_are_refused_and_none_is_stored(monkeypatch, capsys) -> None:
    arguments = ("--raters=2", "--seconds=2", "--warm-up=1", "--runs=1", "--enforce", "--duration=0.6")
    said = run(http, monkeypatch, capsys, *arguments)
    assert "'answer 425'" in said
    assert "sooner than the clip lasts: 0" in said
    assert "lost: 0" in said


def test_small_and_large_studies_are_compared(monkeypatch, capsys) -> None:
    said = run(flat, monkeypatch, capsys, "--clips=800", "--answers=600", "--earlier=20", "--sessions=5")
    assert "large / small: median" in said
    assert said.count("lost: 0") == said.count("breaches of the rules of places: []") == 2


def test_the_pages_of_experts_are_compared(monkeypatch, capsys) -> None:
    said = run(experts, monkeypatch, capsys, "--few=300", "--answers=600", "--clips=200", "--rounds=2", "--only=desks")
    for page in ("studies", "review: decide", "review: overview", "coding: decide", "coding: overview"):
        assert f"{page}: " in said
