"""Absolute category rating in steps of a half (ITU-T P.800, annex B, with half points)."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types._scales import Scale
from studies.task_types.scales import QUALITY, Params

QUALITY_OF_CLIP = Scale(
    name="MOS", question="How do you rate the overall quality of this recording?", labels=QUALITY, step=0.5
)

INSTRUCTIONS = (
    "Listen to each clip from beginning to end, then say how good it sounds on a scale from 1 to 5. Half points are "
    "between two names.\n\n"
    "Judge each clip on its own, and use the whole scale.\n\n"
    "Use headphones if you can, in a quiet place."
)

PRESET = Preset(
    "Absolute category rating in half points (ACR, 1 to 5, steps of 0.5)",
    "Each clip from 1 (Bad) to 5 (Excellent) in steps of 0.5. Papers use steps of 1 and of 0.5: name yours.",
    Definition(
        preset="acr-half",
        task_type="scales",
        task=Params(scales=(QUALITY_OF_CLIP,), way="one_page").model_dump(mode="json"),
        protocol=Protocol.model_validate({**UNCHECKED, "tests_per_batch": 10, "batches_per_session": 1}),
        texts=texts(INSTRUCTIONS),
    ),
)
