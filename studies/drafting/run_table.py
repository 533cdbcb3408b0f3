"""The CSV file of what a run drafted."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection
from typing import Any

from studies.corpus.rules import StoredFlag
from studies.drafting import queries, words
from studies.drafting.models import Draft, DraftRun
from studies.imports.report import harmless

COLUMNS = (
    "run",
    "unit",
    "step",
    "prompt_version",
    "model",
    "parameters",
    "tokens_in",
    "tokens_out",
    "seconds",
    "at",
    "kind",
    "name",
    "text",
    "flags",
    "state",
    "tokens_estimated",
)


def as_csv(run: DraftRun, black: Collection[str], *, is_planned_black: bool) -> str:
    """Return texts, questions and requests without those about texts in `black`; no texts if planned as black-box."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(COLUMNS)
    for draft in Draft.objects.filter(run=run, text__isnull=False).select_related("text", "prompt"):
        assert draft.text is not None
        if is_planned_black or draft.text.name in black:
            continue
        table.writerow(_line(draft, "text", draft.text.name, draft.text.body, draft.text.flags, draft.text.state))
    for question in queries.drafted(run.study_id, black).filter(run=run).order_by("pk"):
        options = " | ".join(each["text"] for each in question.options)
        name = question.text.name if question.text is not None else "golden"
        text = f"{question.prompt} | {options}"
        table.writerow(_line(question.draft, "question", name, text, question.flags, question.state))
    # Requests that no text or question came of directly: written before they were made colloquial, failed, or tries.
    others = Draft.objects.filter(run=run, text=None, questions=None).exclude(passage__name__in=black)
    for draft in others.select_related("passage", "prompt"):
        name = draft.passage.name if draft.passage is not None else ""
        table.writerow(_line(draft, "request", name, "", [], "failed" if draft.error else "answered"))
    return out.getvalue()


def _line(draft: Draft, kind: str, name: str, text: str, flags: list[StoredFlag], state: str) -> list[Any]:
    codes = " ".join(flag["code"] for flag in flags)
    values = (
        draft.run_id,
        draft.unit,
        draft.step,
        draft.prompt.number,
        draft.model,
        words.of_parameters(draft.parameters),
        draft.tokens_in,
        draft.tokens_out,
        draft.seconds,
        draft.at.isoformat(),
        kind,
        name,
        text,
        codes,
        state,
        "yes" if draft.is_estimated else "no",
    )
    return [harmless(value) for value in values]
