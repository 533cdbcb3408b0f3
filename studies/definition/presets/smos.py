"""How much a voice sounds like its target speaker, after the Blizzard Challenge; instructions in our own words."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types._scales import Scale
from studies.task_types.scales import Params

SIMILARITY = Scale(
    name="SMOS",
    question="How much does the voice of the second recording sound like the speaker of the first?",
    labels=("Sounds like a totally different person", "Sounds like exactly the same person"),
    first="low",
)
KNOWN = Scale(
    name="Known",
    question="Do you know this voice from somewhere else?",
    answer="category",
    labels=("No", "Yes"),
    codes=("no", "yes"),
)

INSTRUCTIONS = (
    "You will hear two recordings. The first is the target speaker. The second says other words: does it sound like "
    "the same person?\n\n"
    "Judge only the voice. Don't judge the words, the sound quality or the noise.\n\n"
    "Use headphones if you can, in a quiet place."
)

PRESET = Preset(
    "Speaker similarity (SMOS, after Blizzard)",
    "Each clip after another sentence of the target speaker, from 1 (a different person) to 5 (the same person).",
    Definition(
        preset="smos",
        task_type="scales",
        task=Params(
            scales=(SIMILARITY, KNOWN), way="one_page", order="fixed", reference="prompt", main="SMOS"
        ).model_dump(mode="json"),
        protocol=Protocol.model_validate({**UNCHECKED, "tests_per_batch": 10, "batches_per_session": 1}),
        texts=texts(INSTRUCTIONS),
    ),
    sources={"task.reference": "after the Blizzard Challenge"},
)
