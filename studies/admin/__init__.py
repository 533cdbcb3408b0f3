"""The researcher's pages."""

from __future__ import annotations

from studies.admin import clips, questions, studies, versions

__all__ = ["clips", "questions", "studies", "versions"]
