"""Human or Machine and how sure: the detection of synthetic speech without feedback."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types._scales import Scale
from studies.task_types.scales import Params

LABEL = Scale(
    name="Human",
    question="Who is speaking?",
    labels=("Human", "Machine"),
    low=0,
    high=1,
    codes=("human", "machine"),
)
CONFIDENCE = Scale(
    name="Confidence", question="How sure are you?", labels=("Just a guess", "Completely sure"), first="low"
)

INSTRUCTIONS = (
    "Some recordings are spoken by a person, some are made by a computer. Listen to each from beginning to end, "
    "choose Human or Machine, and say how sure you are.\n\n"
    "You won't see whether an answer was right.\n\n"
    "Use headphones if you can, in a quiet place."
)

PRESET = Preset(
    "Human or Machine, with confidence",
    "Raters choose Human or Machine for each clip, and say how sure they are; they get no feedback.",
    Definition(
        preset="detection",
        task_type="scales",
        task=Params(scales=(LABEL, CONFIDENCE), way="one_page", order="fixed", main="Human").model_dump(mode="json"),
        protocol=Protocol.model_validate({**UNCHECKED, "tests_per_batch": 10, "batches_per_session": 1}),
        texts=texts(INSTRUCTIONS),
    ),
)
