"""Clips of one text rated from 0 to 100 next to each other and a hidden reference (MUSHRA; ITU-R BS.1534-3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from core.spec import Spec, labels
from core.text.words import say
from studies.task_types import _impairment
from studies.task_types.base import (
    AnswerRow,
    AnyTaskType,
    ClipFact,
    ItemContent,
    ItemLayout,
    ItemPlan,
    Listener,
    Presentation,
    QuestionFact,
    ScoreScale,
    Sheet,
    TaskType,
    Trouble,
)

BANDS = {"bad": "Bad", "poor": "Poor", "fair": "Fair", "good": "Good", "excellent": "Excellent"}
BAND_WIDTH = 20
CUTOFFS = {"3.5 kHz": 3500, "7 kHz": 7000}
# Durations within this many seconds count as equal.
EQUAL = 0.02
# Listeners can't keep more signals than this in mind (BS.1534-3, section 5.3).
MOST = 12

Key = Annotated[str, StringConstraints(max_length=64)]
Rating = Annotated[int, Field(strict=True, ge=0, le=100)]


class Params(Spec):
    """What the researcher sets."""

    question: str = Field(
        "How good is the quality of each clip?",
        min_length=1,
        max_length=300,
        description="Asked above the sliders.",
    )
    explicit_reference: bool = Field(
        True,
        title="Reference shown",
        description="Show the reference, labelled as such. Off: raters only compare the clips with each other.",
    )
    hidden_reference: bool = Field(True, description="Hide the reference among the clips to be rated.")
    scale: Literal["quality", "impairment"] = Field(
        "quality",
        description="Quality from 0 (Bad) to 100 (Excellent), or impairment from 1.0 (Very annoying) to 5.0 "
        "(Imperceptible): then each clip is heard with the shown and the hidden reference, and the score is the "
        "difference of their grades.",
        json_schema_extra=labels(quality="Quality, 0 to 100", impairment="Impairment, 1.0 to 5.0"),
    )
    one_system: bool = Field(
        False,
        title="One system a screen",
        description="Show each system on a screen of its own, with the reference and the anchors.",
    )
    anchors: tuple[Literal["3.5 kHz", "7 kHz"], ...] = Field(
        (),
        max_length=2,
        description="Low-pass anchors, made of each reference. Without them the test is not MUSHRA as in ITU-R "
        "BS.1534.",
    )
    switching: Literal["restart", "synchronous"] = Field(
        "restart",
        title="Switching between clips",
        description="Whether a clip starts again on switching, or continues at the position of the other, which needs "
        "equal durations.",
        json_schema_extra=labels(restart="Start again", synchronous="Continue at the same position"),
    )
    post_screening: bool = Field(
        False,
        description="Exclude raters who too often rate the hidden reference low; not recommended for speech synthesis.",
    )
    post_screen_below: int = Field(
        90, ge=0, le=100, description="A hidden reference rated below this counts as missed (ITU-R BS.1534-3)."
    )
    post_screen_share: float = Field(
        0.15, ge=0, le=1, description="Share of screens with a missed reference that is still accepted."
    )

    @model_validator(mode="after")
    def impairment_has_one_clip(self) -> Params:
        is_pair = self.one_system and self.explicit_reference and self.hidden_reference and not self.anchors
        if self.is_impairment and (not is_pair or self.post_screening):
            raise ValueError(
                "grades of impairment need one system a screen, a shown and a hidden reference, no anchors and no "
                "post-screening"
            )
        return self

    @property
    def is_impairment(self) -> bool:
        return self.scale == "impairment"


class Answer(Spec):
    """What the rater submits: a rating for each clip, by the clip's key."""

    ratings: dict[Key, Rating] = Field(max_length=100)


class Mushra(TaskType[Params, Answer]):
    """How good do the clips of one text sound next to each other?

    `Shown.private` tells at which place the hidden reference stands.
    """

    name = "mushra"
    label = "Clips of one text, 0 to 100 (MUSHRA)"
    columns = ("rating",)
    options = 101
    shows = "screen"
    short = "MUSHRA"
    score = ScoreScale("MUSHRA", 0.0, 100.0, "", "rating", BANDS)
    traps = False
    rule = "hidden_reference"
    main_settings = (
        "protocol.ratings_wanted",
        "protocol.tests_per_batch",
        "protocol.batches_per_session",
        "task.explicit_reference",
        "task.anchors",
        "task.switching",
        "screening.headphones",
        "crowd.source",
        "payment.rate",
        "payment.minutes",
    )

    def of(self, raw: Mapping[str, Any]) -> AnyTaskType:
        if raw.get("scale", "quality") == "quality":
            return self
        kind: AnyTaskType = type(Mushra.__name__, (Mushra,), dict(_impairment.ATTRIBUTES))()
        return kind

    def activity(self, params: Params) -> tuple[str, ...]:
        if params.is_impairment:
            return (say("Rates two clips of a screen from 1.0 to 5.0, as often as needed beside the reference."),)
        return (say("Rates each clip of a screen from 0 to 100, as often as needed beside the others."),)

    def asked(self, params: Params) -> str:
        if params.is_impairment:
            return say("Listen to a reference and two clips on each screen, and rate both clips from 1.0 to 5.0.")
        return say("Listen to the clips of each screen and rate each of them from 0 to 100.")

    def seconds_a_clip(self, params: Params) -> float:
        # HFR paper, Table 5.
        return 42.45

    def anchors(self, params: Params) -> tuple[int, ...]:
        return tuple(CUTOFFS[anchor] for anchor in params.anchors)

    def layout(self, params: Params, clips: Sequence[ClipFact], questions: Sequence[QuestionFact] = ()) -> ItemLayout:
        screens = _screens(clips)
        systems = list(dict.fromkeys(clip.system for screen in screens for clip in screen.tests))
        shown = [replace(screen, tests=[clip]) for screen in screens for clip in screen.tests]
        return ItemLayout(
            tuple(screen.plan(params) for screen in (shown if params.one_system else screens)),
            tuple(trouble for screen in screens for trouble in screen.problems(params, systems)),
            (*_unanchored(params, screens), *(trouble for screen in screens for trouble in screen.warnings(params))),
        )

    def draw(self, params: Params, item: ItemContent, rng: Random) -> Presentation:
        references = [place for place, clip in enumerate(item.clips) if clip.role == "reference"]
        first = references[:1] if params.explicit_reference else []
        hidden = references[-1:] if params.hidden_reference else []
        rated = hidden + [place for place, clip in enumerate(item.clips) if clip.role != "reference"]
        rng.shuffle(rated)
        return Presentation(
            public={"has_reference": bool(first), "clips": len(first) + len(rated)},
            private={"hidden": len(first) + rated.index(hidden[0]) if hidden else None},
            order=(*first, *rated),
        )

    def problems(self, params: Params, shown: Presentation, answer: Answer) -> dict[str, str]:
        rated = _rated(shown)
        messages = {
            f"ratings.{key}": say("There is no such clip to rate.") for key in answer.ratings if key not in rated
        }
        low, high = (_impairment.LOWEST, _impairment.HIGHEST) if params.is_impairment else (0, 100)
        missing = [key for key in rated if not low <= answer.ratings.get(key, -1) <= high]
        return messages | {f"ratings.{key}": say("Please move this slider.") for key in missing}

    def rows(self, params: Params, shown: Presentation, answer: Answer) -> list[AnswerRow]:
        if params.is_impairment:
            by_place = {place: answer.ratings[key] for key, place in _rated(shown).items()}
            return _impairment.rows(by_place, shown.private["hidden"])
        return [
            AnswerRow("rating", band(answer.ratings[key]), float(answer.ratings[key]), place)
            for key, place in _rated(shown).items()
        ]

    def trusts(self, params: Params, sheets: Sequence[Sheet]) -> bool:
        """Post-screening: True if the hidden reference was rated low in no more than the accepted share of screens."""
        if not params.post_screening:
            return True
        ratings = [
            row.value
            for sheet in sheets
            for row in sheet.rows
            if row.value is not None and row.place == sheet.shown.private["hidden"]
        ]
        missed = sum(rating < params.post_screen_below for rating in ratings)
        return missed <= params.post_screen_share * len(ratings)

    def simulate(self, params: Params, shown: Presentation, listener: Listener, rng: Random) -> Answer:
        if params.is_impairment:
            return self._graded(shown, listener, rng)
        ratings = {}
        for key, place in _rated(shown).items():
            if not listener.is_careful:
                rating = rng.uniform(0, 100)
            elif place == shown.private["hidden"]:
                # Attentive listeners recognise the reference.
                rating = 100 - abs(rng.gauss(0, 3))
            else:
                rating = rng.gauss(15 + 75 * listener.chances[place], 8)
            ratings[key] = min(100, max(0, round(rating)))
        return Answer(ratings=ratings)

    def _graded(self, shown: Presentation, listener: Listener, rng: Random) -> Answer:
        """Return grades of impairment; a careless listener takes either clip for the reference."""
        keys, hidden = {place: key for key, place in _rated(shown).items()}, shown.private["hidden"]
        [clip] = keys.keys() - {hidden}
        chance = listener.chances[clip] if listener.is_careful else rng.uniform(0.0, 2.0)
        by_place = _impairment.simulated(clip, hidden, chance, rng)
        return Answer(ratings={keys[place]: rating for place, rating in by_place.items()})


@dataclass(frozen=True, slots=True)
class Screen:
    """The clips of one text."""

    text: str
    references: list[ClipFact] = field(default_factory=list)
    anchors: list[ClipFact] = field(default_factory=list)
    tests: list[ClipFact] = field(default_factory=list)

    def plan(self, params: Params) -> ItemPlan:
        clips = [clip.clip for clip in self.shown(params)]
        return ItemPlan(tuple(clips), "", "test", self.text, self.tests[0].dimension)

    def shown(self, params: Params) -> list[ClipFact]:
        """Return the clips in the item's order; a shown and hidden reference occurs twice."""
        times = params.explicit_reference + params.hidden_reference
        return [*self.references[:1] * times, *self.wanted(params), *self.tests]

    def wanted(self, params: Params) -> list[ClipFact]:
        """Return the anchors to show: those of the settings, and any that a researcher made."""
        left_out = {anchor_system(name) for name in CUTOFFS if name not in params.anchors}
        return [clip for clip in self.anchors if clip.system not in left_out]

    def problems(self, params: Params, systems: Sequence[str]) -> Iterator[Trouble]:
        first = self.tests[0].clip
        if not self.text:
            reason = say("It has no text_id, which says what it is to be compared with.")
            yield from (Trouble(reason, clip.clip) for clip in self.tests)
            return
        here = {clip.system for clip in self.tests}
        for system in systems:
            if system not in here:
                reason = say(
                    "The text “{text}” has no clip by {system}, as other texts have.", text=self.text, system=system
                )
                yield Trouble(reason, first, many=say("{number} clips of texts are missing: other texts have them."))
        seen: set[tuple[str, str]] = set()
        for clip in self.tests:
            if (clip.system, clip.voice) in seen:
                named = {"text": self.text, "system": clip.system}
                yield Trouble(say("The text “{text}” has two clips by {system} in one voice.", **named), clip.clip)
            seen.add((clip.system, clip.voice))
        for clip in self.references[1:]:
            yield Trouble(say("The text “{text}” has two references.", text=self.text), clip.clip)
        if not self.references and (params.explicit_reference or params.hidden_reference or params.anchors):
            reason = say("The text “{text}” has no clip of the role reference.", text=self.text)
            yield Trouble(reason, first, many=say("{number} texts have no clip of the role reference."))
        anchor_systems = {clip.system for clip in self.anchors}
        for name in params.anchors:
            if self.references and anchor_system(name) not in anchor_systems:
                reason = say("The text “{text}” has no anchor at {band}.", text=self.text, band=name)
                many = say("{number} anchors are missing.")
                yield Trouble(reason, self.references[0].clip, later=True, many=many, fix="task.anchors")
        if params.switching == "synchronous":
            yield from self.unequal(params)

    def unequal(self, params: Params) -> Iterator[Trouble]:
        """Return the clips longer or shorter than the screen's first."""
        first, *others = self.shown(params)
        for clip in others:
            if round(abs(clip.seconds - first.seconds), 6) > EQUAL:
                reason = say(
                    "It lasts {seconds} s and another clip of the text “{text}” {others} s; switching at the same "
                    "place needs equal durations.",
                    seconds=f"{clip.seconds:.2f}",
                    text=self.text,
                    others=f"{first.seconds:.2f}",
                )
                yield Trouble(reason, clip.clip)

    def warnings(self, params: Params) -> Iterator[Trouble]:
        rated = len(self.shown(params)) - params.explicit_reference
        if rated > MOST:
            reason = say(
                "The text “{text}” has {number} clips to rate; more than {most} are hard to compare.",
                text=self.text,
                number=rated,
                most=MOST,
            )
            yield Trouble(reason, self.tests[0].clip)


def _unanchored(params: Params, screens: Sequence[Screen]) -> Iterator[Trouble]:
    if not params.is_impairment and screens and not any(screen.wanted(params) for screen in screens):
        yield Trouble(
            say(
                "No screen has an anchor, so this is not MUSHRA as in ITU-R BS.1534. Turn on anchors under Design: "
                "they are made of the stored references. Or report it as a test without anchors."
            ),
            fix="task.anchors",
        )


def _screens(clips: Sequence[ClipFact]) -> list[Screen]:
    screens: dict[str, Screen] = {}
    for clip in clips:
        screen = screens.setdefault(clip.text, Screen(clip.text))
        kinds = {"reference": screen.references, "anchor": screen.anchors, "test": screen.tests}
        if clip.role in kinds:
            kinds[clip.role].append(clip)
    return [screen for screen in screens.values() if screen.tests]


def _rated(shown: Presentation) -> dict[str, int]:
    """Return the places of the clips to be rated, by key."""
    first = 1 if shown.public["has_reference"] else 0
    return {key: place for place, key in enumerate(shown.clips) if place >= first}


def anchor_system(name: str) -> str:
    """Return the system of an import's anchors."""
    return f"anchor {name}"


def band(rating: int) -> str:
    """Return the canonical name of the rating's fifth of the scale."""
    return list(BANDS)[min(rating // BAND_WIDTH, len(BANDS) - 1)]
