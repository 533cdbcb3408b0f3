"""What an analysis says about answers that a program gave."""

from __future__ import annotations

import pytest

from analysis.sections.design import compute
from tests.analysis.report.made import crowd, given


@pytest.mark.parametrize(
    ("raters", "sentence"),
    [
        (16, "A program gave all of the answers. Simulated raters: 16."),
        (4, "A program gave some of the answers. Simulated raters: 4."),
    ],
)
def test_the_design_says_whether_all_answers_are_simulated(raters: int, sentence: str) -> None:
    rows = [{**row, "simulated": row["rater"] < raters} for row in crowd({"human": 0.9, "alpha": 0.4})]
    assert sentence in compute.compute(given(rows)).scope


def test_answers_of_people_are_not_called_simulated() -> None:
    scope = compute.compute(given(crowd({"human": 0.9, "alpha": 0.4}))).scope
    assert not any("program" in sentence for sentence in scope)
