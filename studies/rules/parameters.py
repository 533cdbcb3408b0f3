"""The numbers of the batch protocol, with their defaults and sources."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from core.spec import Spec, labels
from core.text.words import say
from studies.rules.repeats import most_repeats


class Protocol(Spec):
    """Size of a batch, its traps, and conditions for answering."""

    batches_per_session: int = Field(
        3, ge=1, le=100, title="Batches per rater", description="Batches one rater is offered in a session."
    )
    ratings_wanted: int = Field(
        10, ge=1, le=10_000, title="Ratings per clip", description="Usable ratings wanted for each test clip."
    )
    most_ratings: int | None = Field(
        None,
        ge=2,
        le=100,
        title="Most ratings per clip",
        description="While no two raters of an item agree, one more rater is asked, up to this number. Empty: never.",
    )
    golden_share: float = Field(
        0.0,
        ge=0,
        le=1,
        title="Share of golden questions",
        description="Share of tasks with a golden question, whose answer everybody knows; each session has one.",
    )
    quota_raters: int | None = Field(
        None,
        ge=1,
        le=10_000,
        title="Raters per system",
        description="Distinct raters wanted for each system and benchmark; empty: no quota.",
    )
    quota_utterances: int | None = Field(
        None,
        ge=1,
        le=10_000,
        title="Utterances per system",
        description="Distinct utterances wanted for each system and benchmark; empty: no quota.",
    )
    tests_per_batch: int = Field(
        7, ge=1, le=200, title="Test clips per batch", description="A batch is what a rater gets at a time."
    )
    flawed_traps: int = Field(
        1,
        ge=0,
        le=50,
        title="Flawed traps per batch",
        description="Deliberately flawed clips in a batch, to be called Machine; of two clips, the other is to be "
        "preferred; on scales, a low point or the expected answer is right.",
    )
    human_traps: int = Field(
        2,
        ge=0,
        le=50,
        title="Human traps per batch",
        description="Genuine recordings in a batch, as traps; where two clips are compared, each is paired with "
        "itself.",
    )
    human_traps_right: int = Field(
        1,
        ge=0,
        le=50,
        title="Human traps to get right",
        description="Human traps of a batch that a rater must answer right for the batch to count.",
    )
    repeats: int = Field(
        0,
        ge=0,
        le=50,
        title="Repeated trials per batch",
        description="Test trials of a batch that the rater gets a second time, without being told, for test–retest "
        "reliability. Repeats never count in scores or coverage. 0: none.",
    )
    repeat_distance: int = Field(
        5,
        ge=1,
        le=200,
        title="Distance of a repeat",
        description="A repeated trial comes at least this many trials after its first.",
    )
    repeat_text: Literal["never", "crossed"] = Field(
        "never",
        title="Same text twice",
        description="Whether a rater may hear the same text again, spoken by another system.",
        json_schema_extra=labels(never="Never", crossed="From every system"),
    )
    human_share: float | None = Field(
        None,
        ge=0,
        le=1,
        title="Share of human recordings",
        description="Share of human recordings among the test clips; empty: a system like any other.",
    )
    playback: Literal["enforce", "record"] = Field(
        "enforce",
        title="Listening",
        description="Whether raters must hear the whole clip before they answer. If not, early answers are marked.",
        json_schema_extra=labels(enforce="Whole clip", record="Free, only marked"),
    )
    interruption: Literal["keep", "void"] = Field(
        "keep",
        title="Pauses while listening",
        description="Whether raters may pause a clip, or a pause or a hidden tab voids the play until one runs whole.",
        json_schema_extra=labels(keep="Allowed", void="Start again"),
    )
    max_plays: int | None = Field(
        None, ge=1, le=100, title="Plays per clip", description="Plays allowed per clip. Empty: no limit."
    )
    quick_seconds: float = Field(
        0.3,
        ge=0,
        le=60,
        title="Shortest decision, in seconds",
        description="Decisions faster than this after the first full play are flagged, never rejected.",
    )
    show_context: bool = Field(
        False,
        title="Show style and dialogue",
        description="Show each clip’s style prompt and the dialogue before it, from its text; every clip needs them.",
    )
    lease_minutes: int = Field(
        30, ge=1, le=1440, title="Idle minutes", description="Idle minutes after which a rater’s places are released."
    )
    stop_after_invalid: int | None = Field(
        None,
        ge=1,
        le=100,
        title="Stop after invalid batches",
        description="End a session after this many invalid batches; empty: never.",
    )

    @model_validator(mode="after")
    def is_consistent(self) -> Protocol:
        if self.human_traps_right > self.human_traps:
            raise ValueError("human_traps_right can't exceed human_traps: no batch could ever be valid.")
        if self.most_ratings is not None and self.most_ratings < self.ratings_wanted:
            raise ValueError("most_ratings can't be less than ratings_wanted.")
        if self.repeats > min(self.tests_per_batch, most_repeats(self.batch_size - self.repeats, self.repeat_distance)):
            raise ValueError(
                say(
                    "so many repeated trials don’t fit in a batch: lower their number or their distance, or use larger "
                    "batches"
                )
            )
        return self

    @property
    def batch_size(self) -> int:
        return self.tests_per_batch + self.flawed_traps + self.human_traps + self.repeats
