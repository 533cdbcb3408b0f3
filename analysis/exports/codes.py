"""codes.csv: one row per code that an expert gave to a rater's words, or one row if no code fits."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.exports.columns import Column, Row
from analysis.exports.source import Source
from raters.experts import coding_overview

COLUMNS = (
    Column("study", "text", "Short name of the study."),
    Column("session", "id", "The session whose answer was coded; as in ratings.csv."),
    Column("rater", "id", "Who gave the answer; as in ratings.csv."),
    Column("simulated", "boolean", "Whether a program gave the answer, not a person."),
    Column("batch", "number", "Number of the batch in its session; as in ratings.csv."),
    Column("position_in_batch", "number", "Place of the trial in its batch; as in ratings.csv."),
    Column("clip", "text", "File of the clip, as in the manifest; of a screen, the one shown first."),
    Column("question", "id", "Whose comment was coded, as in questions.csv; empty: the reason of the answer."),
    Column("coding", "id", "One expert's reading of one text; the same for all codes found in it."),
    Column("expert", "id", "Who coded; a pseudonym that holds within this study alone."),
    Column("purpose", "code", "Whether this expert was the first or the second one.", levels="first|double"),
    Column("doubled", "boolean", "Whether the text was in the random share that two experts code."),
    Column("code", "code", "What was found; empty: no code fits."),
    Column("code_name", "id", "What the code was called then."),
    Column("code_dimension", "id", "Where in the codebook it stood."),
    Column("polarity", "code", "What it is a cue of; empty: of neither, as in comments.", levels="human|machine"),
    Column("start", "number", "First character of the words that carry it, from 0; empty: the text as a whole."),
    Column("stop", "number", "The character behind the last of them."),
    Column("quote", "text", "Those words, as long as the text is there."),
    Column("note", "text", "What the expert wrote."),
    Column("coded_at", "time", "When it was coded.", "UTC"),
    Column("revoked_at", "time", "When the expert took the coding back; empty: it stands.", "UTC"),
    Column("usable", "boolean", "Whether the answer counts."),
)


def rows(source: Source) -> Iterator[Row]:
    """Yield the rows in the order of coding."""
    for row in coding_overview.table(source.study.pk, source.simulated.flag):
        yield {
            **source.who(row["session_pk"], row["rater_pk"]),
            "simulated": row["is_simulated"],
            "batch": row["batch_number"],
            "position_in_batch": row["position"],
            "clip": row["file"],
            "question": row["question"],
            "coding": source.names.coding(row["pk"]),
            "expert": source.names.expert(row["expert_pk"]),
            "purpose": row["purpose"],
            "doubled": row["doubled"],
            "code": row["code"],
            "code_name": row["name"],
            "code_dimension": row["dimension"] or None,
            "polarity": row["polarity"] or None,
            "start": row["start"],
            "stop": row["stop"],
            "quote": row["quote"],
            "note": row["note"],
            "coded_at": row["at"],
            "revoked_at": row["revoked_at"],
            "usable": row["usable"] is True,
            **source.blanks(row["session_pk"], "quote", "note"),
        }
