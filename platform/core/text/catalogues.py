"""Catalogues of the pages' own words: found in the code, kept as .po, read by Django as .mo."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from babel.messages import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.utils.translation.template import templatize

from core import hooks

CODE = (
    "platform/accounts",
    "platform/workspace",
    "platform/core",
    "platform/demo",
    "platform/quick",
    "studies",
    "raters",
    "analysis",
    "judge",
)
TEMPLATES = "templates"
# Modules that mark sentences import from one of these.
MODULES = ("gettext", "core.text.words", "def say(")
# Which of a call's arguments are context, sentence and plural.
CALLS = {
    "_": (None, 0, None),
    "say": (None, 0, None),
    "gettext": (None, 0, None),
    "gettext_lazy": (None, 0, None),
    "gettext_noop": (None, 0, None),
    "ngettext": (None, 0, 1),
    "ngettext_lazy": (None, 0, 1),
    "pgettext": (0, 1, None),
    "pgettext_lazy": (0, 1, None),
}
LITERAL = r"""u?(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
TAGS = re.compile(rf"\b(?P<name>n?p?gettext|_)\((?P<literals>{LITERAL}(?:,\s*{LITERAL})*)", re.DOTALL)
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w*\}")
PLACES = re.compile(r"^#: .*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, order=True)
class Sentence:
    """One sentence to translate; `context` distinguishes equal ones, `plural` is the form for several."""

    text: str
    plural: str = ""
    context: str = ""


def sentences(root: Path | None = None) -> dict[Sentence, list[str]]:
    """Return every sentence and its files, in the order of the files."""
    root = root or settings.ROOT
    places: dict[Sentence, list[str]] = {}
    for path in sorted(path for folder in CODE for path in (root / folder).rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        # Parsing takes a hundred times as long as this test.
        if any(module in source for module in MODULES):
            _note(places, in_code(source), path.relative_to(root))
    for path in sorted(path for ending in ("html", "txt") for path in (root / TEMPLATES).rglob(f"*.{ending}")):
        _note(places, in_template(path.read_text(encoding="utf-8")), path.relative_to(root))
    for declared in hooks.declared_words:
        _note(places, (Sentence(text) for text in declared() if text), Path(declared.__module__))
    return places


def in_code(source: str) -> Iterator[Sentence]:
    """Yield the sentences that calls in a module mark; apps register those that are computed."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in CALLS:
            arguments = [arg.value if isinstance(arg, ast.Constant) else None for arg in node.args]
            yield from _sentence(name, arguments)


def in_template(source: str) -> Iterator[Sentence]:
    """Yield the sentences that a template's tags mark."""
    for call in TAGS.finditer(templatize(source)):
        yield from _sentence(call["name"], list(ast.literal_eval(f"[{call['literals']}]")))


def _sentence(name: str, arguments: Sequence[object]) -> Iterator[Sentence]:
    context, text, plural = (
        "" if place is None else arguments[place] if place < len(arguments) else None for place in CALLS[name]
    )
    if isinstance(context, str) and isinstance(text, str) and isinstance(plural, str):
        yield Sentence(text, plural, context)


def _note(places: dict[Sentence, list[str]], sentences: Iterator[Sentence], place: Path) -> None:
    for sentence in sentences:
        files = places.setdefault(sentence, [])
        if place.as_posix() not in files:
            files.append(place.as_posix())


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
    """Write a catalogue as .po, and next to it as .mo."""
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
