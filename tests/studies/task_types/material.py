"""Clips and questions that every task type can use: three systems, people, traps, references, and passages."""

from __future__ import annotations

from studies.task_types.base import (
    HUMAN,
    AnyTaskType,
    ClipFact,
    ItemContent,
    ItemLayout,
    ItemPlan,
    Option,
    PlacedClip,
    QuestionFact,
)

TEXTS = ("one", "two", "three")
SYSTEMS = ("alpha", "beta", "gamma")
# With three systems, one would have to name the baseline.
SETTINGS = {"compare": {"pairs": "all"}}


def _clips() -> tuple[ClipFact, ...]:
    wanted = [(system, "test", text) for text in TEXTS for system in SYSTEMS]
    wanted += [(HUMAN, "reference", text) for text in TEXTS]
    wanted += [("broken", "trap_flawed", ""), (HUMAN, "trap_human", ""), (HUMAN, "training", "")]
    return tuple(ClipFact(10 + n, system, role, text, "", 2.0) for n, (system, role, text) in enumerate(wanted))


def _question(number: int, name: str, text: str = "") -> QuestionFact:
    options = (Option("Seven"), Option("Eleven", "phonetic"), Option("A dozen", "semantic"))
    return QuestionFact(number, name, f"How many were there ({name})?", options, text, golden=not text)


CLIPS = _clips()
QUESTIONS = (
    *(_question(100 * n + k, f"{text}/{k}", text) for n, text in enumerate(TEXTS, start=1) for k in (1, 2, 3)),
    _question(901, "golden/1"),
    _question(902, "golden/2"),
)


def layout(kind: AnyTaskType) -> ItemLayout:
    """Lay out the usual clips."""
    return kind.layout(kind.params(SETTINGS.get(kind.name, {})), CLIPS, QUESTIONS if kind.asks else ())


def items(kind: AnyTaskType) -> list[ItemContent]:
    """Return every item of the layout as `draw` meets it; the first has a golden question where the type asks any."""
    plans = layout(kind).items
    return [_item(kind, plan, is_first=plan is plans[0]) for plan in plans]


def item_of(kind: AnyTaskType, role: str) -> ItemContent:
    """Return the first item of this role."""
    return _item(kind, next(plan for plan in layout(kind).items if plan.role == role))


def _item(kind: AnyTaskType, plan: ItemPlan, *, is_first: bool = False) -> ItemContent:
    facts = {clip.clip: clip for clip in CLIPS}
    asked = tuple(question for question in QUESTIONS if kind.asks and question.text == plan.text and plan.text)
    golden = (QUESTIONS[-1],) if kind.asks and is_first else ()
    return ItemContent(tuple(PlacedClip(facts[clip].system, facts[clip].role) for clip in plan.clips), asked, golden)
