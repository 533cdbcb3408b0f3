"""The form of an analysis's results.

Every section may be a `Refused` instead of what is written here. Floats are not rounded, in the units of the scores;
a share is in [0, 1]. `None` stands where nothing can be said, and a note says why. Groups are named as on the study's
page: `name` with `kind` "" (a system), "human" or "anchor". Nothing in here depends on when or where it was computed.
"""

from __future__ import annotations

from typing import TypedDict

from analysis.sections.agreement.result import Agreement, Alpha
from analysis.sections.baseline.result import Baseline, Versus
from analysis.sections.boxes.result import Boxes, Gap
from analysis.sections.breakdowns.result import Breakdown, Breakdowns, Column, Line
from analysis.sections.contrasts.result import Contrast, Contrasts, Tier
from analysis.sections.design.result import Design, Thing
from analysis.sections.detection.result import Detection, Signal
from analysis.sections.exclusions.result import Exclusion, Exclusions
from analysis.sections.metrics.result import Correlation, Metrics
from analysis.sections.mixed_models.result import Bayes, Coefficient, Fast, Latent, Models, Ordinal, Posterior
from analysis.sections.multiverse.result import Multiverse, Universe
from analysis.sections.participants.result import Attention, CheckCount, Participants, Step
from analysis.sections.quality.result import Drift, Quality, Trap
from analysis.sections.scores.result import Comparison, Crossed, CrossedRow, Group, Scores
from analysis.sections.shared import Distance, Inputs, Refused, Scale, Study
from analysis.sections.times.result import Seconds, Times

VERSION = 1


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
