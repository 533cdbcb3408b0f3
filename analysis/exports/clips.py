"""clips.csv: one row per clip; questions.csv: one row per option of a question."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.exports.columns import CLIP_GROUPS, Column, Row
from analysis.exports.source import Source
from studies.clips import tables as clips_tables

CLIPS = (
    Column("study", "text", "Short name of the study."),
    Column("clip", "text", "File of the clip, as in the manifest."),
    Column("system", "text", "Speech synthesiser, or human."),
    Column("voice", "text", "Voice of the system."),
    Column(
        "role", "code", "What it is there for.", levels="test|trap_flawed|trap_human|training|reference|anchor|prompt"
    ),
    Column("text_id", "text", "Name of the text that is spoken."),
    Column("text", "text", "The text that is spoken."),
    *CLIP_GROUPS,
    Column("sha256", "id", "Hash of the file as it was uploaded."),
    Column("duration", "number", "Length of the delivered clip.", "s"),
    Column("sample_rate", "number", "Sample rate of the uploaded file.", "Hz"),
    Column("channels", "number", "Channels of the uploaded file."),
    Column("loudness", "number", "Loudness of the uploaded file; empty when too short to measure.", "LUFS"),
    Column("true_peak", "number", "True peak of the uploaded file.", "dBTP"),
    Column("gain", "number", "Gain that was applied for delivery.", "dB"),
    Column("silence_before", "number", "Silence before the speech.", "s"),
    Column("silence_after", "number", "Silence after the speech.", "s"),
    Column("added_at", "time", "When the clip was imported.", "UTC"),
    Column("withdrawn_at", "time", "When it was taken out of the study.", "UTC"),
    Column("codec", "text", "Codec of the uploaded file; empty for clips imported before release 0.2."),
    Column("bit_depth", "number", "Bit depth of the uploaded file; empty where its codec has none.", "bit"),
    Column("clipped", "number", "Share of the uploaded file's samples at full scale, in runs."),
    Column("repairs", "text", "Repairs of all clips by which the delivered clip was made; empty without any."),
    Column("trimmed_before", "number", "Taken away at the start for delivery; negative where some was added.", "s"),
    Column("trimmed_after", "number", "Taken away at the end for delivery; negative where some was added.", "s"),
    Column("prompt_file", "text", "Recording that the system was given to copy the voice from, as in the manifest."),
    Column("seen", "code", "Whether the system was trained on the benchmark, as in the manifest.", levels="yes|no"),
    Column("expected", "text", "Right answer of an attention check or golden clip, as in the manifest."),
)
QUESTIONS = (
    Column("study", "text", "Short name of the study."),
    Column("question", "id", "Name of the question."),
    Column("text_id", "text", "Name of the text that it is on; empty for a golden question."),
    Column("golden", "boolean", "Whether everybody knows the answer, so that it tells who pays attention."),
    Column("prompt", "text", "What is asked."),
    Column("option", "number", "Number of the option, from 1; the order shown is drawn for each trial."),
    Column("text", "text", "The option as raters read it. Other, which every question has, is not listed."),
    Column("correct", "boolean", "Whether it is the right one."),
    Column("error", "code", "What a listener who chooses it got wrong; empty for the right one."),
)


def columns(source: Source) -> tuple[Column, ...]:
    """Return the columns of clips.csv, at the end those that were kept of the researcher's tables."""
    meaning = "Kept from the table of the clips."
    return (*CLIPS, *(Column(f"x_{name}", "text", meaning) for name in clips_tables.extra_names(source.study.pk)))


def clips(source: Source) -> Iterator[Row]:
    """Yield one row per clip, by file."""
    names = clips_tables.extra_names(source.study.pk)
    for row in clips_tables.table(source.study.pk):
        is_secret = source.keeps_words(row["box"], row["text__name"])
        extra = {} if is_secret or not row["extra"] else row["extra"]
        yield {
            **{f"x_{name}": extra.get(name) for name in names},
            **row,
            "study": source.study.slug,
            "clip": row["file"],
            "repairs": row["recipe"],
            "system": row["system__name"],
            "text_id": row["text__name"],
            "text": row["text__body"],
        }


def questions(source: Source) -> Iterator[Row]:
    """Yield the options of each question, in the order they were imported."""
    for question in clips_tables.questions(source.study.pk):
        for number, option in enumerate(question["options"], start=1):
            yield {
                "study": source.study.slug,
                "question": question["name"],
                "text_id": question["text_name"],
                "golden": question["golden"],
                "prompt": question["prompt"],
                "option": number,
                "text": option["text"],
                "correct": number == 1,
                "error": option.get("error", ""),
            }
