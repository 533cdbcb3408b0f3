"""Checks of listeners. Each file here is a check; there is no list to edit."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from core import registry
from core.errors import NotFound
from raters.sessions import screening
from raters.sessions.screening.base import Check, Phase

if TYPE_CHECKING:
    from studies.definition.definition import Definition


@cache
def all_checks() -> tuple[Check, ...]:
    """Return all checks in the order of the session."""
    kinds = [
        value()
        for module in registry.modules(screening)
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Check) and value.__module__ == module.__name__
        if getattr(value, "name", None)
    ]
    return tuple(sorted(kinds, key=lambda check: check.rank))


def get(name: str) -> Check:
    """Return a check by name; raises `NotFound`."""
    for check in all_checks():
        if check.name == name:
            return check
    raise NotFound(f"There is no check {name!r}.")


def checks_of(definition: Definition, phase: Phase) -> list[Check]:
    """Return a study's checks in one phase."""
    return [check for check in all_checks() if check.phase == phase and check.mode(definition) != "off"]


def rechecks_of(definition: Definition) -> list[Check]:
    """Return the checks repeated between batches: volume and one headphone test, if the study has them."""
    first = checks_of(definition, "checks")
    headphones = [check for check in first if check.name in ("antiphase", "huggins")]
    return [check for check in first if check.name == "volume"] + headphones[:1]
