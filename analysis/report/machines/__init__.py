"""Machines held against people, as figures and as what a page draws."""

# Raised when the figures' form changes: those of an older form are computed again before they are shown.
from __future__ import annotations

SCHEMA = 1
