"""Read and write .po files, as far as these catalogues need it, and make .mo files of them."""

from __future__ import annotations

import ast
import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from core.text.catalogues.marked import Sentence

LINE = re.compile(r'^(?:(msgctxt|msgid|msgid_plural|msgstr(?:\[\d+\])?)\s+)?("(?:\\.|[^"\\])*")$')
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w*\}")
MAGIC = 0x950412DE


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Translations of sentences into one language; several forms where the language has a plural."""

    head: str
    said: Mapping[Sentence, tuple[str, ...]]


def read(text: str) -> Catalogue:
    """Read a .po file; an entry without a translation is left out."""
    head, said = "", {}
    for entry in _entries(text):
        forms = tuple(entry[key] for key in sorted(entry) if key.startswith("msgstr"))
        if not entry["msgid"]:
            head = forms[0]
        elif all(forms):
            said[Sentence(entry["msgid"], entry.get("msgid_plural", ""), entry.get("msgctxt", ""))] = forms
    return Catalogue(head, said)


def write(catalogue: Catalogue, found: Mapping[Sentence, Iterable[str]]) -> str:
    """Return a .po file of the sentences found, in their order, with the translations that are known."""
    blocks = [f'msgid ""\nmsgstr ""\n{_lines(catalogue.head)}']
    for sentence, places in found.items():
        forms = catalogue.said.get(sentence, ("",))
        block = [f"#: {place}" for place in places]
        if sentence.context:
            block.append(f"msgctxt {_quoted(sentence.context)}")
        block.append(f"msgid {_quoted(sentence.text)}")
        if sentence.plural:
            block.append(f"msgid_plural {_quoted(sentence.plural)}")
            block += [f"msgstr[{number}] {_quoted(form)}" for number, form in enumerate(forms)]
        else:
            block.append(f"msgstr {_quoted(forms[0])}")
        blocks.append("\n".join(block))
    return "\n\n".join(blocks) + "\n"


def compiled(catalogue: Catalogue) -> bytes:
    """Return the .mo file: sorted keys and their translations, found by offsets."""
    pairs = [("", catalogue.head)]
    for sentence, forms in catalogue.said.items():
        key = f"{sentence.context}\x04{sentence.text}" if sentence.context else sentence.text
        pairs.append((f"{key}\0{sentence.plural}" if sentence.plural else key, "\0".join(forms)))
    encoded = sorted((key.encode(), value.encode()) for key, value in pairs)
    start = 7 * 4
    offset = start + 16 * len(encoded)
    tables: list[bytes] = []
    bodies: list[bytes] = []
    for column in (0, 1):
        for pair in encoded:
            tables.append(struct.pack("<II", len(pair[column]), offset))
            bodies.append(pair[column] + b"\0")
            offset += len(pair[column]) + 1
    header = struct.pack("<7I", MAGIC, 0, len(encoded), start, start + 8 * len(encoded), 0, 0)
    return header + b"".join(tables) + b"".join(bodies)


def problems(catalogue: Catalogue, found: Iterable[Sentence]) -> Iterator[str]:
    """Say which sentences lack a translation, or have one that fills in something else."""
    for sentence in found:
        forms = catalogue.said.get(sentence)
        if forms is None:
            yield f"not translated: {sentence.text!r}"
            continue
        allowed = [_filled(text) for text in (sentence.text, sentence.plural) if text]
        for form in forms:
            if _filled(form) not in allowed:
                yield f"other placeholders: {sentence.text!r} is {form!r}"
            elif (form[0] == "\n", form[-1] == "\n") != (sentence.text[0] == "\n", sentence.text[-1] == "\n"):
                yield f"other line breaks: {sentence.text!r} is {form!r}"


def _entries(text: str) -> Iterator[dict[str, str]]:
    entry: dict[str, str] = {}
    key = ""
    for line in [*text.splitlines(), ""]:
        if not line.strip():
            if entry:
                yield entry
            entry = {}
        elif not line.startswith("#"):
            match = LINE.match(line)
            if match is None:
                raise ValueError(f"This is no line of a .po file: {line}")
            key = match[1] or key
            entry[key] = entry.get(key, "") + ast.literal_eval(match[2])


def _quoted(text: str) -> str:
    for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t")):
        text = text.replace(plain, escaped)
    return f'"{text}"'


def _lines(text: str) -> str:
    return "\n".join(_quoted(line) for line in text.splitlines(keepends=True))


def _filled(text: str) -> tuple[str, ...]:
    return tuple(sorted(set(PLACEHOLDER.findall(text))))
