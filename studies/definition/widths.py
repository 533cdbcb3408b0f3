"""Differences of scores among a study's settings: margins and widths, in the unit that pages show (rule D3)."""

from __future__ import annotations

from django.utils.translation import gettext as _

from studies.definition.definition import WIDTHS, Definition
from studies.task_types.base import ScoreScale


def problem(value: float | None, scale: ScoreScale) -> str:
    """Return why a difference of scores is none; empty where it lies between 0 and half the scale."""
    if value is None or 0 < value < scale.width / 2:
        return ""
    return _("Enter a number above 0 and below {half}, half the scale of {name}.").format(
        half=f"{scale.width / 2:g}", name=scale.name
    )


def problems(definition: Definition) -> dict[str, str]:
    """Return {dotted setting: what is wrong with it} of those out of range."""
    scale, results = definition.kind.score, definition.results
    wrong = {f"results.{name}": problem(getattr(results, name), scale) for name in WIDTHS}
    return {dotted: text for dotted, text in wrong.items() if text}
