"""questionnaire.csv: raters' answers about themselves, one row per question."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.exports.columns import Column, Row
from analysis.exports.people import WHO
from analysis.exports.source import Source
from raters.sessions import questionnaire
from studies.definition import facts
from studies.definition.definition import Definition
from studies.definition.question_lists import AFTERWARDS
from studies.definition.settings.questionnaire import CODES, NOT_SAID, SKIPPED, QuestionnaireQuestion

# Answers of fewer raters are not published: combined with others they could identify a person.
LEAST = 5
RARE = "rare"
LEVELS = "|".join([*(code for codes in CODES.values() for code in codes), NOT_SAID, SKIPPED, RARE])
COLUMNS = (
    *WHO,
    Column("question", "id", "gender, age, languages, device, or own_1 and so on for the study's own questions."),
    Column(
        "prompt",
        "text",
        "A question of the study's own, in the study's own language, whatever it was read in; empty for the others.",
    ),
    Column(
        "language",
        "code",
        "Language in which a question of the study's own was read; empty for the others, and in sessions of an earlier "
        "release.",
    ),
    Column(
        "answer",
        "code",
        "What was said: a code; of first languages their ISO 639 codes, joined by |, with other for one in own words; "
        "of a question of the study's own the number of the choice. Empty where a rater wrote and no more; "
        f"{RARE} in a published export for what fewer than {LEAST} raters said.",
        levels=LEVELS,
    ),
    Column("choice", "text", "The choice of a question of the study's own, in the study's own language."),
    Column("words", "text", "What the rater wrote."),
    Column("said_at", "time", "When it was sent.", "UTC"),
)


def rows(source: Source) -> Iterator[Row]:
    """Yield one row per question asked in a session, in order of arrival."""
    # Simulated raters and previews don't make an answer common enough to publish.
    counts = questionnaire.counts(source.study.pk, False) if source.is_open else {}

    def is_rare(key: str, code: str) -> bool:
        return source.is_open and code not in {"", NOT_SAID, SKIPPED} and counts.get(key, {}).get(code, 0) < LEAST

    frozen: dict[int, Definition] = {}
    questions: dict[int, dict[str, QuestionnaireQuestion]] = {}
    for row in questionnaire.table(source.study.pk, source.simulated.flag):
        version = row["version_pk"]
        if version not in questions:
            frozen[version] = facts.frozen(version).definition
            questions[version] = {question.key: question for question in frozen[version].questionnaire.asked()}
        question = questions[version][row["key"]]
        is_own = bool(question.prompt and row["read_in"])
        hidden = is_rare(row["key"], row["code"])
        yield {
            **source.who(row["session_pk"], row["rater_pk"]),
            "study_version": source.number(version),
            "simulated": row["is_simulated"],
            "question": row["key"],
            "prompt": question.prompt or None,
            "language": AFTERWARDS.spoken(frozen[version], row["read_in"]) if is_own else None,
            "answer": RARE if hidden else row["code"] or None,
            "choice": None if hidden else question.choice(row["code"]) or None,
            "words": row["words"] or None,
            "said_at": row["at"],
        }
