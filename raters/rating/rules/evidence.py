"""A browser's report on a trial, sent with the answer: bounded counts and seconds only.

It is stored as evidence only. Decisions use what the server observed.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints

from core.spec import Spec
from raters.rating.rules.writing import Count, Writing

# More than the clips of any screen.
CLIPS = 100
Key = Annotated[str, StringConstraints(max_length=22)]
# At most a week, like a session; the page caps larger values.
Seconds = Annotated[float, Field(ge=0, le=7 * 24 * 3600, allow_inf_nan=False)]


class PlaybackReport(Spec):
    """Playback of one clip, as observed by the page."""

    model_config = ConfigDict(strict=True)

    plays: Count = 0
    played: Annotated[float, Field(ge=0, le=1)] = 0.0
    interrupted: Count = 0
    # Jumps and playback speeds that the page reverted.
    seeks: Count = 0
    speeds: Count = 0
    first_end: Seconds | None = None
    since_end: Seconds | None = None


class Evidence(Spec):
    """A browser's report on a trial, stored as sent."""

    model_config = ConfigDict(strict=True)

    clips: dict[Key, PlaybackReport] = Field({}, max_length=CLIPS)
    hidden_ms: Annotated[int, Field(ge=0, le=7 * 24 * 3_600_000)] = 0
    inputs: Writing | None = None
