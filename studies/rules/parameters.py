"""The numbers of the batch protocol, with their defaults and sources."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from core.spec import Spec


class Protocol(Spec):
    """How many clips a batch holds, which are traps, and what a rater must do before answering."""

    batches_per_session: int = Field(3, ge=1, le=100, description="Batches one rater is offered in a session.")
    ratings_wanted: int = Field(
        10, ge=1, le=10_000, description="Usable ratings wanted for each test clip (ATT paper, section 4.1)."
    )
    most_ratings: int | None = Field(
        None,
        ge=2,
        le=100,
        description="While no two raters of an item agree, one more rater is asked, up to this number. Empty: never.",
    )
    golden_share: float = Field(
        0.0,
        ge=0,
        le=1,
        description="Share of tasks with a golden question, whose answer everybody knows; each session has one.",
    )
    quota_raters: int | None = Field(
        None, ge=1, le=10_000, description="Distinct raters wanted for each system and benchmark; empty: no quota."
    )
    quota_utterances: int | None = Field(
        None, ge=1, le=10_000, description="Distinct utterances wanted for each system and benchmark; empty: no quota."
    )
    tests_per_batch: int = Field(7, ge=1, le=200, description="Test clips in a batch (ATT paper, section 3.4).")
    flawed_traps: int = Field(1, ge=0, le=50, description="Deliberately flawed clips in a batch, to be called Machine.")
    human_traps: int = Field(2, ge=0, le=50, description="Genuine recordings in a batch, as traps.")
    human_traps_right: int = Field(1, ge=0, le=50, description="Human traps that must be called Human.")
    repeat_text: Literal["never", "crossed"] = Field(
        "never",
        description="never: nobody hears a text twice; crossed: raters may hear every system's version of a text.",
    )
    human_share: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Share of human recordings among the test clips; empty: a system like any other.",
    )
    playback: Literal["enforce", "record"] = Field(
        "enforce",
        description="enforce: answers before the clip can have been heard are rejected; record: they are only marked.",
    )
    interruption: Literal["keep", "void"] = Field(
        "keep", description="void: a pause or a hidden tab voids a play until one runs whole."
    )
    max_plays: int | None = Field(None, ge=1, le=100, description="Plays allowed per clip. Empty: no limit.")
    quick_seconds: float = Field(
        0.3,
        ge=0,
        le=60,
        description="Decisions faster than this after the first full play are flagged, never rejected.",
    )
    show_context: bool = Field(
        False,
        description="Show each clip's style prompt and the dialogue before it, from its text; every clip needs them.",
    )
    lease_minutes: int = Field(30, ge=1, le=1440, description="Idle minutes after which a rater's places are released.")
    stop_after_invalid: int | None = Field(
        None, ge=1, le=100, description="End a session after this many invalid batches; empty: never."
    )

    @model_validator(mode="after")
    def is_consistent(self) -> Protocol:
        if self.human_traps_right > self.human_traps:
            raise ValueError("human_traps_right can't exceed human_traps: no batch could ever be valid.")
        if self.most_ratings is not None and self.most_ratings < self.ratings_wanted:
            raise ValueError("most_ratings can't be less than ratings_wanted.")
        return self

    @property
    def batch_size(self) -> int:
        return self.tests_per_batch + self.flawed_traps + self.human_traps
