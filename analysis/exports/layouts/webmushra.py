"""webMUSHRA: mushra.csv for screens of several clips, lss.csv for single clips."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from analysis.exports.columns import Cell, Column, ExportTable, Row
from analysis.exports.layouts.scored import LayoutRating, Scored
from analysis.exports.source import Source

TEST = Column("session_test_id", "text", "Short name of the study.")
LISTENER = Column("listener", "id", "Who rated; a pseudonym, as in ratings.csv.")
TRIAL = Column("trial_id", "text", "Name of the text of the screen; of a clip without a text, its file.")
TIME = "From trial shown to answer, of the whole trial."
MUSHRA = (
    TEST,
    LISTENER,
    Column("session_uuid", "id", "The session; a pseudonym, as in ratings.csv."),
    TRIAL,
    Column("rating_stimulus", "text", "System of the clip; reference for the hidden reference."),
    Column("rating_score", "number", "The score."),
    Column("rating_time", "number", TIME, "ms"),
    Column("rating_comment", "text", "What the rater wrote."),
)
LIKERT = (
    TEST,
    LISTENER,
    TRIAL,
    Column("stimuli_rating", "number", "The score."),
    Column("stimuli", "text", "File of the clip, as in the manifest."),
    Column("rating_time", "number", TIME, "ms"),
)


def tables(source: Source) -> list[ExportTable]:
    """Return the one file that fits the study's task."""
    scored = Scored(source)
    shows = source.definition.kind.shows

    def common(row: LayoutRating, clips: int) -> dict[str, Cell]:
        seconds = row.response_seconds
        return {
            "session_test_id": source.study.slug,
            "listener": row.rater,
            "session_uuid": row.session,
            "trial_id": row.text_id or row.clip,
            "rating_time": None if seconds is None else round(1000 * seconds * clips),
        }

    def mushra() -> Iterator[Row]:
        for screen in _screens(scored.rows()):
            for row in screen:
                yield common(row, len(screen)) | {
                    "rating_stimulus": "reference" if row.clip_role == "reference" else row.system,
                    "rating_score": row.score,
                    "rating_comment": None if source.is_open else row.justification or row.note,
                }

    def likert() -> Iterator[Row]:
        for row in scored.rows():
            # A pair's time is divided by its two clips; one of them has the score.
            clips = 2 if shows == "pair" else 1
            yield common(row, clips) | {"stimuli_rating": row.score, "stimuli": row.clip}

    if shows == "screen":
        return [ExportTable("mushra", MUSHRA, mushra, "mushra.csv")]
    return [ExportTable("lss", LIKERT, likert, "lss.csv")]


def _screens(scores: Iterator[LayoutRating]) -> Iterator[list[LayoutRating]]:
    """Yield the scores of each screen as a list; they are stored consecutively."""
    for _screen, together in groupby(scores, key=lambda score: (score.session, score.trial_index)):
        yield list(together)
