"""Naturalness on five points, with the labels of CrowdMOS; instructions in our own words."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types._scales import Scale
from studies.task_types.scales import Params

NATURALNESS = Scale(
    name="Naturalness",
    question="How natural does this recording sound?",
    labels=(
        "Completely natural",
        "Mostly natural",
        "Equally natural and unnatural",
        "Mostly unnatural",
        "Completely unnatural",
    ),
)

INSTRUCTIONS = (
    "Listen to each clip from beginning to end, then say how natural it sounds: as a person would speak, or not. "
    "Don't judge the words, the noise or the quality of the recording.\n\n"
    "Judge each clip on its own, and use the whole scale.\n\n"
    "Use headphones if you can, in a quiet place."
)

PRESET = Preset(
    "Naturalness (MOS, 1 to 5)",
    "Each clip from 1 (Completely unnatural) to 5 (Completely natural); the mean is the MOS of naturalness.",
    Definition(
        preset="naturalness",
        task_type="scales",
        task=Params(scales=(NATURALNESS,), way="one_page").model_dump(mode="json"),
        protocol=Protocol.model_validate({**UNCHECKED, "tests_per_batch": 10, "batches_per_session": 1}),
        texts=texts(INSTRUCTIONS),
    ),
)
