"""Which of two clips is closer to a third one: similarity without a right answer; instructions in our own words."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types import _comparison

INSTRUCTIONS = (
    "You will hear three recordings: X, then A and B. Listen to all of them from beginning to end, as often as you "
    "like, then choose which voice, A or B, is closer to the voice of X. The words may differ: judge the voice, not "
    "the words, the noise or the quality of the recording.\n\n"
    "There is no right answer. When the two sound almost alike, trust your first impression.\n\n"
    "Use headphones if you can, in a quiet place."
)

PRESET = Preset(
    "Similarity to a third recording (XAB)",
    "Which of two clips is closer to X, another recording of the speaker? The result is how often each system is "
    "chosen. There is no right answer.",
    Definition(
        preset="xab",
        task_type="compare",
        task=_comparison.Params(question="Which voice is closer to the voice of X?", reference="prompt").model_dump(
            mode="json"
        ),
        protocol=Protocol.model_validate({**UNCHECKED, "tests_per_batch": 10, "batches_per_session": 2}),
        texts=texts(INSTRUCTIONS),
    ),
)
