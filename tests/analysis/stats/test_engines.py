"""Earshot next to other programs on published examples, and the page that prints it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.bench import engines
from tests.bench.examples import stored
from tests.bench.examples.earshot import EXAMPLES, Example

PAGE = Path(__file__).parents[3] / "docs" / "engines.md"


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("| ").split(" | ")]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example.engine}-{example.name}")
def test_engines_agree_with_other_programs_within_the_bounds(example: Example) -> None:
    assert [str(row) for row in engines.compared(example, stored()) if not row.is_within] == []


def test_the_page_prints_the_stored_values_and_the_bounds() -> None:
    lines = [cells(line) for line in PAGE.read_text(encoding="utf-8").splitlines() if re.match(r"\| .*\d \|$", line)]
    printed = {(example, quantity): (value, by, bound) for _, example, quantity, _, value, by, _, bound in lines}
    bounds = {example.name: example.largest for example in EXAMPLES}
    assert printed == {
        (name, quantity): (f"{each.value:.7g}", each.by, f"{bounds[name](quantity, each.value):.2g}")
        for (name, quantity), each in stored().items()
    }


def test_without_the_other_program_the_stored_values_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert engines.output("no-such-program", "reference.R") == ""
    assert "Stored values instead of `no-such-program reference.R`" in capsys.readouterr().out


def test_a_difference_beyond_its_bound_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    [judges] = [example for example in EXAMPLES if example.name == "judges"]
    monkeypatch.setattr(engines, "EXAMPLES", [judges])
    monkeypatch.setattr(engines, "output", lambda *command: 'judges,"ICC(2,1)",0.3,other 1\n' * ("Rscript" in command))
    monkeypatch.setattr("sys.argv", ["engines"])
    with pytest.raises(SystemExit, match="1 of 2 differences are beyond their bounds"):
        engines.main()
    assert "| ICC(2,1) | 0.2897638 | 0.3 | other 1 | 0.01 | 1e-05 |" in capsys.readouterr().out
