"""Inputs of a planned study."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from core.spec import Spec
from core.text.words import say


class Scaled(Spec):
    """Inputs; those listed in `in_units` are in units of the score."""

    in_units: ClassVar[tuple[str, ...]]

    def times(self, factor: float) -> Self:
        """Return a copy with scores, differences and SDs multiplied by `factor`."""
        values = {name: getattr(self, name) for name in self.in_units}
        scaled = {name: round(factor * value, 12) for name, value in values.items() if value is not None}
        return self.model_copy(update=scaled)


class PowerInputs(Scaled):
    """The difference to detect, and assumptions on people and clips; scores are in the unit that pages show."""

    in_units = ("difference", "level", "human", "sd_rater", "sd_slope", "sd_clip", "sd_residual")

    difference: float = Field(
        0.1, gt=0, description="The smallest difference of two systems worth finding, in the unit that pages show."
    )
    level: float | None = Field(
        None,
        description="Expected score of the lower of the two systems. Leave empty for the middle of the scale, minus "
        "half of the difference.",
    )
    human: float | None = Field(
        None,
        description="Expected score of human speech, for “not inferior” at the study’s margin. Leave empty for 90 % of "
        "the scale.",
    )
    power: float = Field(
        0.8,
        ge=0.5,
        le=0.99,
        description="The share of such studies that should find the difference, at a level of 5 %.",
    )
    clips: int = Field(24, ge=2, le=2000, description="Test clips of each system.")
    per_rater: int = Field(8, ge=1, le=500, description="Clips of each system that one rater rates.")
    systems: int = Field(
        2, ge=2, le=200, description="Systems in the study, human speech among them; all raters hear all of them."
    )
    dimensions: int = Field(
        1,
        ge=1,
        le=100,
        description="Dimensions of the texts, with equally many clips; from 2 on, a plan also answers for each.",
    )
    lost: float = Field(
        0.15, ge=0, le=0.9, description="Share of those invited who never get to rate: declined, screened out, left."
    )
    invalid: float = Field(0.1, ge=0, le=0.9, description="Share of batches whose traps are failed, or that stay open.")
    spread: Literal["task", "scores"] = Field(
        "task",
        description="task: people and clips differ as in the ATT paper’s crowd, and answer as this task is answered; "
        "scores: they differ by the four SDs below, as a model found them.",
    )
    sd_rater: float = Field(0.234, ge=0, description="SD of raters; with scores. The ATT paper’s are the defaults.")
    sd_slope: float = Field(0.108, ge=0, description="SD of raters’ liking of one system; with scores.")
    sd_clip: float = Field(0.1, ge=0, description="SD of clips of one system; with scores.")
    sd_residual: float = Field(0.32, gt=0, description="SD of what is left; with scores.")
    studies: int = Field(
        200, ge=20, le=2000, description="Simulated studies for each number of raters; 200 tell a power to ± 6 points."
    )
    seed: int = Field(1, ge=0, le=2**31 - 1, description="The same seed gives the same numbers.")

    @model_validator(mode="after")
    def clips_suffice(self) -> PowerInputs:
        if self.per_rater > self.clips:
            raise ValueError(say("Nobody rates a clip twice: clips per rater can’t exceed the clips of a system."))
        return self


class KappaInputs(Spec):
    """What two experts are expected to agree on, and how exactly their kappa is to be known."""

    kappa: float = Field(0.7, ge=0, le=0.99, description="From a pilot or another study; 0.6 to 0.8 is common.")
    share: float = Field(
        0.2,
        gt=0,
        lt=1,
        description="Share of texts with the code, or of reasons that are inconsistent. Rare codes need more texts.",
    )
    half_width: float = Field(0.1, ge=0.01, le=0.5, description="Half the width wanted of the 95 % interval of kappa.")


class WidthInputs(Scaled):
    """The interval width wanted in a running study, in the unit that pages show."""

    in_units = ("width",)

    width: float = Field(
        0.08, gt=0, description="Whole width wanted of each system’s 95 % interval, in the unit that pages show."
    )
    days: int = Field(7, ge=1, le=365, description="Days over which the present pace is measured.")
