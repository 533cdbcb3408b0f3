"""Tables of results."""

from __future__ import annotations

from analysis.data.models import ScoreOpening, ScoreSight, Simulated
from analysis.exports.models import Export, Format, Layout, Profile
from analysis.live.models import Snapshot
from analysis.metrics.models import ClipMetric, Comparison, DnsmosRun, MetricSet
from analysis.planning.models import Look, PowerPlan
from analysis.runs.models import Analysis

__all__ = [
    "Analysis",
    "ClipMetric",
    "Comparison",
    "DnsmosRun",
    "Export",
    "Format",
    "Layout",
    "Look",
    "MetricSet",
    "PowerPlan",
    "Profile",
    "ScoreOpening",
    "ScoreSight",
    "Simulated",
    "Snapshot",
]
