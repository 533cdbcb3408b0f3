"""How far participants came, and the results of checks.

The flow of sessions follows the CONSORT diagram: at every stage the numbers add up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from statistics import median
from typing import TYPE_CHECKING, Any

from analysis.data import rare
from analysis.sections.inputs import AnalysisInput, Sessions
from analysis.sections.participants import CheckCount, Participants, Step
from core.text.words import say

if TYPE_CHECKING:
    from raters.payments.histories import SessionHistory

STAGES = ("arrived", "consented", "started", "complete")
LABELS = {
    "arrived": say("arrived"),
    "consented": say("agreed to take part"),
    "started": say("started rating"),
    "complete": say("finished"),
    "analysed": say("contributed usable ratings"),
    "partial": say("did not finish, but contributed usable ratings"),
    "unrated": say("have no answer about a test clip: none given, or erased"),
    "unusable": say("contributed no usable rating"),
}
ENDS = {
    "declined": say("did not agree"),
    "bad_device": say("screened out: device"),
    "screened_out": say("screened out"),
    "failed_comprehension": say("screened out: instructions"),
    "failed_attention": say("failed attention"),
    "technical_failure": say("technical failure"),
    "returned": say("returned their place at the platform"),
    "timed_out": say("ran out of the platform’s time"),
    "no_place": say("found every place taken"),
}
ORDER = (*ENDS, "withdrawn", "")
# Sessions still open look the same as abandoned ones.
OPEN = (
    say("neither agreed nor left, so far"),
    say("neither started nor left, so far"),
    say("neither finished nor left, so far"),
)
WITHDRAWN = (say("left before agreeing"), say("left before rating"), say("left on the way"))
CHECKS = {
    "device": say("device and sound"),
    "language": say("first language"),
    "volume": say("volume"),
    "antiphase": say("headphones (tones)"),
    "huggins": say("headphones (hidden pitch)"),
    "comprehension": say("instructions"),
    "training": say("practice"),
    "attention": say("attention"),
    "line": say("slow connection"),
}


def session_groups(ways: Iterable[SessionHistory], rated: set[int], counted: set[int]) -> list[Sessions]:
    """Count sessions with the same course; `rated` and `counted` are those with answers, and with usable ones."""
    sessions = Counter((way.stage, way.end, way.check, way.session in rated, way.session in counted) for way in ways)
    return [
        Sessions(stage=stage, end=end, check=check, rated=answered, counts=counts, sessions=number)
        for (stage, end, check, answered, counts), number in sorted(sessions.items())
    ]


def steps(groups: Iterable[Sessions]) -> list[Step]:
    """Return stages with exits and entries between them: each stage is the previous one minus exits plus entries.

    Exits without sessions are left out; stages are not.
    """
    ways = list(groups)
    listed: list[Step] = []
    for at, key in enumerate(STAGES):
        listed.append(_step(key, LABELS[key], sum(way.sessions for way in ways if way.stage >= at)))
        if at < len(STAGES) - 1:
            listed += _exits([way for way in ways if way.stage == at], at)
    last = len(STAGES) - 1
    ended = [way for way in ways if way.stage == last and not way.counts]
    partial = sum(way.sessions for way in ways if way.stage < last and way.counts)
    for key, is_rated in (("unrated", False), ("unusable", True)):
        listed += _left(key, LABELS[key], sum(way.sessions for way in ended if way.rated == is_rated))
    if partial:
        listed.append(Step(key="partial", label=LABELS["partial"], count=partial, is_exit=False, is_entry=True))
    listed.append(_step("analysed", LABELS["analysed"], sum(way.sessions for way in ways if way.counts)))
    return listed


def check_name(name: str) -> str:
    """Return a check's name in the report."""
    return CHECKS.get(name, name)


def _exits(ways: list[Sessions], at: int) -> list[Step]:
    """Return the exits of a stage: by check in the order they are met, unfinished sessions last."""
    sessions: Counter[tuple[int, int, str, str]] = Counter()
    for way in ways:
        end, check = way.end, way.check
        key = ".".join(filter(None, (STAGES[at], end or "open", check)))
        sessions[(_place(tuple(CHECKS), check), _place(ORDER, end), key, _why(at, end, check))] += way.sessions
    return [step for (*_places, key, label), number in sorted(sessions.items()) for step in _left(key, label, number)]


def _place(order: tuple[str, ...], name: str) -> int:
    return order.index(name) if name in order else len(order)


def _why(at: int, end: str, check: str) -> str:
    if check:
        return say("screened out: {check}", check=check_name(check))
    if end == "withdrawn":
        return WITHDRAWN[at]
    return ENDS.get(end, end) if end else OPEN[at]


def _left(key: str, label: str, number: int) -> list[Step]:
    return [Step(key=key, label=label, count=number, is_exit=True)] if number else []


def _step(key: str, label: str, number: int) -> Step:
    return Step(key=key, label=label, count=number, is_exit=False)


def compute(inputs: AnalysisInput) -> Participants:
    """Return the flow of sessions, the results of checks, and the duration of complete sessions."""
    facts = inputs.facts
    minutes = facts.minutes
    # Stored only for studies that have them.
    optional: dict[str, Any] = {}
    if facts.checks:
        optional["checks"] = [
            CheckCount(**dict(check), label=check_name(check.name), passed=check.decided - check.failed)
            for check in facts.checks
        ]
    if facts.attention.asked:
        optional["attention"] = facts.attention
    if facts.screening_changed:
        optional["screening_changed"] = True
    if facts.about is not None:
        optional["about"] = {key: rare.merged(codes) for key, codes in facts.about.items()}
    return Participants(
        steps=tuple(steps(facts.ways)),
        raters=int(inputs.tests["rater"].nunique()),
        minutes_median=median(minutes) if minutes else None,
        minutes_sessions=len(minutes),
        batches=facts.batches,
        **optional,
    )
