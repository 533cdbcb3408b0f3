"""What an import has to say about a file, in words that tell what to change."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

LONGEST = 1000
# What a researcher hands in beside the audio; an empty name is the import as a whole.
TABLES = ("", "manifest", "questions", "golden")


@dataclass(frozen=True)
class ImportProblem:
    """One line of the report; `row` as the spreadsheet counts, or 0 where the whole import is meant."""

    row: int
    file: str
    column: str
    reason: str
    # A warning is told and refuses nothing.
    warning: bool = False
    # The one of `TABLES` that `row` counts in.
    table: str = "manifest"

    def as_dict(self) -> dict[str, str | int | bool]:
        return {
            "table": self.table,
            "row": self.row,
            "file": shown(self.file),
            "column": self.column,
            "reason": shown(self.reason),
            "warning": self.warning,
        }


def shown(text: str) -> str:
    """Return `text` as a page and a database can hold it: control characters replaced, very long texts cut."""
    text = "".join("\ufffd" if unicodedata.category(character) in {"Cc", "Cs"} else character for character in text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


class InvalidInput(Exception):
    """This file can't be taken; the message is the reason a researcher reads."""
