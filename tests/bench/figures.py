"""Percentiles and their words."""

from __future__ import annotations

from collections.abc import Sequence


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` of the values don't exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -(-int(share * 1000) * len(ordered) // 1000) - 1))]


def spread(seconds: Sequence[float]) -> str:
    """Return median, p95 and p99 in milliseconds."""
    if not seconds:
        return "none"
    p50, p95, p99 = (1000 * percentile(seconds, share) for share in (0.5, 0.95, 0.99))
    return f"median {p50:.1f} ms, p95 {p95:.1f} ms, p99 {p99:.1f} ms"
