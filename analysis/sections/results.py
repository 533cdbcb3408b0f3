"""The results of an analysis, and their format as JSON.

Every section may be a `Refusal` instead. Floats are not rounded, in the units of the scores; a share is in [0, 1].
`None` means that a figure can't be given, and a note says why. Groups are named as on the Results page: `name` with
`kind` "" (a system), "human" or "anchor". Results don't depend on the time or machine of their computation.

Reports, tables and plots use only `Material`, without queries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict, Field, ValidationError

from analysis.sections.agreement import Agreement
from analysis.sections.baseline import Baseline
from analysis.sections.boxes import Boxes
from analysis.sections.breakdowns import Breakdowns
from analysis.sections.contrasts import Contrasts
from analysis.sections.design import Design
from analysis.sections.detection import Detection
from analysis.sections.exclusions import Exclusions
from analysis.sections.identification import Identification
from analysis.sections.judges import Judge
from analysis.sections.metrics import Metrics
from analysis.sections.mixed_models import Models
from analysis.sections.multiverse import Multiverse
from analysis.sections.pair_tests import PairTests
from analysis.sections.participants import Participants
from analysis.sections.plan import Plan
from analysis.sections.preferences import Preferences
from analysis.sections.quality import Quality
from analysis.sections.reliability import Reliability
from analysis.sections.repeats import Repeats
from analysis.sections.scales import Scales
from analysis.sections.scores import Scores
from analysis.sections.sets import SetResults
from analysis.sections.shared import NOT_COMPUTED, Inputs, Record, Refusal, Study
from analysis.sections.times import Times

if TYPE_CHECKING:
    from pandas import DataFrame

    from studies.definition.definition import Definition
    from studies.task_types.base import AnyTaskType

VERSION = 1


class Results(Record):
    """All sections; one that an analysis of an earlier release lacks counts as not computed."""

    model_config = ConfigDict(populate_by_name=True)

    version: int = Field(alias="schema")
    study: Study
    inputs: Inputs
    design: Design | Refusal = NOT_COMPUTED
    participants: Participants | Refusal = NOT_COMPUTED
    plan: Plan | Refusal = NOT_COMPUTED
    exclusions: Exclusions | Refusal = NOT_COMPUTED
    scores: Scores | Refusal = NOT_COMPUTED
    scales: Scales | Refusal = NOT_COMPUTED
    baseline: Baseline | Refusal = NOT_COMPUTED
    contrasts: Contrasts | Refusal = NOT_COMPUTED
    pair_tests: PairTests | Refusal = NOT_COMPUTED
    preferences: Preferences | Refusal = NOT_COMPUTED
    sets: SetResults | Refusal = NOT_COMPUTED
    identification: Identification | Refusal = NOT_COMPUTED
    detection: Detection | Refusal = NOT_COMPUTED
    boxes: Boxes | Refusal = NOT_COMPUTED
    agreement: Agreement | Refusal = NOT_COMPUTED
    repeats: Repeats | Refusal = NOT_COMPUTED
    reliability: Reliability | Refusal = NOT_COMPUTED
    quality: Quality | Refusal = NOT_COMPUTED
    times: Times | Refusal = NOT_COMPUTED
    breakdowns: Breakdowns | Refusal = NOT_COMPUTED
    multiverse: Multiverse | Refusal = NOT_COMPUTED
    metrics: Metrics | Refusal = NOT_COMPUTED
    models: Models | Refusal = NOT_COMPUTED
    # {sentence: {"pattern", "values"}} of the sentences above with values filled in, for translation.
    sentences: dict[str, Any] = {}

    @property
    def every_model(self) -> Models:
        """The models; if the whole section was refused, each of them is."""
        section = self.models
        return Models(**dict.fromkeys(Models.model_fields, section)) if isinstance(section, Refusal) else section


class UnreadableResults(ValueError):
    """Stored results in a format that this release doesn't know."""


def load(stored: Mapping[str, Any]) -> Results:
    """Return stored results; raises `UnreadableResults`."""
    try:
        return Results.model_validate(stored)
    except ValidationError as error:
        raise UnreadableResults(str(error)) from error


def dump(results: Record) -> dict[str, Any]:
    """Return results, or a part of them, as JSON: only keys that were set, so that older analyses gain none."""
    return results.model_dump(mode="json", by_alias=True, exclude_unset=True)


@dataclass(frozen=True, slots=True)
class Material:
    """A study's definition, its ratings (`data.frame.scores`) and the results of its analysis.

    `comments` are raters' own words, read by `data.reasons.notes`; stored results don't contain them. `judges` are the
    study's metrics compared with its ratings, for the tables of the ATT paper.
    """

    slug: str
    title: str
    kind: AnyTaskType
    definition: Definition
    frame: DataFrame
    results: Results
    comments: Mapping[str, Any] = field(default_factory=dict)
    judges: tuple[Judge, ...] = ()
