"""An analysis needs memory for each rating's numbers, and for nothing else that grows with them."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import pyarrow as pa

from analysis.report import computing, printing
from analysis.sections.results import Material
from tests.analysis.report.made import crowd, given

SYSTEMS = {"human": 0.9, "alpha": 0.6, "beta": 0.4}
FEW, MANY = 20, 60
CLIPS = 50
# Some 60 columns of 8 bytes; 490 were measured.
BYTES_A_RATING = 1_000


def peak(raters: int) -> int:
    """Return the bytes that an analysis needs at most at a time, models left out: Python's, NumPy's and Arrow's."""
    inputs = given(crowd(SYSTEMS, raters=raters, clips=CLIPS))
    # The agreement of raters is a model's, whose table has a limit of its own.
    sections = tuple(name for name in inputs.settings.sections if name != "reliability")
    inputs = replace(inputs, settings=replace(inputs.settings, sections=sections))
    usual = pa.default_memory_pool()
    arrow = pa.proxy_memory_pool(usual)
    pa.set_memory_pool(arrow)
    tracemalloc.start()
    try:
        results = computing.compute(inputs)
        printing.of_paper(Material("made", "Made", inputs.kind, inputs.definition, inputs.frame, results))
        return int(tracemalloc.get_traced_memory()[1] + arrow.max_memory())
    finally:
        tracemalloc.stop()
        pa.set_memory_pool(usual)


def test_each_further_rating_of_an_analysis_takes_few_bytes() -> None:
    few, many = peak(FEW), peak(MANY)
    assert (many - few) / ((MANY - FEW) * CLIPS * len(SYSTEMS)) < BYTES_A_RATING
