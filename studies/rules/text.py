"""Count text as readers do, and what questions on a passage may be like (SP-MCQA paper, section 3)."""

from __future__ import annotations

import regex

FEWEST, MOST = 2, 10
MOST_DISTRACTORS = 5
# The kinds of error that a distractor stands for.
ERRORS = {"phonetic": "Phonetic", "semantic": "Semantic", "syntax": "Syntax", "grammar": "Grammar"}


CJK = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")
GRAPHEME = regex.compile(r"\X")
# A letter, digit or ideograph, but none of the invisible fillers, which count as letters.
WRITTEN = regex.compile(r"(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{Nd}\p{Ideographic}]")


def graphemes(text: str) -> int:
    """Return the number of characters as a reader counts them: an emoji family or an accented letter is one."""
    return len(GRAPHEME.findall(text.strip()))


def written(text: str) -> int:
    """Count the characters with a letter, digit or ideograph; `ternary.js` counts alike."""
    if text.isascii():
        return sum(map(str.isalnum, text))
    return sum(WRITTEN.search(grapheme) is not None for grapheme in GRAPHEME.findall(text))


def is_cjk(text: str) -> bool:
    """Say whether Chinese, Japanese or Korean letters make up at least half of the letters."""
    if text.isascii():
        return False
    letters = [letter for letter in text if letter.isalpha()]
    return bool(letters) and 2 * len(CJK.findall(text)) >= len(letters)
