"""The rows of a table of raters by number of clips."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from analysis.planning.inputs import PowerInputs
from analysis.planning.result import ByClips

FACTORS = (0.5, 1, 2, 4)
MOST_ROWS = 8


def until_enough(
    inputs: PowerInputs, row: Callable[[int], ByClips], of: Literal["raters", "raters_all"]
) -> tuple[ByClips, ...]:
    """Return a row for half to four times the clips, and for twice as many again until a number of raters is enough."""
    clips = [max(inputs.per_rater, 2, round(inputs.clips * factor)) for factor in FACTORS]
    rows = [row(number) for number in clips]
    while getattr(rows[-1], of) is None and len(rows) < MOST_ROWS:
        clips.append(2 * clips[-1])
        rows.append(row(clips[-1]))
    return tuple(rows)
