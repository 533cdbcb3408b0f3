"""ratings.csv: one row a rating."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from math import isfinite
from typing import Any

from analysis.exports.columns import Column
from analysis.exports.source import Source
from core.jobs import DONE
from raters.selectors import ratings

COLUMNS = (
    Column("study", "text", "Short name of the study."),
    Column("study_version", "number", "Version of the study that this rater met."),
    Column("preset", "id", "Protocol that the study was made from."),
    Column("session", "id", "One rater in one study; a pseudonym."),
    Column("rater", "id", "Who rated; a pseudonym that holds within this study alone."),
    Column("simulated", "boolean", "Whether a program answered, not a person."),
    Column("batch", "number", "Number of the batch in its session, from 1."),
    Column("trial_index", "number", "Place of the trial in its session, from 1."),
    Column("position_in_batch", "number", "Place of the trial in its batch, from 1."),
    Column("clip", "text", "File of the clip, as in the manifest."),
    Column("system", "text", "Speech synthesiser, or human."),
    Column("voice", "text", "Voice of the system."),
    Column("role", "code", "What the clip was there for.", levels="test|trap_flawed|trap_human"),
    Column("text_id", "text", "Name of the text that is spoken."),
    Column("dimension", "text", "Group of texts, as in the manifest."),
    Column("language", "text", "Language of the clip."),
    Column("box", "text", "Whether the system is open to inspection.", levels="white|black"),
    Column("domain", "text", "Kind of system, as in the manifest.", levels="human|commercial|open"),
    Column("benchmark", "text", "Benchmark that the text is from, as in the manifest."),
    Column("condition", "text", "How the voice was made, as in the manifest."),
    Column("take", "text", "n-th synthesis of one text by one voice."),
    Column("label", "code", "What was answered, in the task's own words, never translated."),
    Column("score", "number", "The answer as a number, on the scale of the task."),
    Column("justification", "text", "The written reason."),
    Column("plays", "number", "How often the clip was started, counted by the server."),
    Column("played_fraction", "number", "Share of the clip that was played, as the browser reported it."),
    Column("served_at", "time", "When the trial was shown.", "UTC"),
    Column("play_started_at", "time", "When the server heard of the first play.", "UTC"),
    Column("answered_at", "time", "When the answer was stored.", "UTC"),
    Column("response_seconds", "number", "From trial shown to answer.", "s"),
    Column(
        "decision_seconds",
        "number",
        "From the end of the first full play to the answer, by the browser's clock up to what the server's allows.",
        "s",
    ),
    Column("late", "boolean", "Whether the answer came after the batch had expired."),
    Column("surplus", "boolean", "Whether the clip had all its ratings already."),
    Column("batch_valid", "boolean", "Whether the traps were passed; empty until decided."),
    Column("usable", "boolean", "Whether the rating counts."),
    Column("exclusion_reasons", "code", "Rules by which it doesn't count, joined by |."),
    Column("app_version", "id", "Version of the software that wrote this file."),
    Column("part", "code", "Part of the answer that this row holds."),
    Column("quick", "boolean", "Whether the decision took less than the protocol's quick_seconds; kept all the same."),
)

NAMES = tuple(column.name for column in COLUMNS)


def rows(source: Source) -> Iterator[dict[str, Any]]:
    """Yield the rows in the order in which they were stored."""
    for row in ratings.table(source.study.pk, source.simulated.flag):
        took = decision(row)
        yield {
            **{name: row[name] for name in NAMES if name in row},
            "study": source.study.slug,
            "study_version": source.number(row["version_pk"]),
            "preset": source.preset(row["version_pk"]),
            "session": source.names.session(row["session_pk"]),
            "rater": source.names.rater(row["rater_pk"]),
            "simulated": row["is_simulated"],
            "batch": row["batch_number"],
            "trial_index": (row["before"] or 0) + row["position"],
            "position_in_batch": row["position"],
            "clip": row["file"],
            "label": row["code"],
            "score": row["value"],
            "played_fraction": reported(row, "played"),
            "play_started_at": row["play_began_at"],
            "response_seconds": seconds(row["served_at"], row["answered_at"]),
            "decision_seconds": took,
            "usable": row["usable"] is True,
            "exclusion_reasons": "|".join(exclusions(row, source.reasons)),
            "app_version": source.app_version,
            "quick": None if took is None else took < source.quick_seconds(row["version_pk"]),
        }


def exclusions(row: Mapping[str, Any], reasons: ratings.Reasons) -> list[str]:
    """Return the rules by which a rating does not count, in alphabetical order."""
    found = ratings.listed(
        reasons,
        answer=row["trial_pk"],
        batch=row["batch_pk"],
        session=row["session_pk"],
        rater=row["rater_pk"],
        clip=row["clip_pk"],
    )
    return sorted([*found, "batch_incomplete"]) if row["batch_state"] != DONE else found


def seconds(start: datetime | None, end: datetime | None) -> float | None:
    """Return the time between two moments, to the millisecond."""
    return None if start is None or end is None else round((end - start).total_seconds(), 3)


def decision(row: Mapping[str, Any]) -> float | None:
    """Return the seconds between the end of the first full play and the answer (rule C4).

    The browser knows when that play ended, pauses and reloads included, and reports the time since. It is believed
    up to what the server saw: the play can't have ended before the clip's own length had passed. Without a report,
    the server's figure stands.
    """
    began, answered = row["play_began_at"], row["answered_at"]
    if began is None or answered is None or row["seconds"] is None:
        return None
    most = seconds(began + timedelta(seconds=row["seconds"]), answered)
    since = reported(row, "since_end")
    return None if most is None else max(0.0, most if since is None else min(since, most))


def reported(row: Mapping[str, Any], name: str) -> float | None:
    """Return a number that the browser sent about this clip; what is no number is left out."""
    evidence = row["evidence"]
    clips = evidence.get("clips") if isinstance(evidence, dict) else None
    about = clips.get(row["key"]) if isinstance(clips, dict) else None
    value = about.get(name) if isinstance(about, dict) else None
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value >= 0
    return float(value) if is_number and value is not None else None
