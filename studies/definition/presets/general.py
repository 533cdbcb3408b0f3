"""What every study begins with, and the preset of a task type that has none of its own."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset, Texts
from studies.rules.parameters import Protocol
from studies.task_types.base import AnyTaskType

ABOUT = (
    "We study synthetic speech. You will hear short recordings, some spoken by a person and some made by a computer, "
    "and answer a question about each.\n\n"
)
KEPT = (
    "We keep your answers, and when and how often each clip was played. We don't ask for your name. "
    "You may stop whenever you like."
)
KEPT_WITH_WRITING = (
    "We keep your answers, what you write, and when and how often each clip was played. We don't ask for your name. "
    "You may stop whenever you like."
)
CONSENT = "I have read this, I am at least 18 years old, and I agree to take part."
INSTRUCTIONS = "Listen to each clip from beginning to end, then answer.\n\nUse headphones if you can, in a quiet place."
DEBRIEF = "Some of the clips were made by speech synthesis, and some were spoken by people. Thank you for listening."
UNCHECKED = {
    "flawed_traps": 0,
    "human_traps": 0,
    "human_traps_right": 0,
    "tests_per_batch": 10,
    "batches_per_session": 1,
}


def texts(instructions: str, *, asks_writing: bool = False) -> Texts:
    """Return the texts of a study in English with these instructions (Markdown)."""
    information = ABOUT + (KEPT_WITH_WRITING if asks_writing else KEPT)
    return Texts(information=information, consent=CONSENT, instructions=instructions, debrief=DEBRIEF)


def preset(kind: AnyTaskType) -> Preset:
    """Make a preset of what a task type says about itself; without traps unless it asks for some."""
    definition = Definition(
        preset=kind.name.replace("_", "-"),
        task_type=kind.name,
        task=kind.params({}).model_dump(mode="json"),
        protocol=Protocol(**{**UNCHECKED, **kind.protocol}),
        texts=texts(kind.instructions or INSTRUCTIONS, asks_writing=bool(kind.asks_reason(kind.params({})))),
    )
    return Preset(kind.label, kind.summary or kind.label, definition)
