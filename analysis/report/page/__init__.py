"""A snapshot in the form in which the study's page shows it."""

from __future__ import annotations

from analysis.report.page.scores import BY
from analysis.report.page.whole import fits, view

__all__ = ["BY", "fits", "view"]
