"""payment.csv: the crowd platform's ids and how each session ended; nothing that was rated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from analysis.exports.columns import Column
from analysis.exports.people import STEPS
from analysis.exports.source import Source
from raters.payments import reconciling

COLUMNS = (
    Column("study", "text", "Short name of the study."),
    Column("session", "id", "The session; a pseudonym, as in the export for analysis."),
    Column("source", "id", "Where the rater came from."),
    Column("external_person", "text", "The platform's id of the person; empty once it was deleted."),
    Column("external_study", "text", "The platform's id of the study."),
    Column("external_session", "text", "The platform's id of the session."),
    Column("step", "code", "How far the session is.", levels=STEPS),
    Column("outcome", "code", "How it ended; empty while under way."),
    Column("payable", "boolean", "Whether it is owed its pay; empty: a person decides."),
    Column("arrived_at", "time", "When the rater arrived.", "UTC"),
    Column("ended_at", "time", "When it was decided how the session ended.", "UTC"),
)


def rows(source: Source) -> Iterator[dict[str, Any]]:
    """Yield one row a real session, in order of arrival: nobody pays a program."""
    for row in reconciling.table(source.study.pk):
        yield {
            **row,
            "study": source.study.slug,
            "session": source.names.session(row["session_pk"]),
            "external_person": row["person"],
            "external_study": row["ext_study"],
            "external_session": row["ext_session"],
        }
