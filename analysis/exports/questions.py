"""questions.csv: one row an option of a question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from analysis.exports.columns import Column
from analysis.exports.source import Source
from studies.clips import tables as clips_tables

COLUMNS = (
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


def rows(source: Source) -> Iterator[dict[str, Any]]:
    """Yield the options of each question, in the order in which they were imported."""
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
