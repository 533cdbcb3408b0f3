"""Hooks for figures that higher apps compute from a dry run's copy before its deletion."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from core.registry import Registry

# Each hook returns the simulated raters' figures as JSON, in the form its page needs.
dry_run_figures: Registry[Callable[[int, datetime], dict[str, Any]]] = Registry()
