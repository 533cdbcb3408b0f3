"""What an imported table of texts would add and change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from studies.corpus import services
from studies.corpus.differences import Piece, differences
from studies.corpus.models import CorpusText
from studies.corpus.text_table import TextRow, lines_of
from studies.definition.models import Study


@dataclass(frozen=True, slots=True)
class ChangedText:
    """A text that would change: the differences of its words, and the other columns that differ."""

    name: str
    words: list[Piece]
    columns: list[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class Preview:
    """New, changed and unchanged texts of a table."""

    # Names and words.
    new: list[tuple[str, str]]
    changed: list[ChangedText]
    same: int

    @property
    def does_something(self) -> bool:
        return bool(self.new or self.changed)


def preview(study: Study, rows: Sequence[TextRow]) -> Preview:
    """Compare a table to the study's texts; one SELECT."""
    existing = {text.name: text for text in CorpusText.objects.filter(study=study)}
    new = [(row.name, services.columns_of(row)["body"]) for row in rows if row.name not in existing]
    changed = [each for row in rows if row.name in existing and (each := _changed(existing[row.name], row))]
    return Preview(new, changed, len(rows) - len(new) - len(changed))


def _changed(text: CorpusText, row: TextRow) -> ChangedText | None:
    values = services.columns_of(row)
    words = list(differences(text.body, values["body"])) if values["body"] != text.body else []
    columns = [
        (name, _shown(before), _shown(value))
        for name, value in values.items()
        if name != "body" and (before := getattr(text, name)) != value
    ]
    state = row.values.get("state", "")
    if (
        state
        and state != text.state
        and services.will_follow(
            text, state, is_changed=bool(words) or any(name in services.SPOKEN for name, *_ in columns)
        )
    ):
        columns.append(("state", text.state, "rejected" if state == "rejected" else "accepted"))
    return ChangedText(text.name, words, columns) if words or columns else None


def _shown(value: Any) -> str:
    return lines_of(value) if isinstance(value, list) else str(value)
