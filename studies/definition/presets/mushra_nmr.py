"""MUSHRA without a mentioned reference, after the variant NMR (arXiv 2411.12719); instructions in our own words."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types import mushra

INSTRUCTIONS = (
    "Each screen holds several clips that say the same text. Play every clip to its end. You may go back and forth "
    "between them as often as you like.\n\n"
    "Rate each clip with its slider, from 0 to 100. The words along the slider say what the numbers mean: "
    "Bad, Poor, Fair, Good, Excellent. A slider can be moved once its clip was heard.\n\n"
    "Judge the clips against each other: two that sound equally good to you get the same number.\n\n"
    "Use headphones if you can, in a quiet place."
)

PRESET = Preset(
    "MUSHRA without a mentioned reference (NMR)",
    "Clips of one text, each rated from 0 to 100. The human recording is one of them, and nothing says so: systems can "
    "score above it.",
    Definition(
        preset="mushra-nmr",
        task_type="mushra",
        task=mushra.Params(explicit_reference=False).model_dump(mode="json"),
        protocol=Protocol.model_validate({**UNCHECKED, "tests_per_batch": 6}),
        texts=texts(INSTRUCTIONS),
    ),
    {"task.explicit_reference": "after arXiv 2411.12719"},
)
