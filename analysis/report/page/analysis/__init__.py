"""An analysis's results in the form in which its page shows them."""

from __future__ import annotations

from analysis.report.page.analysis.whole import blocks

__all__ = ["blocks"]
