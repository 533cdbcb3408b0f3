"""Is a difference heard? Two clips are the same or different (same–different); instructions in our own words."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types import _comparison

INSTRUCTIONS = (
    "You will hear two recordings of the same words. They are either one recording twice, or two different "
    "recordings. Listen to both from beginning to end, as often as you like, then say whether they are the same or "
    "different.\n\n"
    "Pay attention to everything that you hear: the voice, the sound, the melody. When you hear no difference, choose "
    "Same.\n\n"
    "Use headphones if you can, in a quiet place."
)

PRESET = Preset(
    "Same or different?",
    "Are two clips the same? Half of the pairs are. The result is the share of differences heard, false alarms and d′ "
    "of each system compared with the baseline.",
    Definition(
        preset="same-different",
        task_type="compare",
        task=_comparison.Params(question="Are the two recordings the same?", answer="same").model_dump(mode="json"),
        protocol=Protocol.model_validate({**UNCHECKED, "tests_per_batch": 10, "batches_per_session": 1}),
        texts=texts(INSTRUCTIONS),
    ),
)
