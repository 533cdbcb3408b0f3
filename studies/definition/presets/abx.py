"""Is a difference heard? X is a copy of A or B, and there is a right answer (ABX); instructions in our own words."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types import _comparison

INSTRUCTIONS = (
    "You will hear three recordings of the same words: X, then A and B. X is the same recording as either A or B. "
    "Listen to all of them from beginning to end, as often as you like, then choose which one X is.\n\n"
    "When you hear no difference, guess.\n\n"
    "Use headphones if you can, in a quiet place."
)

PRESET = Preset(
    "Is a difference heard? (ABX)",
    "X is a copy of one of two clips: which one? The result is the share of right answers and d′ of each system "
    "compared with the baseline; half of all guesses are right.",
    Definition(
        preset="abx",
        task_type="compare",
        task=_comparison.Params(question="Which one is X?", reference="copy").model_dump(mode="json"),
        protocol=Protocol.model_validate({**UNCHECKED, "tests_per_batch": 10, "batches_per_session": 2}),
        texts=texts(INSTRUCTIONS),
    ),
)
