"""Presets: each file here makes a `PRESET`; a task type without one has a preset of its defaults."""

from __future__ import annotations

from functools import cache

from core import registry
from core.errors import NotFound
from studies import task_types
from studies.definition import presets
from studies.definition.definition import Definition, Preset
from studies.definition.presets import general


@cache
def by_name() -> dict[str, Preset]:
    """Return every preset by name."""
    all_presets = [module.PRESET for module in registry.modules(presets) if hasattr(module, "PRESET")]
    known = {preset.definition.task_type for preset in all_presets}
    all_presets += [general.preset(kind) for name, kind in sorted(task_types.by_name().items()) if name not in known]
    return {preset.definition.preset: preset for preset in all_presets}


def get(name: str) -> Preset:
    """Return one preset."""
    try:
        return by_name()[name]
    except KeyError:
        raise NotFound(f"There is no preset {name!r}; known are {', '.join(sorted(by_name()))}.") from None


def of(definition: Definition) -> Preset:
    """Return the preset of a definition; that of its task type where it names none of this type."""
    preset = by_name().get(definition.preset)
    if preset is not None and preset.definition.task_type == definition.task_type:
        return preset
    return next(each for each in by_name().values() if each.definition.task_type == definition.task_type)


def choices() -> list[tuple[str, str]]:
    """Return (name, label) pairs for forms."""
    return [(name, preset.label) for name, preset in sorted(by_name().items())]
