"""All blocks of an analysis in the order of its page."""

from __future__ import annotations

from analysis.sections.agreement import page as agreement_page
from analysis.sections.baseline import page as baseline_page
from analysis.sections.blocks import Block
from analysis.sections.boxes import page as boxes_page
from analysis.sections.breakdowns import page as breakdowns_page
from analysis.sections.contrasts import page as contrasts_page
from analysis.sections.design import page as design_page
from analysis.sections.detection import page as detection_page
from analysis.sections.exclusions import page as exclusions_page
from analysis.sections.metrics import page as metrics_page
from analysis.sections.mixed_models import page as mixed_models_page
from analysis.sections.multiverse import page as multiverse_page
from analysis.sections.participants import page as participants_page
from analysis.sections.quality import page as quality_page
from analysis.sections.results import Results
from analysis.sections.scores import page as scores_page
from analysis.sections.sentences import in_language
from analysis.sections.times import page as times_page


def blocks(results: Results) -> list[Block]:
    """Return every section; those that were refused say why."""
    results = in_language(results)
    return [
        scores_page.block(results),
        baseline_page.block(results),
        contrasts_page.block(results),
        *mixed_models_page.blocks(results),
        detection_page.block(results),
        boxes_page.block(results),
        participants_page.block(results),
        exclusions_page.block(results),
        multiverse_page.block(results),
        quality_page.block(results),
        agreement_page.block(results),
        times_page.block(results),
        breakdowns_page.block(results),
        metrics_page.block(results),
        design_page.block(results),
    ]
