"""Human or Machine, and what gave a machine away, out of nine markers: the granular HFR (HFR paper, section 4.4)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Annotated, Literal, get_args

from pydantic import Field

from core.text.words import say
from studies.task_types import _order
from studies.task_types._forced import (
    LABELS,
    NAMES,
    SCORE,
    ForcedAnswer,
    ForcedParams,
    activity,
    choice,
    passes,
    row,
)
from studies.task_types.base import (
    AnswerRow,
    ClipFact,
    CodeBreakdown,
    ItemContent,
    ItemLayout,
    Listener,
    Presentation,
    QuestionFact,
    TaskType,
    Trouble,
)

Marker = Literal[
    "voice_quality",
    "unnatural_pitch",
    "flat",
    "inappropriate_emotion",
    "mispronunciations",
    "skipped_repeated_words",
    "unnatural_pauses",
    "digital_artifacts",
    "no_human_quirks",
]
MARKERS: tuple[Marker, ...] = get_args(Marker)
MARKER_NAMES = {
    "voice_quality": "Digital voice quality",
    "unnatural_pitch": "Unnatural pitch",
    "flat": "Flat or monotonous",
    "inappropriate_emotion": "Unfitting emotion",
    "mispronunciations": "Mispronounced words",
    "skipped_repeated_words": "Skipped or repeated words",
    "unnatural_pauses": "Unnatural pauses or speed",
    "digital_artifacts": "Digital artefacts",
    "no_human_quirks": "No human quirks",
}
# Probability of each marker for simulated raters who hear a machine, in the proportions of the paper's table 4.
OFTEN = dict(zip(MARKERS, (0.60, 0.29, 0.34, 0.19, 0.16, 0.13, 0.38, 0.09, 0.19), strict=True))
# Seconds a browser's clock may run past the duration that the server decoded.
GRACE = 0.25
Seconds = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]


class Params(ForcedParams):
    """What the researcher sets."""

    markers_question: str = Field(
        "What gave it away? Choose one or more.", min_length=1, max_length=300, description="Asked above the markers."
    )
    markers_required: bool = Field(
        True, title="Markers required", description="Require at least one marker with every Machine."
    )
    marker_order: _order.Order = Field(
        "fixed",
        json_schema_extra=_order.ORDERS,
        description="Whether half of the raters see the last marker first; the order is recorded.",
    )
    moments: bool = Field(
        False, description="Offer a button for the moment that gave it away; its time is kept with the marker."
    )
    show_text: bool = Field(False, description="Show the sentence that is spoken.")


class Answer(ForcedAnswer):
    """What the rater submits; `moments` are seconds within the clip, by marker."""

    markers: tuple[Marker, ...] = Field((), max_length=len(MARKERS))
    moments: dict[Marker, Seconds] = {}


class HfrGranular(TaskType[Params, Answer]):
    """How often does this voice pass for a person, and what gives it away?"""

    name = "hfr_granular"
    label = "Human / Machine with markers"
    columns = ("label", "marker")
    options = len(LABELS)
    measure = "category"
    paper, short = "hfr", "HFR-Granular"
    score = SCORE
    breakdowns = (CodeBreakdown("Labels", "label", NAMES), CodeBreakdown("Markers", "marker", MARKER_NAMES))
    has_quotas = True
    main_settings = (
        "protocol.ratings_wanted",
        "protocol.batches_per_session",
        "protocol.quota_raters",
        "protocol.quota_utterances",
        "task.markers_required",
        "protocol.interruption",
        "screening.headphones",
        "crowd.source",
        "payment.rate",
        "payment.minutes",
    )

    def activity(self, params: Params) -> tuple[str, ...]:
        return activity(params, say("After Machine, marks what gave it away, out of nine signs."))

    def asked(self, params: Params) -> str:
        return say("Listen to each clip, choose Human or Machine, and mark what gave a machine away.")

    def seconds_a_clip(self, params: Params) -> float:
        # HFR paper, Table 5.
        return 22.53

    def layout(self, params: Params, clips: Sequence[ClipFact], questions: Sequence[QuestionFact] = ()) -> ItemLayout:
        layout = super().layout(params, clips)
        if not params.show_text:
            return layout
        # A clip without its sentence would stand out, which traps must not.
        worded = {clip.clip for clip in clips if clip.text and clip.is_worded}
        reason = say("The study shows the sentence, but this clip has no text.")
        silent = [
            Trouble(reason, clip=item.clips[0], fix="texts") for item in layout.items if item.clips[0] not in worded
        ]
        return ItemLayout(layout.items, problems=tuple(silent))

    def draw(self, params: Params, item: ItemContent, rng: Random) -> Presentation:
        [clip] = item.clips
        public: dict[str, object] = {
            "options": _order.ordered(LABELS, params.option_order, item.rater),
            # The next bit of the number, so that each order of labels meets each order of markers.
            "markers": _order.ordered(MARKERS, params.marker_order, item.rater // 2),
        }
        if params.show_text:
            public["text"] = clip.text
        return Presentation(public=public, private={"seconds": clip.seconds} if params.moments else {})

    def problems(self, params: Params, shown: Presentation, answer: Answer) -> dict[str, str]:
        messages = {}
        if answer.label == "human" and answer.markers:
            messages["markers"] = say("Markers go with Machine alone.")
        elif answer.label == "machine" and params.markers_required and not answer.markers:
            messages["markers"] = say("Please choose at least one.")
        if answer.moments and not params.moments:
            messages["moments"] = say("This study asks for no moments.")
        elif not set(answer.moments) <= set(answer.markers):
            messages["moments"] = say("Each moment belongs to a chosen marker.")
        elif any(moment > shown.private["seconds"] + GRACE for moment in answer.moments.values()):
            messages["moments"] = say("A moment lies behind the end of the clip.")
        return messages

    def rows(self, params: Params, shown: Presentation, answer: Answer) -> list[AnswerRow]:
        chosen = answer.markers if answer.label == "machine" else ()
        markers = [AnswerRow("marker", marker, answer.moments.get(marker)) for marker in MARKERS if marker in chosen]
        return [row(answer), *markers]

    def passes(self, params: Params, role: str, rows: Sequence[AnswerRow]) -> bool:
        return passes(role, rows)

    def simulate(self, params: Params, shown: Presentation, listener: Listener, rng: Random) -> Answer:
        label = choice(listener.chance, rng)
        if label == "human":
            return Answer(label=label)
        noticed_markers = [marker for marker in MARKERS if listener.is_careful and rng.random() < OFTEN[marker]]
        markers = tuple(noticed_markers or [rng.choice(MARKERS)])
        if not params.moments:
            return Answer(label=label, markers=markers)
        end = shown.private["seconds"]
        tapped = [marker for marker in markers if rng.random() < 0.7]
        return Answer(
            label=label, markers=markers, moments={marker: round(rng.uniform(0, end), 1) for marker in tapped}
        )
