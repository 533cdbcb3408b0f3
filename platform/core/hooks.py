"""What apps register when they are ready."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

# Called by the sweep every few seconds, and quick when there is nothing to do.
chores: list[Callable[[datetime], object]] = []
