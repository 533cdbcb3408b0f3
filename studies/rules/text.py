"""Count text as readers do, and what questions on a passage may be like (SP-MCQA paper, section 3)."""

from __future__ import annotations

import regex

FEWEST, MOST = 2, 10
MOST_DISTRACTORS = 5
# The kinds of error that a distractor stands for.
ERRORS = {"phonetic": "Phonetic", "semantic": "Semantic", "syntax": "Syntax", "grammar": "Grammar"}


CJK = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")
GRAPHEME = regex.compile(r"\X")


def graphemes(text: str) -> int:
    """Return the number of characters as a reader counts them: an emoji family or an accented letter is one."""
    return len(GRAPHEME.findall(text.strip()))


def is_cjk(text: str) -> bool:
    """Say whether Chinese, Japanese or Korean letters make up at least half of the letters."""
    letters = [letter for letter in text if letter.isalpha()]
    return bool(letters) and 2 * len(CJK.findall(text)) >= len(letters)
