"""The researcher's own scales, starting with naturalness and intelligibility."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types.scales import Params

INSTRUCTIONS = (
    "You will hear each recording once for each question. Listen from beginning to end, then answer the question "
    "you see. You can't go back to an earlier question.\n\n"
    "Judge each recording on its own, and use the whole scale.\n\n"
    "Use headphones if you can, in a quiet place."
)

PRESET = Preset(
    "Your own scales",
    "Each clip on a list of scales that you write, such as naturalness and intelligibility.",
    Definition(
        preset="scales",
        task_type="scales",
        task=Params(last=0).model_dump(mode="json"),
        protocol=Protocol.model_validate({**UNCHECKED, "tests_per_batch": 10, "batches_per_session": 1}),
        texts=texts(INSTRUCTIONS),
    ),
)
