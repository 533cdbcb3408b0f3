"""Several scales for one clip, heard alone, with a reference or after a recording of the target speaker."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from random import Random
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StringConstraints, model_validator

from core.errors import Invalid
from core.spec import Spec, labels
from core.text.words import say
from studies.task_types import _references, _scale_answers, _transcripts
from studies.task_types._scale_traps import CHECK, NOTICED, lucky, right, usual
from studies.task_types._scales import MOST_BUTTONS, Code, Scale, shuffled
from studies.task_types.base import (
    TRAPS,
    AnswerRow,
    AnyTaskType,
    ClipFact,
    CodeBreakdown,
    ItemContent,
    ItemLayout,
    Listener,
    Measure,
    Presentation,
    QuestionFact,
    ScoreScale,
    TaskType,
    Trouble,
)

LONGEST = 4000
Part = Annotated[str, StringConstraints(max_length=40)]
Words = Annotated[str, StringConstraints(strict=True, max_length=LONGEST)]
QUALITY = ("Excellent", "Good", "Fair", "Poor", "Bad")
START = (
    Scale(name="Naturalness", question="How natural does this recording sound?", labels=QUALITY),
    Scale(
        name="Intelligibility",
        question="How easy is it to understand every word?",
        labels=("Very easy", "Easy", "Neither easy nor hard", "Hard", "Very hard"),
    ),
)
# Of simulated listeners: how much whole answers vary, as a share of a scale.
NOISE = 0.08


class Params(Spec):
    """What the researcher sets."""

    scales: tuple[Scale, ...] = Field(
        START,
        max_length=12,
        description="The questions about each clip, with the labels of their answers.",
    )
    way: Literal["page_each", "one_page", "passes"] = Field(
        "page_each",
        title="Pages",
        description="One page for all scales, or a page for each: raters then hear the clip once more for each scale, "
        "and can’t go back. Or separate passes: raters hear all clips for the first scale, then all again, newly "
        "shuffled, for the next; the session is one batch. On one page, raters tend to give all scales the same "
        "answer.",
        json_schema_extra=labels(
            page_each="A page for each scale",
            one_page="All scales on one page",
            passes="Separate passes, newly shuffled",
        ),
    )
    order: Literal["shuffled", "first_apart", "fixed"] = Field(
        "shuffled",
        title="Order of the scales",
        description="Shuffled for each rater, who then has the same order in all trials; or as in the list. The order "
        "shown is recorded.",
        json_schema_extra=labels(
            shuffled="Shuffled for each rater",
            first_apart="Shuffled, with the first scale before or after the others",
            fixed="As in the list",
        ),
    )
    last: int = Field(
        1,
        ge=0,
        le=12,
        title="Scales kept last",
        description="How many scales at the end of the list are never shuffled.",
    )
    reference: Literal["none", "beside", "first", "prompt"] = Field(
        "none",
        title="Reference",
        description="The recording that is heard with each clip: a reference of the same text, in any order or first, "
        "or another sentence of the target speaker (column prompt_file).",
        json_schema_extra=labels(
            none="None",
            beside="A reference of the same text, in any order",
            first="A reference of the same text, first",
            prompt="Another sentence of the target speaker, first",
        ),
    )
    main: str | None = Field(
        None,
        max_length=30,
        title="Main scale",
        description="Name of the scale of Live, planning and mixed models, or WER, CER, wer_raw or cer_raw of a "
        "transcript. Leave empty for the last one with points.",
    )

    @model_validator(mode="after")
    def scales_fit(self) -> Params:
        written = [scale for scale in self.scales if not scale.is_number]
        parts = [scale.part for scale in written] + [score.part for score in self.outcomes]
        if CHECK in parts:
            raise ValueError(say("“{name}” is the name of a trap’s result: choose another", name=CHECK))
        for part in parts:
            if parts.count(part) > 1:
                raise ValueError(say("two scales are called “{name}”", name=part))
        if not self.outcomes:
            raise ValueError(say("at least one scale needs points, a slider or a transcript"))
        if self.main is not None and self.main.lower() not in [score.part for score in self.outcomes]:
            raise ValueError(say("there is no scale with points called “{name}”", name=self.main))
        return self

    @property
    def outcomes(self) -> tuple[ScoreScale, ...]:
        """All scores of an answer."""
        return tuple(score for scale in self.scales for score in scale.scores)

    @property
    def scored(self) -> ScoreScale:
        """The main score: the one named, or the first of the last scale."""
        if self.main is not None:
            return next(score for score in self.outcomes if score.part == self.main.lower())
        return next(scale.scores[0] for scale in reversed(self.scales) if scale.scores)

    @property
    def rated(self) -> Scale:
        """The scale of the main score."""
        return next(scale for scale in self.scales if self.scored in scale.scores)

    @property
    def has_transcript(self) -> bool:
        return any(scale.answer == "transcript" for scale in self.scales)

    def ordered(self, rater: int) -> list[str]:
        """Return the parts in the order for a rater."""
        parts = [scale.part for scale in self.scales]
        split = max(0, len(parts) - self.last)
        moved, kept = parts[:split], parts[split:]
        if self.order == "fixed":
            return parts
        if self.order == "shuffled" or len(moved) < 3:
            return shuffled(moved, rater) + kept
        first, *others = moved
        between = shuffled(others, rater // 2)
        return [*([first, *between] if rater % 2 else [*between, first]), *kept]


class Answer(Spec):
    """What the rater submits: the code of a point or category, the codes of several choices, or text, by part."""

    answers: dict[Part, Words | Annotated[tuple[Code, ...], Field(max_length=MOST_BUTTONS)]] = Field(max_length=50)


class Scales(TaskType[Params, Answer]):
    """How does a clip do on several scales?"""

    name = "scales"
    label = "Scales for each clip"
    columns: ClassVar[tuple[str, ...]] = (*(scale.part for scale in START), CHECK)
    options: ClassVar[int] = len(START[-1].answers)
    measure: ClassVar[Measure] = "ordered"
    # The probability that an answer at random passes a trap of each role.
    luck: ClassVar[dict[str, float]] = lucky(START[-1])
    score: ClassVar[ScoreScale] = START[-1].score
    outcomes = tuple(scale.score for scale in START)
    breakdowns = tuple(CodeBreakdown(scale.name, scale.part, scale.codes_shown) for scale in START)
    main_settings = (
        "task.scales",
        "task.way",
        "task.order",
        "protocol.ratings_wanted",
        "protocol.tests_per_batch",
        "protocol.batches_per_session",
        "screening.headphones",
        "crowd.source",
        "payment.rate",
        "payment.minutes",
    )

    def of(self, raw: Mapping[str, Any]) -> AnyTaskType:
        try:
            return _bound(json.dumps(self.params(raw).model_dump(mode="json")))
        except Invalid:
            return self

    def prompts(self) -> tuple[str, ...]:
        return ("scales",)

    def texts(self, params: Params) -> dict[str, str | tuple[str, ...]]:
        return {"scales": tuple(text for scale in params.scales for text in scale.texts)}

    def with_texts(self, raw: Mapping[str, Any], texts: Mapping[str, Any]) -> dict[str, Any]:
        """Return parameters with these texts; a list that no longer fits the original is left out."""
        scales = self.params(raw).scales
        lines = tuple(texts.get("scales", ()))
        if len(lines) != sum(len(scale.texts) for scale in scales):
            return dict(raw)
        rest = iter(lines)
        translated = [
            {**scale.model_dump(mode="json"), "question": next(rest), "labels": [next(rest) for _label in scale.labels]}
            for scale in scales
        ]
        return {**raw, "scales": translated}

    def plays(self, params: Params) -> int:
        return len(params.scales) if params.way == "page_each" else 1

    def pass_count(self, params: Params) -> int:
        return len(params.scales) if params.way == "passes" else 1

    def activity(self, params: Params) -> tuple[str, ...]:
        names = ", ".join(scale.name for scale in params.scales)
        if params.way == "page_each":
            return (say("Hears each clip again for each scale: {names}.", names=names),)
        if params.way == "passes":
            return (say("Hears all clips once for each scale, newly shuffled each time: {names}.", names=names),)
        if len(params.scales) == 1:
            return (say("Rates each clip on one scale: {names}.", names=names),)
        return (say("Answers all scales on one page: {names}.", names=names),)

    def asked(self, params: Params) -> str:
        if params.reference == "none":
            if len(params.scales) == 1:
                return say("Listen to each clip and answer a question about it.")
            return say("Listen to each clip and answer several questions about it.")
        return say("Listen to two clips at a time and answer one question or several about the second.")

    def seconds_a_clip(self, params: Params) -> float:
        # Ours: half a choice of two for each further scale, and a clip of 6 s for each further play.
        more = len(params.scales) - 1
        whole = super().seconds_a_clip(params) + 12.0 * more + 6.0 * (self.plays(params) - 1)
        return whole / self.pass_count(params)

    def layout(self, params: Params, clips: Sequence[ClipFact], questions: Sequence[QuestionFact] = ()) -> ItemLayout:
        layout = self._items(params, clips)
        return replace(layout, problems=(*layout.problems, *self._without_text(params, clips)))

    def _items(self, params: Params, clips: Sequence[ClipFact]) -> ItemLayout:
        if params.reference == "prompt":
            return _references.after_prompt(clips)
        if params.reference != "none":
            return _references.beside_reference(clips)
        layout = super().layout(params, clips)
        rated = params.rated
        traps = [clip for clip in clips if clip.expected and clip.role in TRAPS and rated.is_number]
        wrong = [clip for clip in traps if not right(rated, clip.expected)]
        reason = say("No point of the scale {name} is its expected answer.", name=rated.name)
        # Transcripts have no traps.
        items = tuple(item for item in layout.items if rated.is_number or item.role == "test")
        return ItemLayout(items, tuple(Trouble(reason, clip.clip) for clip in wrong))

    def _without_text(self, params: Params, clips: Sequence[ClipFact]) -> tuple[Trouble, ...]:
        """Return the clips whose transcripts could not be compared with anything."""
        reason = say("Transcripts are compared with the text of the clip, but this clip has no text.")
        is_worded = {clip.clip for clip in clips if clip.text and clip.is_worded}
        tests = [clip.clip for clip in clips if clip.role == "test" and params.has_transcript]
        return tuple(Trouble(reason, clip=clip, later=True) for clip in tests if clip not in is_worded)

    def draw(self, params: Params, item: ItemContent, rng: Random) -> Presentation:
        # The clip to rate is the item's first, also where it is heard after a reference.
        first = item.clips[0]
        expected = first.expected if first.role in TRAPS else ""
        private = {"text": first.text} if params.has_transcript else {}
        public: dict[str, Any] = {"scales": params.ordered(item.rater)}
        if item.pass_number:
            scales = public["scales"]
            public = {"scales": [scales[item.pass_number - 1]], "pass": item.pass_number, "passes": len(scales)}
        return Presentation(
            public=public,
            private=private | ({"expected": expected} if expected else {}),
            order=() if params.reference == "none" else (1, 0),
        )

    def problems(self, params: Params, shown: Presentation, answer: Answer) -> dict[str, str]:
        scales = {scale.part: scale for scale in params.scales if scale.part in shown.public["scales"]}
        messages = {
            f"answers.{part}": say("There is no such question.") for part in answer.answers if part not in scales
        }
        for part, scale in scales.items():
            if problem := _scale_answers.problem(scale, answer.answers.get(part)):
                messages[f"answers.{part}"] = problem
        return messages

    def rows(self, params: Params, shown: Presentation, answer: Answer) -> list[AnswerRow]:
        """Return a row for each scale, or for each of several choices, in the order in which they were shown.

        A trap with an expected answer has one more, where the main scale is asked: whether it has that answer.
        """
        scales = {scale.part: scale for scale in params.scales}
        rows = [
            row
            for part in shown.public["scales"]
            for row in _scale_answers.rows(scales[part], answer.answers[part], shown)
        ]
        rated = params.rated
        if "expected" not in shown.private or rated.part not in answer.answers:
            return rows
        is_right = answer.answers[rated.part] in right(rated, shown.private["expected"])
        return [*rows, AnswerRow(CHECK, "right" if is_right else "wrong", float(is_right), _scale_answers.place(shown))]

    def passes(self, params: Params, role: str, rows: Sequence[AnswerRow]) -> bool:
        """Require the expected answer; without one, a high point for a human trap, and a low one for a flawed one."""
        if checks := [row.code for row in rows if row.part == CHECK]:
            return checks == ["right"]
        rated = params.rated
        return any(row.code in usual(rated, role) for row in rows if row.part == rated.part)

    def is_judged(self, params: Params, rows: Sequence[AnswerRow]) -> bool:
        return any(row.part == params.rated.part for row in rows)

    def guessed(self, role: str) -> float:
        return self.luck[role]

    def simulate(self, params: Params, shown: Presentation, listener: Listener, rng: Random) -> Answer:
        chance = listener.chances[shown.order.index(0) if shown.order else 0]
        quality = chance + rng.gauss(0, NOISE) if listener.is_careful else rng.random()
        text = shown.private.get("text", "")
        answers = {
            scale.part: _transcripts.simulated(text, quality, rng)
            if scale.answer == "transcript"
            else _scale_answers.simulated(scale, quality, listener, rng)
            for scale in params.scales
            if scale.part in shown.public["scales"]
        }
        is_asked = params.rated.part in answers and "expected" in shown.private
        if is_asked and listener.is_careful and rng.random() < NOTICED:
            answers[params.rated.part] = rng.choice(right(params.rated, shown.private["expected"]))
        return Answer(answers=answers)


@lru_cache(maxsize=256)
def _bound(raw: str) -> AnyTaskType:
    """Return the type of a study with these parameters."""
    params = Params.model_validate_json(raw)
    scored = params.scored
    rated = params.rated
    breakdowns = {
        scale.part: CodeBreakdown(scale.name, scale.part, codes)
        for scale in params.scales
        if (codes := scale.codes_shown)
    }
    is_trapped = params.reference == "none" and rated.is_number
    attributes = {
        "columns": (
            *(part for scale in params.scales for part in _scale_answers.parts(scale)),
            *((CHECK,) if is_trapped else ()),
        ),
        "traps": is_trapped,
        "luck": lucky(rated) if is_trapped else {},
        "options": len(rated.answers) or 2,
        "measure": "ordered" if scored.codes else "score",
        "score": scored,
        "outcomes": params.outcomes,
        "several": tuple(breakdowns[scale.part] for scale in params.scales if scale.answer == "several"),
        "breakdowns": tuple(breakdowns.values()),
        "shows": "clip" if params.reference == "none" else "pair",
    }
    kind: AnyTaskType = type(Scales.__name__, (Scales,), attributes)()
    return kind
