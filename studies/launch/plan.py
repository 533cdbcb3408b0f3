"""The plan of a launch: its items in numbers, computed from rows or last counted by a worker."""

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
from studies.launch.troubles import TroubleGroup, grouped
from studies.pool import material
from studies.rules.validity import batches_offered
from studies.summaries import services as summaries
from studies.summaries.services import ShownSummary, SummaryKind
from studies.task_types.base import ItemPlan


@dataclass(frozen=True, slots=True)
class Conversion:
    """The target of a running conversion; `is_anchors` if it only makes anchors."""

    kilohertz: str
    is_repair: bool
    is_anchors: bool = False


@dataclass(frozen=True, slots=True)
class Planned:
    """The items that a study's clips would make, as numbers that can be stored."""

    # All items by role; then the clips of test items, and their texts.
    items: dict[str, int]
    clips: int
    has_screens: bool
    texts: int
    textless: int
    # Number of clips of each system in the test items, and number of golden questions.
    rated: dict[str, int]
    golden: int
    # Problems of the clips found by the task type.
    problems: list[TroubleGroup]
    warnings: list[TroubleGroup]
    outdated: Conversion | None

    @property
    def tests(self) -> int:
        return self.items.get("test", 0)


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """Input of the checks: a study's settings, and the items its clips would make."""

    study: Study
    definition: Definition
    numbers: Planned

    @property
    def tests(self) -> int:
        """Count the test items."""
        return self.numbers.tests

    def count(self, role: str) -> int:
        """Count the items with this role."""
        return self.numbers.items.get(role, 0)

    @property
    def clips_each(self) -> float:
        """Return the number of clips of a test item."""
        return self.numbers.clips / self.tests if self.tests else 0

    @property
    def texts(self) -> int:
        """Return the number of test clips that a rater can hear: one of each text, unless texts may repeat."""
        if self.definition.protocol.repeat_text == "crossed":
            return self.tests
        return self.numbers.texts + self.numbers.textless

    @property
    def batches(self) -> int:
        """Return the largest number of batches for one rater."""
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
    """Plan the items of a launch of the study's draft, or of other settings; writes nothing."""
    return planned(study, definition)[0]


def planned(study: Study, definition: Definition | None = None) -> tuple[LaunchPlan, Sequence[ItemPlan]]:
    """Return the plan together with its items."""
    definition = definition or study.definition
    rows = Clip.objects.filter(study=study, withdrawn_at=None)
    facts = material.clips(rows)
    questions = material.questions_to_ask(study, rows) if definition.kind.asks else []
    layout = definition.kind.layout(definition.params, facts, questions)
    tests = [item for item in layout.items if item.role == "test"]
    tested = {clip for item in tests for clip in item.clips}
    names = [item.text for item in tests if item.text]
    outdated = renditions.outdated(study)
    is_making_anchors = outdated is not None and bool(outdated.anchors)
    numbers = Planned(
        items=dict(Counter(item.role for item in layout.items)),
        clips=sum(len(item.clips) for item in tests),
        has_screens=any(len(item.clips) > 1 for item in tests),
        texts=len(set(names)),
        textless=len(tests) - len(names),
        rated=dict(Counter(clip.system for clip in facts if clip.clip in tested)),
        golden=sum(question.golden for question in questions),
        problems=grouped(each for each in layout.problems if not (is_making_anchors and each.later)),
        warnings=grouped(layout.warnings),
        outdated=Conversion(outdated.kilohertz, outdated.is_repair, not outdated.clips) if outdated else None,
    )
    return LaunchPlan(study, definition, numbers), layout.items


@dataclass(frozen=True, slots=True)
class PlanSummary:
    """Numbers of a plan, and the settings they belong to."""

    of: str
    numbers: Planned


def settings_of(study: Study, definition: Definition) -> str:
    """Return a short hash of the settings that a plan depends on: those of the task and of audio."""
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
    """Return a plan for a page with its time, None while a worker counts; a launch always plans from rows.

    Unsaved settings are planned at once.
    """
    settings = settings_of(study, definition)
    if settings != settings_of(study, study.definition):
        return plan_of(study, definition), None
    shown = summaries.summary(SUMMARY, study, now=now, choice=settings)
    if shown.value is None or shown.value.of != settings:
        return None, ShownSummary(None, None)
    return LaunchPlan(study, definition, shown.value.numbers), shown
