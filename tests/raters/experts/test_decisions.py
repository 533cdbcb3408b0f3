"""When experts' decisions exclude a rater (rule E1)."""

from __future__ import annotations

import pytest

from raters.experts.rules import condemns


@pytest.mark.parametrize(
    ("decided", "inconsistent", "limit", "expected"),
    [
        (10, 10, None, False),
        (4, 4, 0.5, False),
        (5, 3, 0.5, True),
        (10, 5, 0.5, False),
        (10, 6, 0.5, True),
        (5, 1, 0.0, True),
        (5, 0, 0.0, False),
        (5, 5, 1.0, False),
    ],
)
def test_a_rater_is_condemned_above_the_limit_and_never_on_a_few(
    decided: int, inconsistent: int, limit: float | None, expected: bool
) -> None:
    assert condemns(decided=decided, inconsistent=inconsistent, limit=limit, least=5) is expected
