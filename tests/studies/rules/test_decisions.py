"""The state of an item from experts' decisions, for reviews, codes, spot checks and drafts."""

from __future__ import annotations

import pytest

from studies.rules.decisions import standing
from studies.rules.spot_checks import outcome_of

YES, NO, UNSURE = "consistent", "inconsistent", "cannot_tell"


@pytest.mark.parametrize(
    ("outcomes", "wanted", "settled", "state", "outcome"),
    [
        ([], 1, "", "open", ""),
        ([NO], 1, "", "done", NO),
        ([UNSURE], 1, "", "done", UNSURE),
        ([NO], 2, "", "half", ""),
        ([NO, NO], 2, "", "done", NO),
        ([NO, YES], 2, "", "disputed", ""),
        ([UNSURE, YES], 2, "", "disputed", ""),
        ([NO, YES], 3, "", "disputed", ""),
        ([NO, YES], 2, YES, "done", YES),
        ([NO, YES], 2, NO, "done", NO),
        ([YES], 2, NO, "done", NO),
    ],
)
def test_enough_experts_who_agree_or_another_one_settle_an_item(
    outcomes: list[str], wanted: int, settled: str, state: str, outcome: str
) -> None:
    assert standing(outcomes, wanted, settled) == (state, outcome)


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        (["incomplete", "wrong_words"], ("done", "failed")),
        (["no", "no"], ("done", "failed")),
        (["cannot_tell", "cannot_tell"], ("done", "cannot_tell")),
        (["ok", "ok"], ("done", "passed")),
        (["ok", "mixed_voice"], ("disputed", "")),
        (["yes", "no"], ("disputed", "")),
        (["yes", "cannot_tell"], ("disputed", "")),
        (["no", "cannot_tell"], ("disputed", "")),
    ],
)
def test_two_who_find_different_faults_agree_that_a_clip_failed(codes: list[str], expected: tuple[str, str]) -> None:
    assert standing([outcome_of(code) for code in codes], 2) == expected
