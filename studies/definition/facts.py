"""Facts about studies for other apps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db.models import OuterRef, Subquery

from core.database.prepared import Parameter, Rows, Select
from core.errors import NotFound
from studies.definition.definition import Definition
from studies.definition.models import Study, StudyVersion
from studies.definition.settings.payment import PaymentSettings
from studies.rules.parameters import Protocol
from studies.task_types.base import AnyTaskType, Presentation, StoredPresentation


@dataclass(frozen=True, slots=True)
class StudyFacts:
    """The facts of a study for raters' pages."""

    id: int
    slug: str
    title: str
    state: str
    notice: str
    # The study that this one is a preview's copy of.
    preview_of: int | None = None
    # The study that this one is a pilot of.
    pilot_of: int | None = None
    # The newest version; none before launch.
    version: int | None = None

    @property
    def is_live(self) -> bool:
        return self.state == Study.State.LIVE

    @property
    def is_closed(self) -> bool:
        return self.state == Study.State.CLOSED

    @property
    def newest_version(self) -> int:
        """Return the key of the version that new sessions get; raises `NotFound` before launch."""
        if self.version is None:
            raise NotFound("This study has not been launched.")
        return self.version


@dataclass(frozen=True, slots=True)
class Frozen:
    """A version's definition, parsed once a process: it never changes."""

    definition: Definition
    kind: AnyTaskType
    params: Any
    protocol: Protocol

    def kind_shown(self, stored: StoredPresentation, clips: Iterable[str] = ()) -> Presentation:
        """Return what was drawn for a trial, with the keys of its clips by place."""
        return Presentation.model_validate({**stored, "clips": tuple(clips)})


def _facts(**where: Any) -> Rows[StudyFacts]:
    newest = StudyVersion.objects.filter(study=OuterRef("pk")).order_by("-number").values("pk")[:1]
    kin = {"preview_of": "preview_of_id", "pilot_of": "pilot_of_id"}
    return Rows(StudyFacts, lambda: Study.with_previews.filter(**where), version=Subquery(newest), **kin)


BY_SLUG = _facts(slug=Parameter("slug"))
BY_ID = _facts(pk=Parameter("study"))
PAYMENT = Select(lambda: Study.with_previews.filter(pk=Parameter("study")).values_list("draft__payment"))


def by_slug(slug: str) -> StudyFacts:
    """Return a study by its slug; raises `NotFound`."""
    rows = BY_SLUG(slug=slug)
    if not rows:
        raise NotFound("There is no study at this address.")
    return rows[0]


def by_id(study_id: int) -> StudyFacts:
    """Return a study by its key; raises `NotFound`."""
    rows = BY_ID(study=study_id)
    if not rows:
        raise NotFound("There is no such study.")
    return rows[0]


def payment(study_id: int) -> PaymentSettings:
    """Return what a study pays at present; raises `NotFound`."""
    [(draft,)] = PAYMENT(study=study_id) or [(None,)]
    if draft is None:
        raise NotFound("There is no such study.")
    return PaymentSettings.model_validate(draft)


def newest_version(study_id: int) -> int:
    """Return the key of the version that new sessions get; raises `NotFound` before launch."""
    return by_id(study_id).newest_version


@lru_cache(maxsize=256)
def frozen(version_id: int) -> Frozen:
    """Return a version's definition."""
    version = StudyVersion.objects.get(pk=version_id)
    # Valid when it was launched; later releases may only add fields with defaults.
    definition = Definition.model_validate(version.definition)
    return Frozen(definition, definition.kind, definition.params, definition.protocol)
