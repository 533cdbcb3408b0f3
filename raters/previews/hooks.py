"""Hooks for figures that higher apps compute from a dry run's copy before its deletion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.registry import Registry


@dataclass(frozen=True, slots=True)
class DryRunFigures:
    """Figures of a copy's simulated raters, as JSON, and the URL name of the study's page that shows them."""

    compute: Callable[[int, datetime], dict[str, Any]]
    page: str


dry_run_figures: Registry[DryRunFigures] = Registry()
