"""Absolute category rating on nine points (after ITU-T P.910)."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types._scales import Scale
from studies.task_types.scales import QUALITY, Params

QUALITY_OF_CLIP = Scale(
    name="MOS9", question="How do you rate the overall quality of this recording?", labels=QUALITY, low=1, high=9
)

INSTRUCTIONS = (
    "Listen to each clip from beginning to end, then say how good it sounds on a scale from 1 to 9. Points without a "
    "name are between two names.\n\n"
    "Judge each clip on its own, and use the whole scale.\n\n"
    "Use headphones if you can, in a quiet place."
)

PRESET = Preset(
    "Absolute category rating on nine points (after P.910)",
    "Each clip from 1 (Bad) to 9 (Excellent). Never compare the mean with one of five points.",
    Definition(
        preset="acr-9",
        task_type="scales",
        task=Params(scales=(QUALITY_OF_CLIP,), way="one_page").model_dump(mode="json"),
        protocol=Protocol.model_validate({**UNCHECKED, "tests_per_batch": 10, "batches_per_session": 1}),
        texts=texts(INSTRUCTIONS),
    ),
)
