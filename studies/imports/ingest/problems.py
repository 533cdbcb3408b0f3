"""Problems of an import, in sentences that say what to change."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

LONGEST = 1000
# The lists that come with the audio; an empty name is the import as a whole.
TABLES = ("", "manifest", "questions", "golden")


@dataclass(frozen=True)
class ImportProblem:
    """One line of the report; `row` is that of the spreadsheet, or 0 for the import as a whole."""

    row: int
    file: str
    column: str
    reason: str
    # A warning is shown, but does not stop the import.
    warning: bool = False
    # The one of `TABLES` that `row` refers to.
    table: str = "manifest"
    # The file was not imported, but the others were.
    left_out: bool = False
    # Nobody can tell where the audio ends: the part that the header declares can be imported.
    uncertain: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the line as it is stored; `sentence` has what a page needs to translate the reason."""
        line = {
            "table": self.table,
            "row": self.row,
            "file": shown(self.file),
            "column": self.column,
            "reason": shown(self.reason),
            "warning": self.warning,
        }
        if self.left_out:
            line["left_out"] = True
        if self.uncertain:
            line["uncertain"] = True
        # A sentence of `say`; the child that decodes imports this module, and knows nothing of core.
        sentence = getattr(self.reason, "as_json", None)
        if sentence and len(self.reason) <= LONGEST:
            line["sentence"] = _storable(sentence)
        return line


def _storable(sentence: dict[str, Any]) -> dict[str, Any]:
    """Return a sentence whose values a database can hold."""
    values = {
        name: _storable(value) if isinstance(value, dict) else shown(value)
        for name, value in sentence["values"].items()
    }
    return {**sentence, "values": values}


def shown(text: str) -> str:
    """Return `text` as a page and a database can hold it: control characters replaced, very long texts cut."""
    text = "".join("\ufffd" if unicodedata.category(character) in {"Cc", "Cs"} else character for character in text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


class InvalidInput(Exception):
    """An invalid file; the message is shown to the researcher."""


class UncertainEnd(InvalidInput):
    """A file that goes on after its audio with something unknown; the declared part can be imported if asked."""
