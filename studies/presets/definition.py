"""The whole of what a study asks, as one frozen record; launching freezes it as a version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, ValidationError, field_validator

from core.errors import Invalid
from core.spec import Spec, problems
from studies import task_types
from studies.protocols.parameters import Protocol
from studies.task_types.base import AnyTaskType


class Texts(Spec):
    """What raters read, in the study's language; long texts are Markdown without HTML."""

    language: str = Field("en", pattern=r"^[a-z]{2,3}(-[a-z0-9]{2,8})*$", description="Language of the rater's pages.")
    information: str = Field("", max_length=20_000, description="Information sheet, shown before consent (Markdown).")
    consent: str = Field("", max_length=2_000, description="The sentence a rater agrees to.")
    instructions: str = Field("", max_length=20_000, description="What to do (Markdown).")
    good_reasons: tuple[str, ...] = Field((), max_length=20, description="Examples of good reasons, one a line.")
    poor_reasons: tuple[str, ...] = Field((), max_length=20, description="Examples of poor reasons, one a line.")
    contact: str = Field("", max_length=300, description="Whom a rater may write to.")
    debrief: str = Field("", max_length=5_000, description="Shown on the last page (Markdown).")


class Audio(Spec):
    """How clips are accepted and what raters are sent."""

    sample_rate: Literal[16000, 22050, 24000, 32000, 44100, 48000] = Field(
        48000, description="Sample rate of every rendition, in Hz."
    )
    channels: Literal[1, 2] = Field(1, description="Channels of every rendition.")
    loudness: float | None = Field(
        -23.0, ge=-40, le=-10, description="Loudness all clips are brought to, in LUFS; empty: as they came."
    )
    peak: float = Field(-1.0, ge=-20, le=0, description="Highest true peak of a rendition, in dBTP.")
    max_seconds: float = Field(60.0, gt=0, le=1800, description="Longest clip accepted, in seconds.")


class Crowd(Spec):
    """Where raters come from and how they are sent back."""

    source: str = Field("prolific", description="The crowd source whose links this study accepts.")
    completion_code: str = Field("", max_length=64, description="Code of raters who finish.")
    declined_code: str = Field("", max_length=64, description="Code of those who don't consent.")
    withdrawn_code: str = Field("", max_length=64, description="Code of those who leave early.")
    return_url: str = Field(
        "https://app.prolific.com/submissions/complete?cc={code}",
        max_length=500,
        description="Where the last page leads; {code} stands for the code. Empty: only the code is shown.",
    )

    @field_validator("return_url")
    @classmethod
    def leads_to_a_safe_address(cls, url: str) -> str:
        if url and (urlsplit(url).scheme != "https" or not urlsplit(url).hostname):
            raise ValueError("write an address that begins with https://")
        return url


class Review(Spec):
    """Whether experts read the reasons; it belongs to the study and not to its versions, and holds at once."""

    mode: Literal["off", "all", "share", "flagged_first"] = Field(
        "off",
        description="Which reasons experts review: all in random order, a random share of them, "
        "or all with the flagged ones first.",
    )
    share: float = Field(0.25, gt=0, le=1, description="The share that is reviewed; only with mode share.")
    double_share: float = Field(0.1, ge=0, le=1, description="Random share that two experts review, for their kappa.")
    inconsistent_limit: float | None = Field(
        None,
        ge=0,
        le=1,
        description="A rater with a larger share of inconsistent reasons is excluded whole; empty: off.",
    )
    inconsistent_least: int = Field(
        5, ge=1, le=1000, description="So many decided reasons a rater must have before that limit holds."
    )
    simulated: bool = Field(False, description="Review what simulated raters wrote too, to try the pages out.")


class SpotCheck(Spec):
    """Whether experts listen to a share of the synthesised clips before the launch; raters never learn of it."""

    mode: Literal["off", "offered", "required"] = Field(
        "off",
        description="Whether experts check a random share of each system's clips before the launch; "
        "a study that requires it can't be launched without it.",
    )
    share: float = Field(0.25, gt=0, le=1, description="The share of each system's clips that is checked.")
    experts: int = Field(2, ge=1, le=5, description="How many experts check each of them.")
    failure_limit: float | None = Field(
        None,
        ge=0,
        le=1,
        description="A system with a larger share of failed clips, of those checked, can't be launched; empty: off.",
    )


class Definition(Spec):
    """Task, parameters, protocol, texts, audio, crowd, expert review and spot check of a study."""

    preset: str
    task_type: str
    task: dict[str, Any] = {}
    protocol: Protocol = Protocol()
    texts: Texts = Texts()
    audio: Audio = Audio()
    crowd: Crowd = Crowd()
    review: Review = Review()
    spot_check: SpotCheck = SpotCheck()

    @property
    def kind(self) -> AnyTaskType:
        return task_types.get(self.task_type)

    @property
    def params(self) -> Any:
        """Return the task's own parameters, validated."""
        return self.kind.params(self.task)


@dataclass(frozen=True, slots=True)
class Preset:
    """A protocol to begin with: what people call it, what it does in a sentence, and all its settings."""

    label: str
    summary: str
    definition: Definition


def parse(raw: Mapping[str, Any]) -> Definition:
    """Validate a whole definition; raises `Invalid` with a message for each dotted field."""
    found: dict[str, str] = {}
    definition: Definition | None = None
    try:
        definition = Definition.model_validate(raw)
    except ValidationError as error:
        found.update(problems(error.errors()))
    kind = task_types.get(str(raw.get("task_type", "")))
    try:
        params = kind.params(raw.get("task", {}))
    except Invalid as error:
        found.update({f"task.{field}": message for field, message in error.problems.items()})
    if found or definition is None:
        raise Invalid("The study's settings need a change.", found)
    return definition.model_copy(update={"task": params.model_dump(mode="json")})


def change(raw: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return `raw` with dotted keys changed: {"protocol.ratings_wanted": 5}; raises `Invalid` for unknown keys."""
    changed: dict[str, Any] = {key: dict(value) if isinstance(value, Mapping) else value for key, value in raw.items()}
    for dotted, value in changes.items():
        group, _, field = dotted.partition(".")
        if not field or not isinstance(changed.get(group), dict) or field not in changed[group]:
            known = sorted(f"{name}.{key}" for name, part in changed.items() if isinstance(part, dict) for key in part)
            raise Invalid(f"There is no setting {dotted!r}.", {dotted: f"known settings are {', '.join(known)}"})
        changed[group][field] = value
    return changed
