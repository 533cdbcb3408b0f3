"""The one list of what is too little to say (rule D12): every engine that prints an interval asks here first."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

# Below these there is a point estimate and no interval (rule D4).
MIN_RATERS = 10
MIN_CLIPS = 5


class Reason(StrEnum):
    """Why no interval and no posterior may be shown."""

    FEW = "too few raters or clips"
    SAME = "fewer than two different answers"
    SEPARATED = "perfect separation"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A reason, and the sentence that pages, reports and files show."""

    reason: Reason
    sentence: str

    def __str__(self) -> str:
        return self.sentence


SAME = Refusal(Reason.SAME, "Every answer is the same, so there is nothing to tell systems apart by.")
SEPARATED_KINDS = Refusal(
    Reason.SEPARATED,
    "Every answer about human speech is higher than every other one, or lower: how sure that is can't be estimated.",
)


def too_few(raters: int, clips: int | None) -> Refusal | None:
    """Refuse an interval below 10 raters or 5 clips; `clips` is None where they are not known."""
    if raters >= MIN_RATERS and (clips is None or clips >= MIN_CLIPS):
        return None
    sentence = f"{raters} raters and {clips or 0} clips are too few: an interval needs {MIN_RATERS} and {MIN_CLIPS}."
    return Refusal(Reason.FEW, sentence)
