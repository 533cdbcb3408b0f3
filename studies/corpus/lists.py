"""Tables of texts as CSV: all of them, those to synthesise or record, and the manifest of the clips to come."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Iterable, Iterator, Sequence

from django.utils.translation import gettext as _

from core.errors import Invalid
from studies.corpus import text_table
from studies.corpus.models import CorpusText
from studies.imports.ingest import table

SPEAKING = ("text_id", "text", "language", "dimension", "style", "turns")
MANIFEST = ("file", "system", "role", "voice", "text_id", "text", "dimension", "language", "box")
PATTERN = "{system}/{text_id}.wav"
MOST_SYSTEMS = 50
HUMAN = "human"


def all_texts(texts: Iterable[CorpusText], withheld: Collection[str] = ()) -> str:
    """Return every column that an import reads; the words of `withheld` texts are empty."""
    return _csv(text_table.COLUMNS, (_values(text, text_table.COLUMNS, withheld) for text in texts))


def for_speaking(texts: Iterable[CorpusText]) -> str:
    """Return the columns that a synthesiser or speaker needs."""
    return _csv(SPEAKING, (_values(text, SPEAKING) for text in texts))


def manifest(texts: Sequence[CorpusText], systems: Sequence[str], pattern: str) -> str:
    """Return a manifest with a test clip for each text and system; raises `Invalid` for a pattern without them.

    `pattern` holds {text_id}, and {system} where there are several.
    """
    if "{text_id}" not in pattern or (len(systems) > 1 and "{system}" not in pattern):
        raise Invalid(_("The file name needs {text_id}, and {system} if there are several systems."))
    return _csv(MANIFEST, _clips(texts, systems, pattern))


def systems_of(text: str) -> list[str]:
    """Split systems that a person typed by commas or lines; raises `Invalid` if there are none."""
    names = list(dict.fromkeys(name.strip()[:100] for name in text.replace("\n", ",").split(",") if name.strip()))
    if not names or len(names) > MOST_SYSTEMS:
        raise Invalid(_("Name between 1 and {most} systems, separated by commas.").format(most=MOST_SYSTEMS))
    return names


def _clips(texts: Sequence[CorpusText], systems: Sequence[str], pattern: str) -> Iterator[list[str]]:
    for system in systems:
        for text in texts:
            file = pattern.replace("{system}", system).replace("{text_id}", text.name)
            yield [file, system, "test", "", text.name, text.body, text.dimension, text.language, text.box]


def _values(text: CorpusText, columns: Sequence[str], withheld: Collection[str] = ()) -> list[str]:
    is_withheld = text.name in withheld
    values = {
        "text_id": text.name,
        "text": "" if is_withheld else text.body,
        "style": "" if is_withheld else text.style,
        "turns": json.dumps(text.turns, ensure_ascii=False) if text.turns and not is_withheld else "",
    }
    return [values[column] if column in values else str(getattr(text, column)) for column in columns]


def _csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; a quotation mark is put before what a spreadsheet would run as a formula."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([table.quoted(value) for value in row])
    return out.getvalue()
