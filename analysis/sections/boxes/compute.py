"""White box against black box: did publishing the texts change the scores?"""

from __future__ import annotations

from dataclasses import asdict

from analysis.data.groups import HUMAN
from analysis.sections.boxes.result import Boxes, Gap
from analysis.sections.inputs import AnalysisInput, design
from analysis.stats import boxes
from analysis.stats.design import NotEstimable

WHITE, BLACK = "white", "black"


def compute(inputs: AnalysisInput) -> Boxes:
    """Return the gap of each system that was heard in both boxes, of all together, and whether ranks agree."""
    rows = inputs.compared
    rows = rows[(rows["kind"] != HUMAN).to_numpy() & rows["box"].isin((WHITE, BLACK)).to_numpy()]
    if not len(rows):
        raise NotEstimable("No clip of a system is marked as white box or black box.")
    made, names = design(rows)
    black = (rows["box"] == BLACK).to_numpy().astype("int64")
    found = boxes.compare(made, black, inputs.rng("boxes"))
    return {
        "systems": [_gap(names[at][0], gap) for at, gap in found.systems.items()],
        "overall": _gap("", found.overall),
        "ranks": None if found.ranks is None else asdict(found.ranks),  # type: ignore[typeddict-item]
    }


def _gap(name: str, found: boxes.Gap) -> Gap:
    return {
        "name": name,
        "white": found.white,
        "black": found.black,
        "gap": found.gap,
        "low": found.low,
        "high": found.high,
    }
