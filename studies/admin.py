"""The pages of the admin on what is asked."""

from __future__ import annotations

from studies.imports import admin as clips
from studies.launch import admin as launch
from studies.launch import study_admin

__all__ = ["clips", "launch", "study_admin"]
