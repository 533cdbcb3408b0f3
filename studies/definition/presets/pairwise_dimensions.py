"""Two clips compared overall and in six dimensions (after arXiv 2604.21481); instructions in our own words."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets.general import UNCHECKED, texts
from studies.rules.parameters import Protocol
from studies.task_types import _comparison
from studies.task_types._comparison import Question

DIMENSIONS = (
    Question(name="Intelligibility", question="Which of the two is easier to understand?"),
    Question(name="Expressiveness", question="Which of the two is more expressive?"),
    Question(name="Voice", question="Which of the two has the better voice?"),
    Question(name="Liveliness", question="Which of the two is more lively?"),
    Question(name="Noise", question="Which of the two has less noise?"),
    Question(name="Hallucination", question="Which of the two has fewer words that are wrong, missing or added?"),
)

INSTRUCTIONS = (
    "You will hear two recordings of the same words, A and B. Listen to both from beginning to end, as often as you "
    "like, then choose the better one.\n\n"
    "More questions follow about the same two recordings, each about one property. Answer each on its own. When you "
    "hear no difference, choose No preference.\n\n"
    "Use headphones if you can, in a quiet place."
)

PRESET = Preset(
    "Which of two systems is better, and in what?",
    "Two clips are compared overall and in six dimensions, such as expressiveness and noise. Each is a "
    "result of its own.",
    Definition(
        preset="pairwise-dimensions",
        task_type="compare",
        task=_comparison.Params(
            question="Which of the two is better overall?", answer="tie", more=DIMENSIONS
        ).model_dump(mode="json"),
        protocol=Protocol.model_validate({**UNCHECKED, "tests_per_batch": 10, "batches_per_session": 1}),
        texts=texts(INSTRUCTIONS),
    ),
)
