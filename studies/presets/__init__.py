"""One-click protocols: each file here holds a `LABEL`, a `SUMMARY` and a `DEFINITION`."""

from __future__ import annotations

from functools import cache
from types import ModuleType

from core import registry
from core.errors import NotFound
from studies import presets


@cache
def found() -> dict[str, ModuleType]:
    """Return every preset by name."""
    return {
        module.__name__.rpartition(".")[2]: module
        for module in registry.modules(presets)
        if hasattr(module, "DEFINITION")
    }


def get(name: str) -> ModuleType:
    """Return one preset."""
    try:
        return found()[name]
    except KeyError:
        raise NotFound(f"There is no preset {name!r}; known are {', '.join(sorted(found()))}.") from None


def choices() -> list[tuple[str, str]]:
    """Return (name, label) pairs for forms."""
    return [(name, str(module.LABEL)) for name, module in sorted(found().items())]
