"""Update the .po and .mo files of a language, which Babel reads and writes, and check the translations.

Babel comes with the packages of `./check`: only developers write catalogues, and both files are committed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from pathlib import Path

from babel.messages import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from core.text.catalogues.marked import Sentence

PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w*\}")
PLACES = re.compile(r"^#: .*$", re.MULTILINE)

Translations = Mapping[Sentence, tuple[str, ...]]


class PageCatalogue(Catalog):
    """A catalogue whose header holds only what readers of the file need: no dates, which would differ in each build."""

    def __init__(self, locale: str) -> None:
        super().__init__(locale, header_comment="# Translations of Earshot's pages.", fuzzy=False)

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        """Return the lines of the header."""
        return [
            ("Project-Id-Version", "Earshot"),
            ("Content-Type", "text/plain; charset=UTF-8"),
            ("Content-Transfer-Encoding", "8bit"),
            ("Language", str(self.locale_identifier)),
            ("Plural-Forms", self.plural_forms),
        ]


def read(po: str) -> dict[Sentence, tuple[str, ...]]:
    """Return the translations in a .po file by their sentences; an entry without a translation is left out."""
    translations = {}
    for message in read_po(BytesIO(po.encode()), abort_invalid=True):
        text, plural = (message.id, "") if isinstance(message.id, str) else message.id
        forms = (message.string,) if isinstance(message.string, str) else message.string or ("",)
        if text and all(forms):
            translations[Sentence(text, plural, message.context or "")] = tuple(map(str, forms))
    return translations


def catalogue(locale: str, places: Mapping[Sentence, Iterable[str]], translations: Translations) -> Catalog:
    """Return a catalogue of these sentences, in their order, with the translations that are known."""
    new = PageCatalogue(locale)
    for sentence, files in places.items():
        forms = translations.get(sentence)
        message = new.add(
            (sentence.text, sentence.plural) if sentence.plural else sentence.text,
            None if forms is None else forms if sentence.plural else forms[0],
            locations=[(file, 0) for file in files],
            context=sentence.context or None,
        )
        # `python-format` and the like: `problems` checks the placeholders of every sentence.
        message.flags.clear()
    return new


def write(new: Catalog, path: Path) -> None:
    """Write a catalogue as .po, and beside it as .mo."""
    po = BytesIO()
    write_po(po, new, width=0)
    # One file a line: branches that add a sentence to different files rarely conflict.
    text = PLACES.sub(lambda line: line[0].replace(" ", "\n#: ").replace("#:\n", ""), po.getvalue().decode())
    path.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    with path.with_suffix(".mo").open("wb") as mo:
        write_mo(mo, new)


def problems(translations: Translations, sentences: Iterable[Sentence]) -> Iterator[str]:
    """Yield what is wrong: sentences without a translation, or whose translation has other placeholders."""
    for sentence in sentences:
        forms = translations.get(sentence)
        if forms is None:
            yield f"not translated: {sentence.text!r}"
            continue
        allowed = [_placeholders(text) for text in (sentence.text, sentence.plural) if text]
        for form in forms:
            if _placeholders(form) not in allowed:
                yield f"other placeholders: {sentence.text!r} is {form!r}"
            elif (form[0] == "\n", form[-1] == "\n") != (sentence.text[0] == "\n", sentence.text[-1] == "\n"):
                yield f"other line breaks: {sentence.text!r} is {form!r}"


def _placeholders(text: str) -> tuple[str, ...]:
    return tuple(sorted(set(PLACEHOLDER.findall(text))))
