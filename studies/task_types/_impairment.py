"""Grades of impairment from 1.0 to 5.0 for a clip and the hidden reference (after ITU-R BS.1116)."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from core.text.words import say
from studies.task_types.base import AnswerRow, ScoreScale

# Sliders move in tenths of a grade.
LOWEST, HIGHEST, TENTHS = 10, 50, 10
GRADE = ScoreScale("Grade", 1.0, 5.0, "", "rating")
DIFFERENCE = ScoreScale(
    "Difference grade",
    -4.0,
    4.0,
    "",
    "difference",
    notes=(say("The grade of the clip less that of the hidden reference on the same screen: 0 is no impairment."),),
)
ATTRIBUTES: Mapping[str, Any] = {
    "label": say("A clip and the hidden reference, 1 to 5 (BS.1116)"),
    "short": "BS.1116",
    "columns": (GRADE.part, DIFFERENCE.part),
    "options": HIGHEST - LOWEST + 1,
    "score": DIFFERENCE,
    "outcomes": (DIFFERENCE, GRADE),
}
# Of simulated listeners: the spread of their differences.
NOISE = 0.5


def rows(ratings: Mapping[int, int], hidden: int) -> list[AnswerRow]:
    """Return the grade at each place, and the difference between the clip and the reference, which is at `hidden`."""
    grades = {place: rating / TENTHS for place, rating in ratings.items()}
    [clip] = grades.keys() - {hidden}
    difference = round(grades[clip] - grades[hidden], 1)
    return [
        *(AnswerRow(GRADE.part, f"{grade:.1f}", grade, place) for place, grade in grades.items()),
        AnswerRow(DIFFERENCE.part, f"{difference:+.1f}", difference, clip),
    ]


def simulated(clip: int, hidden: int, chance: float, rng: Random) -> dict[int, int]:
    """Return the ratings at both places by a listener who gives 5.0 to the one taken for the reference."""
    difference = max(-4.0, min(4.0, rng.gauss(-4 * (1 - chance), NOISE)))
    worse, better = (clip, hidden) if difference < 0 else (hidden, clip)
    return {worse: HIGHEST - round(TENTHS * abs(difference)), better: HIGHEST}
