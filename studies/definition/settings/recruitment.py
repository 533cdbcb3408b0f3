"""Who may take part: filters set at the crowd platform, and earlier raters whom the study excludes."""

from __future__ import annotations

from pydantic import Field, model_validator

from core.spec import Spec


class Recruitment(Spec):
    """Filters that are set at the platform and recorded here, and exclusions of earlier raters."""

    birth_countries: tuple[str, ...] = Field(
        (), max_length=300, description="Country of birth, as filtered at the platform, one a line; empty: any."
    )
    residence_countries: tuple[str, ...] = Field(
        (), max_length=300, description="Country of residence, one a line; empty: any."
    )
    first_languages: tuple[str, ...] = Field((), max_length=300, description="First language, one a line; empty: any.")
    youngest: int | None = Field(None, ge=18, le=120, description="Youngest age, in years; empty: any adult.")
    oldest: int | None = Field(None, ge=18, le=120, description="Oldest age, in years; empty: any.")
    least_acceptance: float | None = Field(
        None, ge=0, le=100, description="Lowest acceptance (approval) rate at the platform, in percent; empty: any."
    )
    least_submissions: int | None = Field(
        None, ge=0, le=1_000_000, description="Fewest earlier submissions at the platform; empty: any."
    )
    headphones: bool = Field(False, description="Whether headphones were asked for.")
    other: str = Field("", max_length=1000, description="Any other filter, in a sentence for the methods text.")
    not_in_studies: tuple[str, ...] = Field(
        (),
        max_length=50,
        description="Other studies here by short name, one a line: people who started to rate there can’t take part.",
    )
    same_clip_days: int | None = Field(
        None,
        ge=1,
        le=3650,
        description="Exclude people who heard one of this study’s clips in another study here within so many days.",
    )
    same_text_days: int | None = Field(
        None,
        ge=1,
        le=3650,
        description="Exclude people who heard one of its texts there within so many days, compared by their words.",
    )
    same_voice_days: int | None = Field(
        None,
        ge=1,
        le=3650,
        description="Exclude people who heard one of its voices there within so many days, compared by "
        "system and name.",
    )

    @model_validator(mode="after")
    def ages_are_in_order(self) -> Recruitment:
        if self.youngest is not None and self.oldest is not None and self.youngest > self.oldest:
            raise ValueError("The youngest age can't be above the oldest.")
        return self

    @property
    def longest(self) -> int:
        """Return how many days back it matters what somebody heard; 0: not at all."""
        return max(self.same_clip_days or 0, self.same_text_days or 0, self.same_voice_days or 0)

    @property
    def leaves_out(self) -> bool:
        """Return whether people who took part before may be excluded."""
        return bool(self.not_in_studies) or self.longest > 0


# The raters of the Human Fooling Rate's paper.
HFR = Recruitment(
    birth_countries=("United States",),
    residence_countries=("United States",),
    first_languages=("English",),
    youngest=18,
    oldest=60,
    least_acceptance=99.0,
    headphones=True,
)
