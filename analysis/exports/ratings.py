"""ratings.csv: one row a rating."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from analysis.data.groups import HUMAN
from analysis.exports.columns import Cell, Column, Row
from analysis.exports.source import Source
from core.jobs import DONE
from raters.rating import ratings, scored

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
    Column("system", "text", "Speech synthesiser, or human; a hidden reference is human."),
    Column("voice", "text", "Voice of the system."),
    Column("role", "code", "What the trial was there for.", levels="test|trap_flawed|trap_human"),
    Column("text_id", "text", "Name of the text that is spoken."),
    Column("dimension", "text", "Group of texts, as in the manifest."),
    Column("language", "text", "Language of the clip."),
    Column("box", "text", "Whether the system is open to inspection.", levels="white|black"),
    Column("domain", "text", "Kind of system, as in the manifest.", levels="human|commercial|open"),
    Column("benchmark", "text", "Benchmark that the text is from, as in the manifest."),
    Column("condition", "text", "How the voice was made, as in the manifest."),
    Column("take", "text", "n-th synthesis of one text by one voice."),
    Column("label", "code", "What was answered, in the task's own words, never translated."),
    Column("score", "number", "The answer as a number: on the scale of the task where the part is the scored one."),
    Column("justification", "text", "The written reason."),
    Column("plays", "number", "How often the clip was started, counted by the server."),
    Column("played_fraction", "number", "Share of the clip that was played, as the browser reported it."),
    Column("served_at", "time", "When the trial was shown.", "UTC"),
    Column("play_started_at", "time", "When the server heard of the first play.", "UTC"),
    Column("answered_at", "time", "When the answer was stored.", "UTC"),
    Column(
        "response_seconds",
        "number",
        "From trial shown to answer; of a screen of several clips, divided by their number.",
        "s",
    ),
    Column(
        "decision_seconds",
        "number",
        "From the end of the clip's first full play to the answer, by the browser's clock up to what the server's "
        "allows; of a screen of several clips, divided by their number.",
        "s",
    ),
    Column("late", "boolean", "Whether the answer came after the batch had expired."),
    Column("surplus", "boolean", "Whether the item had all its ratings already."),
    Column("batch_valid", "boolean", "Whether the traps were passed; empty until decided."),
    Column("usable", "boolean", "Whether the rating counts."),
    Column("exclusion_reasons", "code", "Rules by which it doesn't count, joined by |."),
    Column("app_version", "id", "Version of the software that wrote this file."),
    Column("part", "code", "Part of the answer that this row holds."),
    Column("quick", "boolean", "Whether the decision took less than the protocol's quick_seconds; kept all the same."),
    Column("place", "number", "Place of the clip in its trial as shown, from 0; empty when the row is about no clip."),
    Column("question", "id", "Name of the question that was answered, as in questions.csv."),
    Column("golden", "boolean", "Whether that is a golden question, which is no part of the score."),
    Column("note", "text", "What the rater wrote with this part of the answer."),
    Column(
        "clip_role",
        "code",
        "What the clip itself is there for.",
        levels="test|trap_flawed|trap_human|reference|anchor",
    ),
)

NAMES = tuple(column.name for column in COLUMNS)
# What is left out once a rater asked that it be deleted, though it can be had back for a day.
SAID = ("label", "score", "justification", "note")


def rows(source: Source) -> Iterator[Row]:
    """Yield the rows in the order in which they were stored."""
    gone, part = source.taken_back, source.definition.kind.score.part
    study, names = source.study.slug, source.names
    reasons = {subject: verdicts for subject, verdicts in source.reasons.items() if verdicts}
    version = cache(lambda key: (source.number(key), source.preset(key), source.quick_seconds(key)))
    for row in ratings.table(source.study.pk, source.simulated.flag, gone=gone, part=part, **source.page):
        number, preset, quick_seconds = version(row.version)
        report = scored.report(row.evidence, row.key)
        since = scored.reported(report, "since_end")
        took = scored.decided(row.play_began_at, row.answered_at, row.seconds, since)
        response = scored.between(row.served_at, row.answered_at)
        cells: dict[str, Cell] = {
            "study": study,
            "study_version": number,
            "preset": preset,
            "session": names.session(row.session),
            "rater": names.rater(row.rater),
            "simulated": row.is_simulated,
            "batch": row.batch_number,
            "trial_index": row.before + row.position,
            "position_in_batch": row.position,
            "clip": row.file,
            "system": HUMAN if row.clip_role == "reference" else row.system,
            "voice": row.voice,
            "role": row.role,
            "text_id": row.text_id,
            "dimension": row.dimension,
            "language": row.language,
            "box": row.box,
            "domain": row.domain,
            "benchmark": row.benchmark,
            "condition": row.condition,
            "take": row.take,
            "label": row.code,
            "score": row.value,
            "justification": row.justification,
            "plays": row.plays,
            "played_fraction": scored.reported(report, "played"),
            "served_at": row.served_at,
            "play_started_at": row.play_began_at,
            "answered_at": row.answered_at,
            "response_seconds": None if response is None else response / row.clips,
            "decision_seconds": None if took is None else took / row.clips,
            "late": row.late,
            "surplus": row.surplus,
            "batch_valid": row.batch_valid,
            "usable": bool(row.usable),
            "exclusion_reasons": exclusions(row, reasons),
            "app_version": source.app_version,
            "part": row.part,
            "quick": None if took is None else took < quick_seconds,
            "place": row.place,
            "question": row.question_name,
            "golden": bool(row.golden),
            "note": row.note,
            "clip_role": row.clip_role,
        }
        if row.session in gone:
            cells |= dict.fromkeys(SAID)
        yield cells


def exclusions(row: ratings.RatingRow, reasons: ratings.Reasons) -> str:
    """Return the rules by which a rating does not count, in alphabetical order."""
    if not reasons:
        return "" if row.batch_state == DONE else "batch_incomplete"
    rules = {rule for subject, verdicts in reasons.items() for rule in verdicts.get(getattr(row, subject), ())}
    return "|".join(sorted(rules if row.batch_state == DONE else {*rules, "batch_incomplete"}))
