"""score_looks.csv: who saw scores that were hidden until closing, when, and why they opened them."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.data import hiding
from analysis.data.models import ScoreOpening, ScoreSight
from analysis.exports.columns import Column, Row
from analysis.exports.source import Source

COLUMNS = (
    Column("study", "text", "Short name of the study."),
    Column("at", "time", "When.", "UTC"),
    Column("what", "code", "Whether the scores were opened, or a page was seen.", levels="opened|looked"),
    Column("person", "id", "Who; a pseudonym. Empty: somebody with a shell on the server."),
    Column("user", "text", "Who, by the name of the login."),
    Column("page", "id", "The page that was seen; looks at one page within half an hour count as one."),
    Column("reason", "text", "Why the scores were opened."),
)


def rows(source: Source) -> Iterator[Row]:
    """Yield the openings, then the views, each in order."""
    study = source.study
    for opening in hiding.openings(study.pk):
        yield {**_row(source, opening, "opened"), "page": None, "reason": opening.reason}
    for sight in reversed(hiding.sights(study.pk)):
        yield {**_row(source, sight, "looked"), "page": sight.what, "reason": None}


def _row(source: Source, entry: ScoreOpening | ScoreSight, what: str) -> Row:
    return {
        "study": source.study.slug,
        "at": entry.at,
        "what": what,
        "person": None if entry.by is None else source.names.expert(entry.by.pk),
        "user": None if entry.by is None else entry.by.get_username(),
    }
