"""What a browser may report about a trial next to its answer: bounded counts and seconds only.

It is kept as evidence and decides nothing about an answer; the server goes by what it saw itself.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints

from core.spec import Spec
from raters.rating.rules.writing import Count, Writing

# More clips than a screen may have.
CLIPS = 100
Key = Annotated[str, StringConstraints(max_length=22)]
# The page cuts what is longer than a week; a session holds no longer.
Seconds = Annotated[float, Field(ge=0, le=7 * 24 * 3600, allow_inf_nan=False)]


class PlaybackReport(Spec):
    """What was seen of one clip's playback."""

    model_config = ConfigDict(strict=True)

    plays: Count = 0
    played: Annotated[float, Field(ge=0, le=1)] = 0.0
    interrupted: Count = 0
    # Jumps that were taken back, and speeds that were set right.
    seeks: Count = 0
    speeds: Count = 0
    first_end: Seconds | None = None
    since_end: Seconds | None = None


class Evidence(Spec):
    """All that comes with an answer; stored as it was sent."""

    model_config = ConfigDict(strict=True)

    clips: dict[Key, PlaybackReport] = Field({}, max_length=CLIPS)
    hidden_ms: Annotated[int, Field(ge=0, le=7 * 24 * 3_600_000)] = 0
    inputs: Writing | None = None
