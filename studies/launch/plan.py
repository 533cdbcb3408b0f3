"""What a launch of a study's clips would come to: its items in numbers, by rows or as a worker counted them last."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil

from studies.clips import queries as clips_queries
from studies.clips.models import Clip
from studies.definition.definition import Definition
from studies.definition.models import Study
from studies.imports import renditions
from studies.pool import material
from studies.rules.validity import batches_offered
from studies.summaries import services as summaries
from studies.summaries.services import ShownSummary, SummaryKind
from studies.task_types.base import ItemPlan


@dataclass(frozen=True, slots=True)
class Conversion:
    """What the clips are being converted to."""

    kilohertz: str
    is_repair: bool


@dataclass(frozen=True, slots=True)
class Planned:
    """What the items that a study's clips would make come to, in numbers that can be stored."""

    # By role, all items; then the test items alone: their clips, and the texts that are among them.
    items: dict[str, int]
    clips: int
    has_screens: bool
    texts: int
    textless: int
    # The number of clips of each system in the test items, and of golden questions.
    rated: dict[str, int]
    golden: int
    # What the task type says of the clips.
    problems: list[str]
    warnings: list[str]
    outdated: Conversion | None

    @property
    def tests(self) -> int:
        return self.items.get("test", 0)


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """The input of the checks: a study's settings, and what its clips would make of them."""

    study: Study
    definition: Definition
    numbers: Planned

    @property
    def tests(self) -> int:
        """Return how many test items there are."""
        return self.numbers.tests

    def count(self, role: str) -> int:
        """Return how many items have this role."""
        return self.numbers.items.get(role, 0)

    @property
    def clips_each(self) -> float:
        """Return how many clips a test item has."""
        return self.numbers.clips / self.tests if self.tests else 0

    @property
    def texts(self) -> int:
        """Return how many test clips a rater can hear: one of each text, unless texts may be crossed."""
        if self.definition.protocol.repeat_text == "crossed":
            return self.tests
        return self.numbers.texts + self.numbers.textless

    @property
    def batches(self) -> int:
        """Return how many batches one rater can be given."""
        protocol = self.definition.protocol
        by_traps = batches_offered(protocol, self.count("trap_flawed"), self.count("trap_human"))
        return min(by_traps, self.texts // protocol.tests_per_batch)

    @property
    def raters(self) -> int:
        """Return the fewest raters for the ratings wanted; 0 while no batch is possible."""
        protocol = self.definition.protocol
        ratings = self.tests * protocol.ratings_wanted
        return ceil(ratings / (self.batches * protocol.tests_per_batch)) if self.batches else 0


def plan_of(study: Study, definition: Definition | None = None) -> LaunchPlan:
    """Plan the items of the study's clips as a launch of its draft, or of other settings, would; writes nothing."""
    return planned(study, definition)[0]


def planned(study: Study, definition: Definition | None = None) -> tuple[LaunchPlan, Sequence[ItemPlan]]:
    """Return the same plan with its items."""
    definition = definition or study.definition
    rows = Clip.objects.filter(study=study, withdrawn_at=None)
    facts = material.clips(rows)
    questions = material.questions_to_ask(study, rows) if definition.kind.asks else []
    layout = definition.kind.layout(definition.params, facts, questions)
    tests = [item for item in layout.items if item.role == "test"]
    tested = {clip for item in tests for clip in item.clips}
    names = [item.text for item in tests if item.text]
    outdated = renditions.outdated(study)
    numbers = Planned(
        items=dict(Counter(item.role for item in layout.items)),
        clips=sum(len(item.clips) for item in tests),
        has_screens=any(len(item.clips) > 1 for item in tests),
        texts=len(set(names)),
        textless=len(tests) - len(names),
        rated=dict(Counter(clip.system for clip in facts if clip.clip in tested)),
        golden=sum(question.golden for question in questions),
        problems=[trouble.reason for trouble in layout.problems],
        warnings=[trouble.reason for trouble in layout.warnings],
        outdated=Conversion(outdated.kilohertz, outdated.is_repair) if outdated else None,
    )
    return LaunchPlan(study, definition, numbers), layout.items


@dataclass(frozen=True, slots=True)
class PlanSummary:
    """Numbers of a plan, and of which settings they are."""

    of: str
    numbers: Planned


def settings_of(study: Study, definition: Definition) -> str:
    """Return a short name of those settings on which a plan's numbers depend: the task's, and the sound's."""
    parts = [
        definition.task_type,
        definition.params.model_dump(mode="json"),
        study.definition.audio.model_dump(mode="json"),
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:40]


def _summarized(study: Study, _choice: str) -> PlanSummary:
    return PlanSummary(settings_of(study, study.definition), plan_of(study).numbers)


SUMMARY = SummaryKind("plan", PlanSummary, _summarized, clips_queries.all_of)


def shown_plan(
    study: Study, definition: Definition, now: datetime
) -> tuple[LaunchPlan | None, ShownSummary[PlanSummary] | None]:
    """Return a plan for a page, None while a worker counts, and as of when it is; a launch plans by rows.

    Settings that nobody saved are planned at once.
    """
    settings = settings_of(study, definition)
    if settings != settings_of(study, study.definition):
        return plan_of(study, definition), None
    shown = summaries.summary(SUMMARY, study, now=now, choice=settings)
    if shown.value is None or shown.value.of != settings:
        return None, ShownSummary(None, None)
    return LaunchPlan(study, definition, shown.value.numbers), shown
