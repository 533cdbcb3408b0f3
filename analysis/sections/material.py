"""A study as reports, tables and plots take it: nothing in it asks the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.sections.results import Results
    from studies.definition.definition import Definition
    from studies.task_types.base import AnyTaskType


@dataclass(frozen=True, slots=True)
class Material:
    """A study's definition, its ratings (`data.frame.scores`) and the results of its analysis.

    `comments` are raters' own words, which no stored result holds, as `data.reasons.notes` reads them.
    """

    slug: str
    title: str
    kind: AnyTaskType
    definition: Definition
    frame: DataFrame
    results: Results
    comments: Mapping[str, Any] = field(default_factory=dict)
