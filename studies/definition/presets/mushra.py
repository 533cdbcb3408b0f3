"""MUSHRA for speech synthesis: screens of one text, a reference shown and hidden; instructions in our own words."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types import mushra

INSTRUCTIONS = (
    "Each screen holds several clips that say the same text. Play the **reference** first, if there is one, then every "
    "clip to its end. You may go back and forth between them as often as you like.\n\n"
    "Rate each clip with its slider, from 0 to 100. The words along the slider say what the numbers mean: "
    "Bad, Poor, Fair, Good, Excellent. A slider can be moved once its clip was heard.\n\n"
    "Judge the clips against each other: two that sound equally good to you get the same number. "
    "Some clip may be the reference itself, under another letter; rate what you hear.\n\n"
    "Use headphones if you can, in a quiet place."
)

PRESET = Preset(
    "MUSHRA",
    "Clips of one text beside a reference, each rated from 0 to 100; 6 screens a rater.",
    Definition(
        preset="mushra",
        task_type="mushra",
        task=mushra.Params(anchors=("3.5 kHz", "7 kHz")).model_dump(mode="json"),
        protocol=Protocol.model_validate({**UNCHECKED, "tests_per_batch": 6}),
        texts=texts(INSTRUCTIONS),
    ),
    {
        "task.explicit_reference": "ITU-R BS.1534-3",
        "task.hidden_reference": "ITU-R BS.1534-3",
        "task.anchors": "ITU-R BS.1534-3",
        "task.post_screen_below": "ITU-R BS.1534-3",
        "task.post_screen_share": "ITU-R BS.1534-3",
    },
)
