"""The kinds of work that experts do; the index asks each of them what waits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from studies.models import Study


@dataclass(frozen=True, slots=True)
class Work:
    """One kind of work in one study: what it is, where it is done, and how much of it there is for this person."""

    title: str
    about: str
    url: str
    # Of which there are more, where `is_more`.
    waiting: int
    done: int
    is_more: bool


# Returns None where a study has no such work.
Kind = Callable[["Study", Any], Work | None]
KINDS: list[Kind] = []


def kind(find: Kind) -> Kind:
    """Register a kind of work; the modules that do so are imported by the experts' addresses."""
    if find not in KINDS:
        KINDS.append(find)
    return find


def of(study: Study, user: Any) -> list[Work]:
    """Return the work of a study, in the order of the addresses."""
    return [work for find in KINDS if (work := find(study, user)) is not None]
