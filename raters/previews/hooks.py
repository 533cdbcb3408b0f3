"""What higher apps compute from a dry run's copy before it is deleted, registered from `ready()`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from core.registry import Registry

# Each returns the figures of a copy's simulated raters as JSON, as the page that shows them reads them.
dry_run_figures: Registry[Callable[[int, datetime], dict[str, Any]]] = Registry()
