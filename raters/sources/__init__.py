"""Crowd sources. Each file here is a source; there is no list to edit."""

from __future__ import annotations

from functools import cache

from core import registry
from core.errors import NotFound
from raters import sources
from raters.sources.base import RaterSource
from raters.sources.payment_platform import PaymentPlatform


@cache
def all_sources() -> dict[str, RaterSource]:
    """Return all sources by name."""
    kinds: dict[str, RaterSource] = {}
    for module in registry.modules(sources):
        for value in vars(module).values():
            is_own = isinstance(value, type) and issubclass(value, RaterSource) and value.__module__ == module.__name__
            if is_own and getattr(value, "name", None):
                kinds[value.name] = value()
    return kinds


def offered() -> list[RaterSource]:
    """Return the sources offered to studies, sorted by name."""
    return [source for _name, source in sorted(all_sources().items()) if source.offered]


def get(name: str) -> RaterSource:
    """Return a source by name; raises `NotFound`."""
    try:
        return all_sources()[name]
    except KeyError:
        known = ", ".join(source.name for source in offered())
        raise NotFound(f"There is no crowd source {name!r}; known are {known}.") from None


def payment_platforms() -> dict[str, PaymentPlatform]:
    """Return {source: platform} of all sources with payments."""
    return {
        name: source.payment_platform for name, source in all_sources().items() if source.payment_platform is not None
    }


def payment_platform(name: str) -> PaymentPlatform:
    """Return the payment platform of a source; raises `NotFound`."""
    try:
        return payment_platforms()[name]
    except KeyError:
        raise NotFound(f"No crowd source {name!r} that offers payments is installed.") from None
