"""What an import takes from the study's corpus: words, dimension, language and box of texts that clips name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from studies import hooks
from studies.clips.models import Text
from studies.definition.models import Study
from studies.hooks import TextFacts
from studies.imports.ingest.manifest import ManifestRow

# Names that are looked up one by one; for more, all are read.
FEW = 1000
# The columns of a manifest that may be left empty then, and where their values come from.
FILLED = {"text": "body", "dimension": "dimension", "language": "language", "box": "box"}


def known(study: Study, names: Iterable[str]) -> dict[str, TextFacts]:
    """Return {text_id: facts}; without words where clips of the study speak others already, or the same."""
    wanted = set(filter(None, names))
    if not wanted:
        return {}
    # PostgreSQL takes at most 65,535 values in a statement.
    named = hooks.text_facts(study.pk, wanted if len(wanted) <= FEW else None)
    facts = {name: fact for name, fact in named.items() if name in wanted}
    texts = Text.objects.filter(study=study).exclude(body="")
    spoken = (texts.filter(name__in=facts) if len(facts) <= FEW else texts).values_list("name", flat=True)
    return facts | {name: replace(facts[name], body="") for name in spoken if name in facts}


def completed(rows: Sequence[ManifestRow], facts: Mapping[str, TextFacts]) -> list[ManifestRow]:
    """Return the rows of a manifest with what they leave empty."""
    return [replace(row, **_missing(asdict(row), facts[row.text_id])) if row.text_id in facts else row for row in rows]


def propose(study: Study, rows: Iterable[dict[str, str]]) -> tuple[dict[str, str], ...]:
    """Return proposed rows of a manifest with what the corpus knows."""
    rows = list(rows)
    facts = known(study, (row.get("text_id", "") for row in rows))
    known_rows = ((row, facts.get(row.get("text_id", ""))) for row in rows)
    return tuple({**row, **_missing(row, fact)} if fact else row for row, fact in known_rows)


def _missing(row: Mapping[str, Any], facts: TextFacts) -> dict[str, Any]:
    values = {column: getattr(facts, name) for column, name in FILLED.items() if not row.get(column)}
    return {column: value for column, value in values.items() if value}
