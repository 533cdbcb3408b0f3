"""Which of two systems sounds better: a preference test; instructions in our own words."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types import _comparison

INSTRUCTIONS = (
    "You will hear two recordings of the same words, A and B. Listen to both from beginning to end, as often as you "
    "like, then choose the one that sounds better to you.\n\n"
    "There is no right answer. When the two sound almost alike, trust your first impression.\n\n"
    "Use headphones if you can, in a quiet place."
)

PRESET = Preset(
    "Preference between systems (A/B)",
    "Two clips of one text, side by side: which sounds better? The result is how often each system is preferred.",
    Definition(
        preset="ab",
        task_type="compare",
        task=_comparison.Params().model_dump(mode="json"),
        protocol=Protocol.model_validate({**UNCHECKED, "tests_per_batch": 10, "batches_per_session": 2}),
        texts=texts(INSTRUCTIONS),
    ),
)
