"""Degradation category rating (ITU-T P.800, annex D; P.808, annex B); instructions in our own words."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types._scales import Scale
from studies.task_types.scales import Params

DEGRADATION = Scale(
    name="DMOS",
    question="Compared with the reference, the degradation of the second recording is:",
    labels=("Inaudible", "Audible but not annoying", "Slightly annoying", "Annoying", "Very annoying"),
)

INSTRUCTIONS = (
    "You will hear two recordings of the same words: first the reference, then the recording to rate. Say how much "
    "worse the second sounds than the reference.\n\n"
    "Listen to both from beginning to end.\n\n"
    "Use headphones if you can, in a quiet place."
)

PRESET = Preset(
    "Degradation against a reference (DCR, 1 to 5)",
    "The reference first, then the clip: how annoying is the degradation? No clip may be better than the reference.",
    Definition(
        preset="dcr",
        task_type="scales",
        task=Params(scales=(DEGRADATION,), way="one_page", reference="first").model_dump(mode="json"),
        protocol=Protocol.model_validate({**UNCHECKED, "tests_per_batch": 10, "batches_per_session": 1}),
        texts=texts(INSTRUCTIONS),
    ),
)
