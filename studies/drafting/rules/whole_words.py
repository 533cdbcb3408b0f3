"""Compare texts by whole words and numbers: 19 is not in 2019, nor "owt" in "growth"."""

from __future__ import annotations

import unicodedata

import regex

HAN_DIGITS = "〇零一二两三四五六七八九"
# A number with its separators; one in Chinese characters; a character that is a word; a word of letters and digits.
TOKEN = regex.compile(
    rf"\p{{Nd}}+(?:[.,:]\p{{Nd}}+)*(?!\p{{Nd}}|(?![\p{{Han}}\p{{Hiragana}}\p{{Katakana}}])\p{{L}})"
    rf"|[{HAN_DIGITS}十百千万亿]+"
    r"|[\p{Han}\p{Hiragana}\p{Katakana}]"
    r"|(?:(?![\p{Han}\p{Hiragana}\p{Katakana}])[\p{L}\p{M}\p{Nd}])+"
)
THOUSANDS = regex.compile(r"(?<=\p{Nd}),(?=\p{Nd}{3}(?!\p{Nd}))")
# Written with a unit or as a row of digits; single characters, 万一 and 一一 are no numbers.
HAN_NUMBER = regex.compile(
    rf"(?!一一(?![{HAN_DIGITS}]))"
    rf"(?:[{HAN_DIGITS}][十百千万亿]|十[{HAN_DIGITS}]|[{HAN_DIGITS}]{{2}})[{HAN_DIGITS}十百千万亿]*"
)


def tokens(text: str) -> list[str]:
    """Return the words and numbers of a text, in one case and width."""
    folded = THOUSANDS.sub("", unicodedata.normalize("NFKC", text).casefold())
    return [match.group() for match in TOKEN.finditer(folded)]


def contains(text: str, part: str) -> bool:
    """Return whether a text has all words and numbers of a part in a row."""
    # A separator that occurs in no token, also at the ends.
    return f" {' '.join(tokens(part))} " in f" {' '.join(tokens(text))} "
