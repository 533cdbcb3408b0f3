"""A spoken passage and multiple-choice questions on what it says (SP-MCQA paper, section 3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from random import Random
from string import ascii_lowercase
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from core.spec import Spec
from core.text.words import say
from studies.rules import passages
from studies.rules.text import ERRORS, FEWEST, MOST, MOST_DISTRACTORS
from studies.task_types.base import (
    AnswerRow,
    ClipFact,
    CodeBreakdown,
    ItemContent,
    ItemLayout,
    ItemPlan,
    Listener,
    Option,
    Presentation,
    QuestionFact,
    ScoreScale,
    Sheet,
    TaskType,
    Trouble,
)

CORRECT, OTHER = "correct", "other"
CODES = {
    CORRECT: "Right answer",
    **{f"distractor_{number}": f"Distractor {number}" for number in range(1, MOST_DISTRACTORS + 1)},
    OTHER: "Other",
}
Kind = Literal["unrecognised", "no_option", "inconsistent"]
# SP-MCQA paper, Table 5.
KINDS: dict[str, str] = {
    "unrecognised": "Cannot recognise",
    "no_option": "No option fits",
    "inconsistent": "Inconsistent",
}
STRUCTURE = {"structure": ("syntax", "grammar")}
PHRASES: tuple[tuple[Kind, str], ...] = (
    ("unrecognised", "The name was swallowed, so I can't tell which it was."),
    ("no_option", "I hear another number than those listed."),
    ("unrecognised", "Too fast and unclear at this point."),
    ("inconsistent", "The name is said in two ways."),
)

Key = Annotated[str, StringConstraints(max_length=10)]
Comment = Annotated[str, StringConstraints(max_length=1000)]


class Params(Spec):
    """What the researcher sets."""

    question: str = Field(
        "Choose what the audio states.", min_length=1, max_length=300, description="Stands above the questions."
    )
    questions_visible: Literal["while", "after"] = Field(
        "while",
        title="Questions shown",
        description="Whether raters can read the questions while they listen, or once they heard the passage.",
        json_schema_extra={"labels": {"while": "While listening", "after": "After listening"}},
    )
    other_label: str = Field(
        "Other: none of these", min_length=1, max_length=100, description="The last option of every question."
    )
    comment_question: str = Field(
        "What did you hear, or why can't you tell?",
        min_length=1,
        max_length=300,
        description="Asked of raters who choose Other.",
    )
    comment_kinds: bool = Field(
        False,
        title="Kind of comment",
        description="Ask with each comment whether the words can’t be made out, no option fits, or the audio "
        "contradicts itself (SP-MCQA paper, Table 5).",
    )
    # SP-MCQA paper, section 3.1.
    passage_words_least: int = Field(
        65, ge=0, le=10_000, title="Words of a passage, at least", description="Texts with fewer get a remark; 0: none."
    )
    passage_words_most: int = Field(
        260, ge=0, le=10_000, title="Words of a passage, at most", description="Texts with more get a remark; 0: none."
    )
    passage_digits: int = Field(
        3,
        ge=0,
        le=20,
        title="Digits of a number in a passage",
        description="Texts without a number of so many digits get a remark; 0: none.",
    )
    passage_capitals: int = Field(
        2,
        ge=0,
        le=1000,
        title="Capital letters in a passage",
        description="Texts with fewer capital letters inside sentences, as in names, get a remark; 0: none.",
    )


class Answer(Spec):
    """What the rater submits: for each question the option chosen, and where that is Other, a comment and its kind."""

    answers: dict[Key, Key] = Field(max_length=50)
    comments: dict[Key, Comment] = Field({}, max_length=50)
    kinds: dict[Key, Kind] = Field({}, max_length=50)


class SpMcqa(TaskType[Params, Answer]):
    """Does the listener understand what the text says?

    `Shown.private` tells for each question its key in the database and, for each option, [code, error type].
    """

    name = "sp_mcqa"
    label = "A passage with multiple-choice questions"
    columns = ("question", "error", "golden", "comment_kind")
    options = len(CODES)
    measure = "category"
    paper, short = "sp-mcqa", "SP-MCQA"
    score = ScoreScale("ACC", 0.0, 1.0, "%", "question", CODES)
    breakdowns = (CodeBreakdown("Errors", "error", {**ERRORS, OTHER: CODES[OTHER]}, "question", STRUCTURE),)
    traps = False
    asks = True
    has_comments = True
    main_settings = (
        "protocol.ratings_wanted",
        "protocol.most_ratings",
        "protocol.golden_share",
        "protocol.tests_per_batch",
        "protocol.batches_per_session",
        "task.questions_visible",
        "crowd.source",
        "payment.rate",
        "payment.minutes",
    )
    rule = "golden"
    rule_ends_session = True

    def offered(self, params: Params) -> tuple[str, ...]:
        return (
            say(
                "one of the options of each question (2 to {most}, one of them right), or “{other}”",
                most=MOST_DISTRACTORS + 1,
                other=params.other_label,
            ),
        )

    def activity(self, params: Params) -> tuple[str, ...]:
        return (say("Answers the questions on each passage; after Other, writes what was heard."),)

    def asked(self, params: Params) -> str:
        return say("Listen to each recording and answer questions about what it says.")

    def text_flags(self, params: Params, body: str) -> tuple[tuple[str, str], ...]:
        limits = passages.unfit(
            body,
            least=params.passage_words_least,
            most=params.passage_words_most,
            digits=params.passage_digits,
            capitals=params.passage_capitals,
        )
        return tuple(limits)

    def seconds_a_clip(self, params: Params) -> float:
        # A choice for each question of a passage; the paper reports no time.
        return FEWEST * super().seconds_a_clip(params)

    def layout(self, params: Params, clips: Sequence[ClipFact], questions: Sequence[QuestionFact] = ()) -> ItemLayout:
        tests = [clip for clip in clips if clip.role == "test"]
        by_text: defaultdict[str, list[QuestionFact]] = defaultdict(list)
        for question in questions:
            if not question.golden:
                by_text[question.text].append(question)
        problems = [*_unfit(questions), *_miscounted(by_text), *_missing(tests, by_text)]
        return ItemLayout(
            tuple(
                ItemPlan((clip.clip,), clip.system, clip.role, clip.text, clip.dimension)
                for clip in tests
                if clip.text in by_text
            ),
            tuple(problems),
            tuple(_alike(questions)),
        )

    def draw(self, params: Params, item: ItemContent, rng: Random) -> Presentation:
        questions = list(item.questions)
        for golden in item.golden:
            questions.insert(rng.randint(0, len(questions)), golden)
        public, private = [], {}
        for number, question in enumerate(questions, start=1):
            options = list(zip(codes(question), question.options, strict=True))
            rng.shuffle(options)
            # Golden questions also have Other, since they must look like the rest.
            drawn = [*zip(ascii_lowercase, options, strict=False), (OTHER, (OTHER, Option(params.other_label, OTHER)))]
            shown = [{"key": key, "text": option.text} for key, (_code, option) in drawn]
            public.append({"key": f"q{number}", "prompt": question.prompt, "options": shown})
            meant = {key: [code, option.error] for key, (code, option) in drawn}
            private[f"q{number}"] = {"question": question.question, "options": meant}
        golden_ones = tuple(question.question for question in item.golden)
        return Presentation(public={"questions": public}, private=private, golden=golden_ones)

    def problems(self, params: Params, shown: Presentation, answer: Answer) -> dict[str, str]:
        messages = {
            f"answers.{key}": say("There is no such question.") for key in answer.answers if key not in shown.private
        }
        for key, question in shown.private.items():
            chosen = answer.answers.get(key)
            if chosen not in question["options"]:
                messages[f"answers.{key}"] = say("Please choose one of the answers.")
            elif chosen == OTHER:
                if params.comment_kinds and key not in answer.kinds:
                    messages[f"kinds.{key}"] = say("Please choose why you chose Other.")
                if not answer.comments.get(key):
                    messages[f"comments.{key}"] = say("Please write a few words on what you heard.")
        return messages

    def rows(self, params: Params, shown: Presentation, answer: Answer) -> list[AnswerRow]:
        rows = []
        for key, question in shown.private.items():
            pk, chosen = question["question"], answer.answers[key]
            code, error = question["options"][chosen]
            value = float(code == CORRECT)
            if pk in shown.golden:
                rows.append(AnswerRow("golden", code, value, question=pk))
                continue
            note = answer.comments.get(key, "") if code == OTHER else ""
            rows.append(AnswerRow("question", code, value, question=pk, note=note))
            if code != CORRECT:
                rows.append(AnswerRow("error", error, None, question=pk))
            if code == OTHER and params.comment_kinds:
                rows.append(AnswerRow("comment_kind", answer.kinds[key], None, question=pk))
        return rows

    def trusts(self, params: Params, sheets: Sequence[Sheet]) -> bool:
        """The 100 % rule: False after one wrong golden question."""
        return all(row.value == 1.0 for sheet in sheets for row in sheet.rows if row.part == "golden")

    def simulate(self, params: Params, shown: Presentation, listener: Listener, rng: Random) -> Answer:
        answers: dict[str, str] = {}
        comments: dict[str, str] = {}
        kinds: dict[str, Kind] = {}
        for key, question in shown.private.items():
            options: dict[str, Any] = question["options"]
            if not listener.is_careful:
                answers[key] = rng.choice(list(options))
            else:
                # General knowledge doesn't depend on the voice; passages are mostly understood, human voices best.
                knows = 0.998 if question["question"] in shown.golden else 0.6 + 0.4 * listener.chance
                is_right = rng.random() < knows
                fitting = [option for option, (code, _error) in options.items() if (code == CORRECT) is is_right]
                answers[key] = rng.choice(fitting)
            if answers[key] == OTHER:
                kinds[key], comments[key] = rng.choice(PHRASES)
        return Answer(answers=answers, comments=comments, kinds=kinds if params.comment_kinds else {})


def codes(question: QuestionFact) -> list[str]:
    """Return the canonical codes of a question's options, of which the first is the right one."""
    return [CORRECT, *(f"distractor_{number}" for number in range(1, len(question.options)))]


def _unfit(questions: Sequence[QuestionFact]) -> Iterator[Trouble]:
    """Return questions without a right answer, or with wrong answers that mean nothing."""
    for question in questions:
        texts = [option.text.casefold() for option in question.options]
        if len(set(texts)) < len(texts):
            reason = say("“{question}” has the same answer twice.", question=question.name)
            yield Trouble(reason, question=question.question)
        for option in question.options[1:]:
            if option.error not in ERRORS and not question.golden:
                known = ", ".join(ERRORS)
                reason = say("“{error}” is no error type; known are {known}.", error=option.error, known=known)
                yield Trouble(reason, question=question.question)


def _alike(questions: Sequence[QuestionFact]) -> Iterator[Trouble]:
    for question in questions:
        errors = [option.error for option in question.options[1:]]
        if not question.golden and len(set(errors)) < len(errors):
            reason = say("Two distractors of “{question}” stand for the same error.", question=question.name)
            yield Trouble(reason, question=question.question)


def _miscounted(by_text: dict[str, list[QuestionFact]]) -> Iterator[Trouble]:
    many = say("{number} passages have too few or too many questions.")
    for text, some in by_text.items():
        if not FEWEST <= len(some) <= MOST:
            number = {"number": len(some), "fewest": FEWEST, "most": MOST}
            reason = say(
                "The passage “{text}” has {number} questions; {fewest} to {most} are needed.", text=text, **number
            )
            yield Trouble(reason, question=some[:MOST][-1].question, later=len(some) < FEWEST, many=many)


def _missing(tests: Sequence[ClipFact], by_text: dict[str, list[QuestionFact]]) -> Iterator[Trouble]:
    """Return clips without questions, and passages that not every system reads."""
    many = say("{number} passages have no questions. Add questions.")
    for clip in tests:
        if clip.text not in by_text:
            reason = say("There are no questions on the passage “{text}” of this clip.", text=clip.text)
            yield Trouble(reason, clip=clip.clip, later=True, many=many, fix="questions")
    there = {(clip.system, clip.text) for clip in tests}
    for (text, some), system in product(by_text.items(), dict.fromkeys(clip.system for clip in tests)):
        if (system, text) not in there:
            reason = say("The passage “{text}” has no clip by {system}.", text=text, system=system)
            many = say("{number} clips of passages are missing: other systems have them.")
            yield Trouble(reason, question=some[0].question, many=many, fix="clips")
    if not tests:
        for text, some in by_text.items():
            yield Trouble(say("The passage “{text}” has no clip.", text=text), question=some[0].question, fix="clips")
