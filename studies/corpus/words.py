"""What pages say of texts: the dimensions of the ATT paper, and what automatic checks found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.utils.functional import _StrOrPromise as Words

    from studies.corpus.mismatch import Mismatch


class Dimension(NamedTuple):
    """A kind of difficulty that texts are written for: its name in tables, its label and one sentence about it."""

    name: str
    label: Words
    explanation: Words


# ATT paper, section 3.1 and Table 1; the names are values in tables and never translated.
ATT = (
    Dimension(
        "special_characters",
        _("Special characters and numerals"),
        _("Numbers, dates, units, symbols and letters that must be read the way people usually say them."),
    ),
    Dimension(
        "code_switching",
        _("Code-switching"),
        _("A few words of another language inside the sentence, such as English names in Chinese speech."),
    ),
    Dimension(
        "paralinguistics",
        _("Paralinguistic features and emotions"),
        _("Laughter, sighs and interjections, and feelings that must be heard in the voice."),
    ),
    Dimension(
        "classical_chinese",
        _("Classical poetry and prose"),
        _("Old verse or prose, alone or quoted, with readings and tones that differ from everyday speech."),
    ),
    Dimension(
        "polyphones",
        _("Polyphonic characters"),
        _("Characters or words that are written alike and pronounced differently, as the context decides."),
    ),
)
# Sentences on `CorpusText.flags` and `TaskType.text_flags`, by code; `detail` is filled in.
FLAGS: dict[str, Words] = {
    "duplicate": _("The same words as {detail}."),
    "near_duplicate": _("Almost the same words as {detail}."),
    "no_body": _("The text is empty."),
    "passage_short": _("Fewer than {detail} words."),
    "passage_long": _("More than {detail} words."),
    "passage_digits": _("No number of {detail} or more digits."),
    "passage_capitals": _("Fewer than {detail} capital letters inside sentences."),
}


def of_flag(flag: Mapping[str, Any]) -> str:
    """Describe a flag as a sentence; an unknown code is shown with its detail."""
    code, detail = str(flag.get("code", "")), str(flag.get("detail", ""))
    return str(FLAGS[code]).format(detail=detail) if code in FLAGS else f"{code}: {detail}"


def of_mismatch(clip: Mismatch) -> str:
    """Return the reason why a clip may not be its text."""
    if clip.ratio > 1:
        text = gettext("Too long for its text: {rate} s per character, usually {usual} s.")
    else:
        text = gettext("Too short for its text: {rate} s per character, usually {usual} s.")
    return text.format(rate=f"{clip.rate:.2f}", usual=f"{clip.usual:.2f}")
