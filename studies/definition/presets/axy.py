"""Which of two clips is closer to a reference, and by how much (after Skerry-Ryan et al. 2018); our own words."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types import _comparison

INSTRUCTIONS = (
    "You will hear three recordings of the same words: X, then A and B. Listen to all of them from beginning to end, "
    "as often as you like, then say whose melody and rhythm, of A or B, is closer to X, and by how much. Judge only "
    "melody and rhythm, not the voice or the quality of the recording.\n\n"
    "There is no right answer. When the two sound almost alike, trust your first impression.\n\n"
    "Use headphones if you can, in a quiet place."
)

PRESET = Preset(
    "Closeness to a reference in one dimension (AXY)",
    "Which of two clips is closer to a reference of the same text in melody and rhythm, and by how much? There is no "
    "right answer.",
    Definition(
        preset="axy",
        task_type="compare",
        task=_comparison.Params(
            question="Whose melody and rhythm is closer to X?", answer="graded", reference="text"
        ).model_dump(mode="json"),
        protocol=Protocol.model_validate({**UNCHECKED, "tests_per_batch": 10, "batches_per_session": 2}),
        texts=texts(INSTRUCTIONS),
    ),
)
