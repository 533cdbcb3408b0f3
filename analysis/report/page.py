"""All blocks of an analysis in the order of its page."""

from __future__ import annotations

from analysis.sections.agreement import display as agreement_display
from analysis.sections.baseline import display as baseline_display
from analysis.sections.blocks import Block
from analysis.sections.boxes import display as boxes_display
from analysis.sections.breakdowns import display as breakdowns_display
from analysis.sections.contrasts import display as contrasts_display
from analysis.sections.design import display as design_display
from analysis.sections.detection import display as detection_display
from analysis.sections.exclusions import display as exclusions_display
from analysis.sections.identification import display as identification_display
from analysis.sections.metrics import display as metrics_display
from analysis.sections.mixed_models import display as mixed_models_display
from analysis.sections.multiverse import display as multiverse_display
from analysis.sections.participants import display as participants_display
from analysis.sections.preferences import display as preferences_display
from analysis.sections.quality import display as quality_display
from analysis.sections.results import Results
from analysis.sections.scales import display as scales_display
from analysis.sections.scores import display as scores_display
from analysis.sections.sentences import in_language
from analysis.sections.sets import display as sets_display
from analysis.sections.times import display as times_display


def blocks(results: Results) -> list[Block]:
    """Return a block for every section; refused ones say why."""
    results = in_language(results)
    return [
        *preferences_display.blocks(results),
        *sets_display.blocks(results),
        *identification_display.blocks(results),
        scores_display.block(results),
        *scales_display.blocks(results),
        baseline_display.block(results),
        contrasts_display.block(results),
        *mixed_models_display.blocks(results),
        detection_display.block(results),
        boxes_display.block(results),
        participants_display.block(results),
        exclusions_display.block(results),
        multiverse_display.block(results),
        quality_display.block(results),
        agreement_display.block(results),
        times_display.block(results),
        breakdowns_display.block(results),
        metrics_display.block(results),
        design_display.block(results),
    ]
