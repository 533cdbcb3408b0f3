"""Groups of dotted settings that task types show first, or don't use."""

from __future__ import annotations

# The settings that the page Design shows first for a task type that names none of its own.
MAIN_SETTINGS = (
    "protocol.ratings_wanted",
    "protocol.tests_per_batch",
    "protocol.batches_per_session",
    "protocol.playback",
    "screening.headphones",
    "crowd.source",
    "payment.rate",
    "payment.minutes",
)
PRACTICE_SETTINGS = ("screening.training", "screening.training_clips", "screening.training_right")
TRAP_SETTINGS = (
    "protocol.flawed_traps",
    "protocol.human_traps",
    "protocol.human_traps_right",
    "protocol.stop_after_invalid",
    "payment.bonus_per_valid_batch",
    *PRACTICE_SETTINGS,
)
