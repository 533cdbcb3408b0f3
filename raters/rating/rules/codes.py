"""Codes for raters' texts, and checks of marks by experts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import regex

from studies.definition.settings.coding import Code, CodingSettings, Polarity

Kind = Literal["reason", "comment"]
PRONUNCIATION, PROSODY = "Pronunciation accuracy", "Prosodic appropriateness"
CLARITY, NATURALNESS = "Audio clarity", "Naturalness and human-like expressiveness"
# The ATT paper's Table 5, each sub-point a code.
TABLE_5 = (
    Code("characters", "Characters", PRONUNCIATION, "Characters or words, above all those with several readings."),
    Code("tones", "Tones", PRONUNCIATION, "The tones of characters or words."),
    Code("foreign_words", "Foreign words", PRONUNCIATION, "Words of another language in the sentence."),
    Code("numbers", "Numbers", PRONUNCIATION, "Dates, amounts of money, telephone numbers."),
    Code("pauses", "Pauses", PROSODY, "Where pauses are, and how long."),
    Code("intonation", "Intonation", PROSODY, "Whether it fits the meaning, as in questions and exclamations."),
    Code("speed", "Speed", PROSODY, "Too fast, too slow, or just right."),
    Code("noise", "Sound quality and noise", CLARITY, "Clear as a whole, or with noise in the background."),
    Code("distortion", "Jitter and distortion", CLARITY, "Electronic sound, jitter, a voice that breaks up."),
    Code("emphasis", "Emphasis", NATURALNESS, "Which words are stressed."),
    Code("prolongation", "Prolongation", NATURALNESS, "Which sounds are drawn out."),
    Code("emotion", "Emotion", NATURALNESS, "Whether the feeling fits the sentence."),
    Code("paralinguistics", "Breath, laughter and the like", NATURALNESS, "Breath, laughter, crying, coughs."),
    Code("overall", "Natural as a whole", NATURALNESS, "Fluent and like a person, or not, with no other sub-point."),
)
# Why listeners chose Other: the SP-MCQA paper.
COMMENTS = (
    Code("noise", "Noise", "", "Noise or bad sound hides it."),
    Code("proper_noun", "Proper noun", "", "A name was not understood."),
    Code("speed", "Speed", "", "Too fast or too slow to follow."),
    Code("number", "Number", "", "A number was not understood."),
)
GRAPHEME = regex.compile(r"\X")


@dataclass(frozen=True, slots=True)
class CodeMark:
    """A code in a text; `start` and `stop` are character positions, None for the whole text."""

    code: str
    polarity: Polarity = ""
    start: int | None = None
    stop: int | None = None


def book(kind: Kind, settings: CodingSettings) -> tuple[Code, ...]:
    """Return the codes for a kind of text; the study's own codes replace built-in ones."""
    built_in = (TABLE_5 if kind == "reason" else COMMENTS) if settings.built_in else ()
    own = {code.code for code in settings.own}
    return (*(code for code in built_in if code.code not in own), *settings.own)


def problems(kind: Kind, settings: CodingSettings, text: str, marks: Sequence[CodeMark]) -> dict[str, str]:
    """Return {"marks.<number>": problem}."""
    known = {code.code: code for code in book(kind, settings)}
    edges = _edges(text)
    problems_by_field: dict[str, str] = {}
    seen: set[CodeMark] = set()
    for number, mark in enumerate(marks):
        if problem := _problem(known.get(mark.code), kind, mark, edges):
            problems_by_field[f"marks.{number}"] = problem
        elif mark in seen:
            problems_by_field[f"marks.{number}"] = "This mark is there twice."
        seen.add(mark)
    return problems_by_field


def _problem(code: Code | None, kind: Kind, mark: CodeMark, edges: set[int]) -> str:
    if code is None:
        return "There is no such code, or it was removed from the codebook."
    if code.polarity and mark.polarity != code.polarity:
        return "This code is always the other kind of cue."
    if kind == "reason" and not mark.polarity:
        return "Say whether it is a human or a machine cue."
    if (mark.start is None) != (mark.stop is None):
        return "The marked words need both a start and an end."
    if mark.start is None or mark.stop is None:
        return ""
    is_whole = mark.start < mark.stop and {mark.start, mark.stop} <= edges
    return "" if is_whole else "The marked words must consist of whole characters of the text."


def quote(text: str, start: int | None, stop: int | None) -> tuple[str, str, str] | None:
    """Return the text before, in and after the marked words; None if they no longer exist."""
    if start is None or stop is None:
        return ("", text, "") if text else None
    return (text[:start], text[start:stop], text[stop:]) if stop <= len(text) else None


def _edges(text: str) -> set[int]:
    """Return the boundaries of user-perceived characters, so that no accent or emoji is split."""
    return {0, *(match.end() for match in GRAPHEME.finditer(text))}


def words() -> Iterator[str]:
    """Yield the built-in codes' texts for translation."""
    for code in (*TABLE_5, *COMMENTS):
        yield from (code.name, code.dimension, code.about)
