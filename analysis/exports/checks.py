"""checks.csv: the result of each session's checks; for attention checks also the question and answer."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.exports.columns import Column, Row
from analysis.exports.source import Source
from raters.sessions import checks, screening, slow_line

NAMES = "|".join([*(check.name for check in screening.all_checks()), slow_line.NAME])
COLUMNS = (
    Column("study", "text", "Short name of the study."),
    Column("study_version", "number", "Version of the study that this rater met."),
    Column("session", "id", "One rater in one study; as in raters.csv."),
    Column("rater", "id", "Who rated; as in raters.csv."),
    Column("simulated", "boolean", "Whether a program answered, or somebody who only tried the study out."),
    Column("check", "code", "Which check.", levels=NAMES),
    Column("round", "number", "0: before the first clip; 1, 2, …: once more between batches."),
    Column("rule_version", "number", "Version of the check's rule."),
    Column("tries", "number", "Tries begun."),
    Column("right", "number", "Right answers of the last try that was finished."),
    Column("of", "number", "Answers of that try."),
    Column("passed", "boolean", "Whether it was passed; empty while under way."),
    Column("began_at", "time", "When it was first shown.", "UTC"),
    Column("decided_at", "time", "When it was decided.", "UTC"),
    Column("asked", "text", "Of attention checks: the question, as it was read."),
    Column("answered", "text", "Of attention checks: the answer that was chosen, as it was read."),
)


def rows(source: Source) -> Iterator[Row]:
    """Yield one row per check, by session and in order."""
    for row in checks.table(source.study.pk, source.simulated.flag):
        yield {
            **row,
            **source.who(row["session_pk"], row["rater_pk"]),
            "study_version": source.number(row["version_pk"]),
            "simulated": row["is_simulated"],
            "check": row["name"],
            "decided_at": row["at"],
            **source.blanks(row["session_pk"], "answered", "right", "passed"),
        }
