"""Task types: each file here, with a template of the same name, is one; no registration is needed."""

from __future__ import annotations

from functools import cache

from core import registry
from core.errors import NotFound
from studies import task_types
from studies.task_types.base import AnyTaskType, TaskType


@cache
def by_name() -> dict[str, AnyTaskType]:
    """Return every task type by name."""
    types: dict[str, AnyTaskType] = {}
    for module in registry.modules(task_types):
        for value in vars(module).values():
            is_own = isinstance(value, type) and issubclass(value, TaskType) and value.__module__ == module.__name__
            if is_own and getattr(value, "name", None):
                types[value.name] = value()
    return types


def get(name: str) -> AnyTaskType:
    """Return one task type."""
    try:
        return by_name()[name]
    except KeyError:
        raise NotFound(f"There is no task type {name!r}; known are {', '.join(sorted(by_name()))}.") from None


def choices() -> list[tuple[str, str]]:
    """Return (name, label) pairs for forms."""
    return [(name, kind.label) for name, kind in sorted(by_name().items())]
