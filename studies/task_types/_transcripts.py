"""Transcripts of what was heard: word and character error rates against the text of the clip."""

from __future__ import annotations

from random import Random

import regex

from core.text.words import say
from studies.task_types.base import AnswerRow, ScoreScale

# Languages without spaces between words: each of these characters counts as a word.
UNSPACED = regex.compile(r"([\p{Han}\p{Hiragana}\p{Katakana}])")
APOSTROPHES = regex.compile(r"['’ʼ]")
PUNCTUATION = regex.compile(r"[\p{P}\p{S}]")

NORMALIZED = say(
    "Before counting, transcript and text are written in lower case, apostrophes are removed, other punctuation and "
    "symbols become spaces, and white space is one space. Numbers are not spelled out."
)
RAW = say("Counted as written: only white space is made one space.")
WORDS = say("Errors are substituted, deleted and inserted words, divided by the words of the text.")
CHARACTERS = say(
    "Errors are substituted, deleted and inserted characters, divided by those of the text, without spaces."
)
UNSPACED_WORDS = say("Each Chinese or Japanese character counts as a word, so use CER for these languages.")
MOST = say("An answer counts as 100 % at most.")


def _rate(name: str, part: str, *notes: str) -> ScoreScale:
    return ScoreScale(name, 0.0, 1.0, "%", part, about="errors", notes=(*notes, MOST))


RATES = (
    _rate("WER", "wer", WORDS, UNSPACED_WORDS, NORMALIZED),
    _rate("CER", "cer", CHARACTERS, NORMALIZED),
    _rate("Raw WER", "wer_raw", WORDS, UNSPACED_WORDS, RAW),
    _rate("Raw CER", "cer_raw", CHARACTERS, RAW),
)
# Of simulated listeners: the share of words that they get wrong in a clip of the lowest quality.
MOST_WRONG = 0.6


def normalized(text: str) -> str:
    """Return a text in lower case, without punctuation, with one space between words."""
    return " ".join(PUNCTUATION.sub(" ", APOSTROPHES.sub("", text.lower())).split())


def words(text: str) -> list[str]:
    """Return the words of a text, as written; each Chinese or Japanese character is one."""
    spaced: str = UNSPACED.sub(r" \1 ", text)
    return spaced.split()


def characters(text: str) -> list[str]:
    """Return the characters of a text, without white space."""
    return list("".join(text.split()))


def rows(part: str, heard: str, text: str, place: int) -> list[AnswerRow]:
    """Return the transcript, and its error rates; the code of a rate is its errors over the length of the text."""
    plain, given = normalized(text), normalized(heard)
    counts = (
        _errors(words(plain), words(given)),
        _errors(characters(plain), characters(given)),
        _errors(words(text), words(heard)),
        _errors(characters(text), characters(heard)),
    )
    rates = [
        AnswerRow(scale.part, f"{errors}/{length}", min(1.0, errors / max(length, 1)), place)
        for scale, (errors, length) in zip(RATES, counts, strict=True)
    ]
    return [AnswerRow(part, "text" if heard else "nothing", None, place, note=heard), *rates]


def _errors(text: list[str], heard: list[str]) -> tuple[int, int]:
    """Return the least number of substitutions, deletions and insertions, and the length of the text."""
    import jiwer

    if not text or not heard:
        return max(len(text), len(heard)), len(text)
    found = jiwer.process_words(" ".join(text), " ".join(heard))
    return found.substitutions + found.deletions + found.insertions, len(text)


def simulated(text: str, quality: float, rng: Random) -> str:
    """Return what a listener writes who hears a clip of this quality, from 0 to 1; empty for nothing understood."""
    wrong = MOST_WRONG * (1 - min(1.0, max(0.0, quality)))
    heard = []
    for word in words(normalized(text)):
        if rng.random() >= wrong:
            heard.append(word)
        elif rng.random() < 0.5:
            heard.append(word[::-1] + "o")
    return " ".join(heard)
