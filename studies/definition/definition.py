"""The settings of a study as one frozen model; a launch freezes them as a version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from core.spec import Spec, labels
from studies import task_types
from studies.definition.settings.audit import AuditSettings
from studies.definition.settings.coding import CodingSettings
from studies.definition.settings.crowd import Crowd
from studies.definition.settings.payment import PaymentSettings
from studies.definition.settings.questionnaire import Questionnaire
from studies.definition.settings.recruitment import Recruitment
from studies.definition.settings.screening import ScreeningSettings
from studies.rules import stopping
from studies.rules.parameters import Protocol
from studies.task_types.base import AnyTaskType

# Differences of scores among the settings of `results`.
WIDTHS = ("margin", "stop_width")
LANGUAGE = r"^[a-z]{2,3}(-[a-z0-9]{2,8})*$"


class Own(Spec):
    """The study's own language, in which its texts are written."""

    language: str = Field("en", pattern=LANGUAGE, description="Language of the rater’s pages.")


class Wording(Spec):
    """Texts for raters; long ones are Markdown without HTML."""

    information: str = Field(
        "", max_length=20_000, title="Information sheet", description="Shown to raters before they consent (Markdown)."
    )
    consent: str = Field("", max_length=2_000, description="The sentence a rater agrees to.")
    instructions: str = Field("", max_length=20_000, description="What to do (Markdown).")
    good_reasons: tuple[str, ...] = Field((), max_length=20, description="Examples of good reasons, one a line.")
    poor_reasons: tuple[str, ...] = Field((), max_length=20, description="Examples of poor reasons, one a line.")
    contact: str = Field(
        "",
        max_length=300,
        title="Contact",
        description="A name and an e-mail address for raters’ questions. Raters read it before they consent.",
    )
    institution: str = Field(
        "",
        max_length=300,
        title="Institution",
        description="The university or company that runs the study. Raters read it before they consent. Leave empty to "
        "name none.",
    )
    debrief: str = Field("", max_length=5_000, description="Shown on the last page (Markdown).")


class Texts(Wording, Own):
    """Texts for raters in the study's own language."""


class Translation(Wording):
    """The same in one more language; `prompts` are the task's own texts, `questions` those of `question_lists`."""

    title: str = Field("", max_length=200, description="The study’s title. Leave empty to keep the original title.")
    prompts: dict[str, str | tuple[str, ...]] = Field({}, description="The task’s questions in this language.")
    questions: dict[str, tuple[str, ...]] = Field(
        {}, description="Lists of questions in this language, by the name of their setting, line for line."
    )


class Audio(Spec):
    """Limits for clips, and the format that raters receive."""

    sample_rate: Literal[8000, 12000, 16000, 22050, 24000, 32000, 44100, 48000] | None = Field(
        None,
        description="Sample rate of every rendition, in Hz. Leave empty for the highest among the clips at launch, "
        "at most 48,000.",
    )
    channels: Literal[1, 2] = Field(
        1, json_schema_extra={"labels": {"1": "Mono", "2": "Stereo"}}, description="Channels of every rendition."
    )
    loudness: float | None = Field(
        -23.0,
        ge=-40,
        le=-10,
        description="Loudness to which all clips are adjusted, in LUFS. Leave empty to keep the original loudness.",
    )
    peak: float = Field(-1.0, ge=-20, le=0, description="Highest true peak of a rendition, in dBTP.")
    max_seconds: float = Field(60.0, gt=0, le=1800, description="Longest clip accepted, in seconds.")
    edges: float | None = Field(
        None,
        ge=0.05,
        le=2,
        description="Repair of all clips: seconds of silence to which both edges are trimmed or padded; breaths and "
        "soft sounds there are kept. Leave empty to keep the original edges.",
    )
    band: int | None = Field(
        None,
        ge=1000,
        le=20_000,
        description="Repair of all clips: frequencies above this are removed, in Hz. Leave empty to keep all "
        "frequencies.",
    )
    level: float | None = Field(
        None,
        ge=-40,
        le=-10,
        description="Repair of all clips: loudness that every clip can reach, in LUFS, instead of the loudness above. "
        "Leave empty to keep that one.",
    )

    @property
    def delivered_loudness(self) -> float | None:
        """Return the loudness to which clips are adjusted, in LUFS; None: they keep their own."""
        return self.loudness if self.level is None else self.level

    @property
    def repairs(self) -> dict[str, float]:
        """Return the repairs of all clips, by setting."""
        values = {"edges": self.edges, "band": self.band, "level": self.level}
        return {name: value for name, value in values.items() if value is not None}

    @property
    def recipe(self) -> str:
        """Return a short name of these repairs, which each clip made with them has; empty without any."""
        return " ".join(f"{name}={value:g}" for name, value in self.repairs.items())


class ReviewSettings(Spec):
    """Whether experts read the reasons; it belongs to the study, not to its versions, and applies at once."""

    mode: Literal["off", "all", "share", "flagged_first"] = Field(
        "off",
        title="Expert review",
        json_schema_extra=labels(
            off="Off", all="All reasons", share="A random share", flagged_first="All, flagged ones first"
        ),
        description="Which reasons experts review: all in random order, a random share of them, "
        "or all with the flagged ones first.",
    )
    share: float = Field(
        0.25, gt=0, le=1, description="The share that is reviewed, where experts review a random share of them."
    )
    double_share: float = Field(0.1, ge=0, le=1, description="Random share that two experts review, for their kappa.")
    inconsistent_limit: float | None = Field(
        None,
        ge=0,
        le=1,
        description="A rater with a larger share of inconsistent reasons is excluded whole; empty: off.",
    )
    inconsistent_least: int = Field(
        5, ge=1, le=1000, description="Reasons of a rater that must be decided before this limit applies."
    )
    simulated: bool = Field(False, description="Also review reasons of simulated raters, to test the pages.")


class SpotCheck(Spec):
    """Whether experts listen to a share of the synthesised clips before the launch; raters never see it."""

    mode: Literal["off", "offered", "required"] = Field(
        "off",
        title="Spot check",
        json_schema_extra=labels(off="Off", offered="Offered", required="Required before the launch"),
        description="Whether experts check a random share of each system’s clips before the launch; "
        "a study that requires it can’t be launched without it.",
    )
    share: float = Field(0.25, gt=0, le=1, description="The share of each system’s clips that is checked.")
    experts: int = Field(2, ge=1, le=5, description="How many experts check each of them.")
    failure_limit: float | None = Field(
        None,
        ge=0,
        le=1,
        description="A system with a larger share of failed clips, of those checked, can’t be launched; empty: off.",
    )


class ResultSettings(Spec):
    """When scores may be seen and when collection may stop early; fixed at the launch (rule D10)."""

    hide_scores: bool = Field(
        False,
        description="Hide scores until the study is closed. Progress, coverage, times and checks stay visible; "
        "opening the scores earlier takes a reason, and who looked is logged.",
    )
    looks: tuple[str, ...] = Field(
        (),
        max_length=20,
        description="Interim analyses of the contrasts before the end, one a line: shares of the ratings wanted "
        "(50 %), numbers of usable ratings (2000) or days (2026-12-01). Empty: only at the end.",
    )
    contrasts: tuple[str, ...] = Field(
        (),
        max_length=50,
        description="Contrasts of the interim analyses, one a line: two systems, such as alpha vs human.",
    )
    stop_alpha: float = Field(
        0.05,
        gt=0,
        le=0.2,
        description="Error rate of all interim analyses and contrasts together, if systems are equally good.",
    )
    stop_width: float | None = Field(
        None,
        gt=0,
        description="Collection may also stop when no system’s 95 % interval is wider than this, in the unit that "
        "pages show (points of 100 for percent); it is no test, and shown apart from the interim analyses. Leave empty "
        "for no such rule.",
    )

    margin: float | None = Field(
        None,
        gt=0,
        description="How far below human speech a system may score and not be inferior, in the unit that pages show "
        "(points of 100 for percent). Leave empty to fix no margin and give no verdict.",
    )
    margin_reason: str = Field(
        "",
        max_length=1_000,
        title="Reason for the margin",
        description="Why a smaller difference doesn’t matter: the smallest effect of interest, and where it comes "
        "from, such as earlier studies or the use of the systems. Results and the methods text quote it.",
    )
    primary: str = Field(
        "",
        max_length=300,
        title="Primary contrast",
        description="The comparison that answers the study’s question, as two systems: alpha vs human. Results show it "
        "first, by its own interval. Leave empty if all pairs matter alike.",
    )

    @field_validator("looks")
    @classmethod
    def looks_can_be_read(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        stopping.looks(lines)
        return lines

    @field_validator("contrasts")
    @classmethod
    def contrasts_can_be_read(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        stopping.contrasts(lines)
        return lines

    @field_validator("primary")
    @classmethod
    def primary_can_be_read(cls, line: str) -> str:
        if line.strip():
            stopping.contrast(line)
        return line.strip()

    @model_validator(mode="after")
    def looks_have_something_to_look_at(self) -> ResultSettings:
        if bool(self.looks) != bool(self.contrasts):
            raise ValueError("Name both interim analyses and contrasts, or neither.")
        return self


class Definition(Spec):
    """Task, parameters, protocol, texts by language, audio, crowd, results, expert review and spot check of a study."""

    preset: str
    task_type: str
    # Since 2, the differences of `WIDTHS` are in the unit that pages show.
    format: Literal[2] = 2
    task: dict[str, Any] = {}
    protocol: Protocol = Protocol()
    texts: Texts = Texts()
    translations: dict[Annotated[str, Field(pattern=LANGUAGE)], Translation] = Field({}, max_length=20)
    audio: Audio = Audio()
    crowd: Crowd = Crowd()
    recruitment: Recruitment = Recruitment()
    screening: ScreeningSettings = ScreeningSettings()
    questionnaire: Questionnaire = Questionnaire()
    payment: PaymentSettings = PaymentSettings()
    review: ReviewSettings = ReviewSettings()
    coding: CodingSettings = CodingSettings()
    spot_check: SpotCheck = SpotCheck()
    audit: AuditSettings = AuditSettings()
    results: ResultSettings = ResultSettings()

    @model_validator(mode="before")
    @classmethod
    def widths_are_in_the_unit_shown(cls, raw: Any) -> Any:
        """Read settings stored by release 0.1: where scores are shown in percent, it kept widths as shares of 1."""
        if not isinstance(raw, Mapping) or "format" in raw or not isinstance(raw.get("results"), Mapping):
            return raw
        kind = task_types.by_name().get(str(raw.get("task_type", "")))
        factor = 1 if kind is None else kind.score.factor
        stored = {name: raw["results"].get(name) for name in WIDTHS}
        widths = {name: round(factor * value, 9) for name, value in stored.items() if isinstance(value, int | float)}
        return {**raw, "results": {**raw["results"], **widths}}

    @property
    def kind(self) -> AnyTaskType:
        return task_types.get(self.task_type).of(self.task)

    @property
    def params(self) -> Any:
        """Return the task's own parameters, validated."""
        return self.kind.params(self.task)

    @property
    def languages(self) -> tuple[str, ...]:
        """Return the languages that raters may choose from, the study's own first."""
        return (self.texts.language, *self.translations)

    def wording(self, language: str) -> Wording:
        """Return the texts for raters of this language; the study's own texts where it has no others."""
        translation = self.translations.get(language)
        if translation is None:
            return self.texts
        names = ("contact", "institution")
        own = {name: getattr(self.texts, name) for name in names if not getattr(translation, name)}
        return translation.model_copy(update=own) if own else translation

    def title(self, language: str) -> str:
        """Return the study's title in this language; empty where it has no other."""
        translation = self.translations.get(language)
        return translation.title if translation else ""

    def params_in(self, language: str) -> Any:
        """Return the task's parameters with its questions in this language."""
        translation = self.translations.get(language)
        kind = self.kind
        return kind.params(kind.with_texts(self.task, translation.prompts)) if translation else self.params


@dataclass(frozen=True, slots=True)
class Preset:
    """A protocol to start from: its label, a summary and all its settings.

    `sources` says where the numbers of dotted settings come from. The page Design shows `main_settings` first; where
    there are none, those of the task type.
    """

    label: str
    summary: str
    definition: Definition
    sources: Mapping[str, str] = field(default_factory=dict)
    main_settings: tuple[str, ...] = ()
