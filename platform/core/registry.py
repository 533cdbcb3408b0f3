"""The registry that apps add entries to from `ready()`, and the search for plug-ins, which need no registration."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Generic, TypeVar

T = TypeVar("T")


class Registry(Generic[T]):
    """Entries in the order they were registered; an entry registered twice is stored once."""

    def __init__(self, entries: Iterable[T] = ()) -> None:
        self._entries: list[T] = []
        for entry in entries:
            self.register(entry)

    def register(self, entry: T) -> T:
        """Add an entry and return it, so that this also decorates a function."""
        if entry not in self._entries:
            self._entries.append(entry)
        return entry

    def __iter__(self) -> Iterator[T]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def modules(package: ModuleType) -> Iterator[ModuleType]:
    """Yield each module of `package` in alphabetical order, except those whose name starts with an underscore."""
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda entry: entry.name):
        if not info.name.startswith("_"):
            yield importlib.import_module(f"{package.__name__}.{info.name}")
