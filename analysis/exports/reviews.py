"""reviews.csv: one row per expert decision on a reason, including revoked ones."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.exports.columns import Column, Row
from analysis.exports.source import Source
from raters.experts import review_overview
from raters.rating.rules.polarity import FLAGS

DECISIONS = "consistent|inconsistent|cannot_tell"
COLUMNS = (
    Column("study", "text", "Short name of the study."),
    Column("session", "id", "The session whose answer was reviewed; as in ratings.csv."),
    Column("rater", "id", "Who gave the answer; as in ratings.csv."),
    Column("simulated", "boolean", "Whether a program gave the answer, not a person."),
    Column("batch", "number", "Number of the batch in its session; as in ratings.csv."),
    Column("position_in_batch", "number", "Place of the trial in its batch; as in ratings.csv."),
    Column("clip", "text", "File of the clip, as in the manifest; of a screen, the one shown first."),
    Column("expert", "id", "Who decided; a pseudonym that holds within this study alone."),
    Column("purpose", "code", "What the review was for.", levels="first|double|adjudication"),
    Column("doubled", "boolean", "Whether the answer was in the random share that two experts review."),
    Column("decision", "code", "Whether the reason fits the label.", levels=DECISIONS),
    Column("note", "text", "What the expert wrote."),
    Column("decided_at", "time", "When it was decided.", "UTC"),
    Column("revoked_at", "time", "When the expert took it back; empty: it stands.", "UTC"),
    Column("flags", "code", "What was flagged, and shown after the decision; joined by |.", levels="|".join(FLAGS)),
    Column("flag_rules", "number", "Version of the rules that flagged it."),
    Column("answer_state", "code", "Where the answer stands.", levels="open|half|disputed|done"),
    Column("answer_decision", "code", "What was decided for good; empty until then.", levels=DECISIONS),
    Column("usable", "boolean", "Whether the answer counts."),
)


def rows(source: Source) -> Iterator[Row]:
    """Yield the rows in the order of the decisions."""
    for row in review_overview.table(source.study.pk, source.simulated.flag, **source.page):
        yield {
            **source.who(row["session_pk"], row["rater_pk"]),
            "simulated": row["is_simulated"],
            "batch": row["batch_number"],
            "position_in_batch": row["position"],
            "clip": row["file"],
            "expert": source.names.expert(row["expert_pk"]),
            "purpose": row["purpose"],
            "doubled": row["doubled"],
            "decision": row["decision"],
            "note": row["note"],
            "decided_at": row["at"],
            "revoked_at": row["revoked_at"],
            "flags": "|".join(row["flags"] or ()),
            "flag_rules": row["rules"],
            "answer_state": row["state"],
            "answer_decision": row["final"] or None,
            "usable": row["usable"] is True,
            **source.blanks(row["session_pk"], "note"),
        }
