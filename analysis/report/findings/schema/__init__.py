"""The form of an analysis's results.

Every section may be a `Refused` instead of what is written here. Floats are not rounded, in the units of the scores;
a share is in [0, 1]. `None` stands where nothing can be said, and a note says why. Groups are named as on the study's
page: `name` with `kind` "" (a system), "human" or "anchor". Nothing in here depends on when or where it was computed.
"""

from __future__ import annotations

from typing import TypedDict

from analysis.report.findings.schema.checked import (
    Agreement,
    Alpha,
    Breakdown,
    Breakdowns,
    Column,
    Correlation,
    Drift,
    Line,
    Metrics,
    Multiverse,
    Quality,
    Seconds,
    Times,
    Trap,
    Universe,
)
from analysis.report.findings.schema.modelled import Bayes, Coefficient, Fast, Latent, Models, Ordinal, Posterior
from analysis.report.findings.schema.scored import (
    Baseline,
    Boxes,
    Comparison,
    Contrast,
    Contrasts,
    Crossed,
    CrossedRow,
    Detection,
    Distance,
    Gap,
    Group,
    Scores,
    Signal,
    Tier,
    Versus,
)
from analysis.report.findings.schema.study import (
    Attention,
    CheckCount,
    Design,
    Exclusion,
    Exclusions,
    Inputs,
    Participants,
    Refused,
    Scale,
    Step,
    Study,
    Thing,
)


class Results(TypedDict):
    """Everything."""

    schema: int
    study: Study
    inputs: Inputs
    design: Design | Refused
    participants: Participants | Refused
    exclusions: Exclusions | Refused
    scores: Scores | Refused
    baseline: Baseline | Refused
    models: Models | Refused
    contrasts: Contrasts | Refused
    detection: Detection | Refused
    boxes: Boxes | Refused
    agreement: Agreement | Refused
    quality: Quality | Refused
    times: Times | Refused
    breakdowns: Breakdowns | Refused
    multiverse: Multiverse | Refused
    metrics: Metrics | Refused


VERSION = 1

__all__ = [
    "VERSION",
    "Agreement",
    "Alpha",
    "Attention",
    "Baseline",
    "Bayes",
    "Boxes",
    "Breakdown",
    "Breakdowns",
    "CheckCount",
    "Coefficient",
    "Column",
    "Comparison",
    "Contrast",
    "Contrasts",
    "Correlation",
    "Crossed",
    "CrossedRow",
    "Design",
    "Detection",
    "Distance",
    "Drift",
    "Exclusion",
    "Exclusions",
    "Fast",
    "Gap",
    "Group",
    "Inputs",
    "Latent",
    "Line",
    "Metrics",
    "Models",
    "Multiverse",
    "Ordinal",
    "Participants",
    "Posterior",
    "Quality",
    "Refused",
    "Results",
    "Scale",
    "Scores",
    "Seconds",
    "Signal",
    "Step",
    "Study",
    "Thing",
    "Tier",
    "Times",
    "Trap",
    "Universe",
    "Versus",
]
