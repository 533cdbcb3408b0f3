"""Find the plug-in modules of a package: nothing is registered by hand."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType


def modules(package: ModuleType) -> Iterator[ModuleType]:
    """Yield each module of `package` in alphabetical order; names that begin with an underscore are left out."""
    for found in sorted(pkgutil.iter_modules(package.__path__), key=lambda entry: entry.name):
        if not found.name.startswith("_"):
            yield importlib.import_module(f"{package.__name__}.{found.name}")
