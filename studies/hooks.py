"""What higher apps add to a study, from their `ready()`: checks before launch, links, panels, crowd sources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words

    from studies.definition.models import Study

Level = Literal["blocking", "warning", "note"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to know before a launch; a blocking one prevents it."""

    level: Level
    message: str


@dataclass(frozen=True, slots=True)
class StudyLink:
    """A page about a study, reversed with its slug; an empty permission lets in everybody who sees the study.

    The lowest order comes first, and is where the way of a study ends.
    """

    label: Words
    url_name: str
    permission: str = ""
    order: int = 100


@dataclass(frozen=True, slots=True)
class StudyPanel:
    """A piece of the study's admin page; `render` returns HTML that is already safe."""

    title: Words
    render: Callable[[Study], str]
    order: int = 100


@dataclass(frozen=True, slots=True)
class CrowdSource:
    """A source of raters that a study may name in its settings."""

    name: str
    label: Words
    # Whether raters hand in a code there.
    codes: bool = True


@dataclass(frozen=True, slots=True)
class ErasureHook:
    """What else holds answers that are being deleted, by the study they belong to.

    `rows` (study, number of raters, moment) runs in the transaction that deletes; `files` (study) after it, and again
    when it was cut off.
    """

    rows: Callable[[int, int, datetime], object]
    files: Callable[[int], object]


class Registry(Generic[T]):
    """Entries in the order they came; an entry registered twice is kept once."""

    def __init__(self) -> None:
        self._entries: list[T] = []

    def register(self, entry: T) -> T:
        """Add an entry and return it, so that this also decorates a function."""
        if entry not in self._entries:
            self._entries.append(entry)
        return entry

    def __iter__(self) -> Iterator[T]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


LaunchCheck = Callable[["Study"], Iterable[Finding]]

launch_checks: Registry[LaunchCheck] = Registry()
study_links: Registry[StudyLink] = Registry()
study_panels: Registry[StudyPanel] = Registry()
# Each says whether a person may see what answers add up to, and notes that they did: a study may hide it to its end.
score_gates: Registry[Callable[[Study, Any], bool]] = Registry()
crowd_sources: Registry[CrowdSource] = Registry()
erasures: Registry[ErasureHook] = Registry()
