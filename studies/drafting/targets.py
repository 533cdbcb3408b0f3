"""The language models of the settings: which endpoint and model carries out which step, and with which parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.conf import settings

from core.findings import OK, Finding
from studies.drafting.rules.prompts import STEPS

if TYPE_CHECKING:
    from studies.drafting.rules.prompts import Step


@dataclass(frozen=True, slots=True)
class Target:
    """An endpoint with its model; `is_private` if texts of the black box may be sent there."""

    url: str
    key: str = field(repr=False)
    model: str
    is_private: bool

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc


def is_configured() -> bool:
    """Say whether the settings name an endpoint and a model."""
    return bool(settings.DRAFT_URL and settings.DRAFT_MODEL)


def target(step: Step) -> Target:
    """Return where a step is carried out."""
    first = Target(settings.DRAFT_URL, settings.DRAFT_KEY, settings.DRAFT_MODEL, bool(settings.DRAFT_PRIVATE))
    if step not in settings.DRAFT_SECOND_STEPS:
        return first
    model = settings.DRAFT_SECOND_MODEL or first.model
    if not settings.DRAFT_SECOND_URL or first.url == settings.DRAFT_SECOND_URL:
        key = settings.DRAFT_SECOND_KEY or first.key
        return Target(first.url, key, model, first.is_private)
    # At another address, neither the first one's key nor its mark holds.
    url, key = settings.DRAFT_SECOND_URL, settings.DRAFT_SECOND_KEY
    return Target(url, key, model, bool(settings.DRAFT_SECOND_PRIVATE))


def are_private(steps: Iterable[Step]) -> bool:
    """Say whether texts of the black box may be sent to the endpoints of all these steps."""
    return all(target(step).is_private for step in steps)


def by_target(steps: Iterable[Step] = STEPS) -> dict[Target, list[Step]]:
    """Return each endpoint with its steps, the first endpoint first."""
    found: dict[Target, list[Step]] = {}
    for step in steps:
        found.setdefault(target(step), []).append(step)
    return found


def parameters(step: Step) -> dict[str, Any]:
    """Return what is sent next to the messages of a step."""
    values = {"temperature": settings.DRAFT_TEMPERATURE[step], "max_tokens": settings.DRAFT_MAX_TOKENS[step]}
    return {name: value for name, value in values.items() if value is not None}


def examine() -> Iterator[Finding]:
    """Yield what is set up; nothing is asked, since each question costs tokens."""
    if not settings.DRAFT_URL:
        yield Finding("drafting", OK, "no language model is set; texts and questions can be imported")
        return
    for place, steps in by_target().items():
        privacy = "private" if place.is_private else "not private: black-box texts are never sent to it"
        yield Finding("drafting", OK, f"{place.model} at {place.host} ({privacy}) for the steps {', '.join(steps)}")
