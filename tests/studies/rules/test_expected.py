"""Expected answers of traps: a point or a range."""

from __future__ import annotations

from math import inf

import pytest

from studies.rules.expected import bounds


@pytest.mark.parametrize(
    ("expected", "ends"),
    [
        ("2", (2, 2)),
        ("-1.5", (-1.5, -1.5)),
        ("4..", (4, inf)),
        ("..0", (-inf, 0)),
        ("-3..-1", (-3, -1)),
        ("2..2", (2, 2)),
        *((wrong, None) for wrong in ("", "..", "3..2", "two", "2-3", "2...3", "2..x")),
    ],
)
def test_a_point_is_itself_and_a_range_may_be_open(expected: str, ends: tuple[float, float] | None) -> None:
    assert bounds(expected) == ends
