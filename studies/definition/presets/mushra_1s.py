"""MUSHRA with one system a screen, after MUSHRA 1S (arXiv 2509.19219); instructions in our own words."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets import mushra as whole
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types import mushra

PRESET = Preset(
    "MUSHRA with one system a screen (1S)",
    "Each system on a screen of its own, beside a reference, with the hidden reference and a low-pass anchor.",
    Definition(
        preset="mushra-1s",
        task_type="mushra",
        task=mushra.Params(one_system=True, anchors=("3.5 kHz",)).model_dump(mode="json"),
        protocol=Protocol.model_validate({**UNCHECKED, "tests_per_batch": 10, "batches_per_session": 2}),
        texts=texts(whole.INSTRUCTIONS),
    ),
    {"task.one_system": "after arXiv 2509.19219"},
)
