"""Small impairments: two hidden clips beside a reference, one of them the reference itself (after ITU-R BS.1116)."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types import mushra

INSTRUCTIONS = (
    "Each screen has a reference and two clips of the same words. One of the two is the reference itself, the other "
    "one may sound worse. Listen to all of them from beginning to end, as often as you like.\n\n"
    "Rate both clips: how much worse than the reference does each sound? 5.0 is Imperceptible, 4.0 Perceptible but not "
    "annoying, 3.0 Slightly annoying, 2.0 Annoying, 1.0 Very annoying. Give 5.0 to the one that you take for the "
    "reference.\n\n"
    "Use headphones, in a quiet place."
)

PRESET = Preset(
    "Small impairments beside a reference (after BS.1116)",
    "A reference, then two clips: one is the reference itself. Both are rated from 1.0 to 5.0, and the score is the "
    "difference.",
    Definition(
        preset="bs1116",
        task_type="mushra",
        task=mushra.Params(
            question="How much worse than the reference does each clip sound?", scale="impairment", one_system=True
        ).model_dump(mode="json"),
        protocol=Protocol.model_validate({**UNCHECKED, "tests_per_batch": 10, "batches_per_session": 1}),
        texts=texts(INSTRUCTIONS),
    ),
    {"task.scale": "after ITU-R BS.1116"},
)
