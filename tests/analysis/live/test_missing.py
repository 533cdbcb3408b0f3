"""What Results says about scores that are not final yet."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from analysis.live.scores_page import missing


def row(low: float | None = 2.0, raters: int = 20) -> Any:
    return SimpleNamespace(low=low, raters=raters)


def figures(wanted: int, filled: int) -> Any:
    return SimpleNamespace(coverage=SimpleNamespace(wanted=wanted, filled=filled))


@pytest.mark.parametrize(
    ("filled", "rows", "sentences"),
    [
        (480, [row()], []),
        (443, [row()], ["These scores are preliminary: 37 of the 480 ratings wanted are still missing."]),
        (480, [row(), row(low=None, raters=3)], ["No interval yet: an interval needs ratings of 5 raters on 5 texts."]),
        (480, [row(raters=9)], ["Few raters: with fewer than 10 raters, an interval is only approximate."]),
    ],
)
def test_results_says_what_scores_lack(filled: int, rows: list[Any], sentences: list[str]) -> None:
    assert missing(figures(480, filled), rows) == sentences
