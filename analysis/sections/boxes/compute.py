"""White and black box: did publishing the texts change the scores?"""

from __future__ import annotations

from analysis.data.groups import HUMAN
from analysis.sections.boxes import Boxes, Gap
from analysis.sections.inputs import AnalysisInput, design_of
from analysis.stats import boxes
from analysis.stats.design import NotEstimable
from core.text.words import say

WHITE, BLACK = "white", "black"


def compute(inputs: AnalysisInput) -> Boxes:
    """Return the gap of each system with ratings in both boxes and of all together, and whether ranks agree."""
    rows = inputs.compared
    rows = rows[(rows["kind"] != HUMAN).to_numpy() & rows["box"].isin((WHITE, BLACK)).to_numpy()]
    if not len(rows):
        raise NotEstimable(say("No clip of a system is marked as white box or black box."))
    design, names = design_of(rows)
    black = (rows["box"] == BLACK).to_numpy().astype("int64")
    comparison = boxes.compare(design, black, inputs.rng("boxes"), low=inputs.scale.low, high=inputs.scale.high)
    return Boxes(
        systems=tuple(_gap(names[at][0], gap) for at, gap in comparison.systems.items()),
        overall=_gap("", comparison.overall),
        ranks=comparison.ranks,
    )


def _gap(name: str, gap: boxes.Gap) -> Gap:
    return Gap(name=name, white=gap.white, black=gap.black, gap=gap.gap, low=gap.low, high=gap.high, note=gap.note)
