"""Intelligibility: raters write down what they heard (after the Blizzard Challenge); instructions in our own words."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types._scales import Scale
from studies.task_types.scales import Params

TRANSCRIPT = Scale(name="Transcript", question="What did you hear? Write every word.", answer="transcript")

INSTRUCTIONS = (
    "You will hear each recording only once. Write down every word that you heard, even if a sentence makes no sense. "
    "Write numbers as words.\n\n"
    "Leave out words that you didn't understand. If you understood nothing at all, say so below the text.\n\n"
    "Use headphones if you can, in a quiet place."
)

PRESET = Preset(
    "Transcription (word error rate)",
    "Raters hear each clip once and write down what they heard: word and character error rates of each system.",
    Definition(
        preset="transcription",
        task_type="scales",
        task=Params(scales=(TRANSCRIPT,), way="one_page", order="fixed", main="WER").model_dump(mode="json"),
        protocol=Protocol.model_validate(
            {**UNCHECKED, "tests_per_batch": 10, "batches_per_session": 1, "max_plays": 1}
        ),
        texts=texts(INSTRUCTIONS, asks_writing=True),
    ),
    sources={"protocol.max_plays": "after the Blizzard Challenge"},
)
