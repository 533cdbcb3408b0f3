"""Which paragraphs carry enough key information for questions (SP-MCQA paper, section 3.1)."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from studies.rules.text import is_cjk

# With commas between thousands, as in 2,000.
NUMBER = regex.compile(r"\d+(?:,\d{3})*")
CAPITAL = regex.compile(r"\p{Lu}")
# The end of a sentence, and what may stand before the first letter of the next one.
SENTENCE = regex.compile(r"(?:[.!?…]+[\p{Pf}\p{Pe}\"']*\s+|\n+|\A)[^\p{L}\d]*")


def unfit(text: str, *, least: int, most: int, digits: int, capitals: int) -> Iterator[tuple[str, str]]:
    """Yield (code, limit) for each limit that a passage misses; `corpus.words` has the sentences. A limit of 0 is off.

    `least` and `most` count words between spaces, `digits` those of the longest number, and `capitals` the capital
    letters that start no sentence. Texts in Chinese, Japanese or Korean have neither spaces nor capitals.
    """
    if not is_cjk(text):
        words = len(text.split())
        if words < least:
            yield "passage_short", str(least)
        if most and words > most:
            yield "passage_long", str(most)
        if capitals_inside(text) < capitals:
            yield "passage_capitals", str(capitals)
    longest = max((sum(map(str.isdigit, number)) for number in NUMBER.findall(text)), default=0)
    if longest < digits:
        yield "passage_digits", str(digits)


def capitals_inside(text: str) -> int:
    """Count the capital letters of a text, without those that start a sentence or follow an abbreviation."""
    starts = {match.end() for match in SENTENCE.finditer(text)}
    return sum(match.start() not in starts for match in CAPITAL.finditer(text))
