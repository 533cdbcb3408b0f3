"""Repairs of all clips in the methods text, from the settings of the version."""

from __future__ import annotations

from datetime import datetime

import pytest

from analysis.report import computing, methods
from studies.audit.repairing import with_repairs
from tests.analysis.rated import Rated
from tests.analysis.report.made import gathered

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


def test_each_repair_is_a_sentence_of_the_methods_text(now: datetime) -> None:
    world = Rated(now, kind="hfr").everybody(6)
    results = computing.compute(gathered(world.study))

    def prose(**values: float) -> str:
        definition = with_repairs(world.study.definition, values)
        return " ".join(methods.methods(results, definition).sentences)

    assert "repair" not in prose()
    assert "trimmed" not in prose()
    edges = prose(edges=0.25)
    assert (
        "The silence at the start and at the end of all clips was trimmed or padded to 0.25 s, and steady noise "
        in edges
    )
    assert "This repair was applied to the clips of all systems and roles alike" in edges
    every = prose(edges=0.25, band=7000, level=-27)
    assert "Frequencies above 7,000 Hz were removed from all clips" in every
    assert "They were normalised to −27 LUFS with a true peak of at most −1 dBTP. This loudness was chosen" in every
    assert "low-pass filter. These 3 repairs were applied to the clips of all systems and roles alike" in every
