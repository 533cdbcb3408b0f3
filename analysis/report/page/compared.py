"""Comparisons and the fast model on a study's page, as an analysis shows them."""

from __future__ import annotations

from typing import Any

from analysis.report.page.analysis import estimates
from analysis.report.page.analysis.blocks import Block


def blocks(figures: dict[str, Any]) -> list[Block]:
    """Return the blocks of comparisons and of the fast model; none before a rating counts."""
    if figures["contrasts"] is None:
        return []
    results = {"study": {"scale": figures["scale"]}, **figures}
    return [estimates.contrasts(results), estimates.fast(results, figures["model"])]
