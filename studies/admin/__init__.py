"""The researcher's pages."""

from __future__ import annotations

from studies.admin import clips, studies, versions

__all__ = ["clips", "studies", "versions"]
