"""An analysis from end to end: each section on its own, refused with a sentence where it can't be had."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from analysis.report.findings import (
    agreeing,
    baseline,
    boxed,
    detecting,
    excluded,
    fitted,
    gather,
    graded,
    multiverse,
    pairs,
    planned,
    quality,
    scores,
)
from analysis.report.findings.given import Given
from analysis.report.findings.schema import VERSION
from analysis.stats.design import NotEstimable

Section = Callable[[Given], Any]
MODELS: dict[str, Section] = {
    "fast": fitted.fast,
    "clips": fitted.clips,
    "adjusted": fitted.adjusted,
    "bayes": fitted.posterior,
    "answers": graded.answers,
    "answers_clips": graded.clips,
    "bayes_clips": fitted.posterior_clips,
}
SECTIONS: dict[str, Section] = {
    "design": planned.plan,
    "participants": planned.participants,
    "exclusions": excluded.section,
    "scores": scores.section,
    "baseline": baseline.section,
    "contrasts": pairs.section,
    "detection": detecting.section,
    "boxes": boxed.section,
    "agreement": agreeing.section,
    "quality": quality.section,
    "times": planned.times,
    "breakdowns": planned.breakdowns,
    "multiverse": multiverse.section,
    "metrics": lambda given: given.facts["metrics"],
}
# The slowest come last, so that the rest is done when something stops them.
NAMES = (*SECTIONS, "models")
STEPS = (*SECTIONS, *(f"models.{name}" for name in MODELS))
LEFT_OUT = "This section was left out of this analysis."


def compute(given: Given, report: Callable[[str, int, int], None] = lambda step, done, total: None) -> dict[str, Any]:
    """Return the results as `schema.Results`; `report` hears of each step before it is made, and may raise to stop."""
    wanted = [step for step in STEPS if step.partition(".")[0] in given.settings.sections]
    found: dict[str, Any] = {
        "schema": VERSION,
        "study": planned.study(given),
        "inputs": {
            "fingerprint": gather.fingerprint(given),
            "ratings": len(given.frame),
            "counted": len(given.tests),
            "code_version": gather.code_version(),
            "seed": given.settings.seed,
            "settings": given.settings.as_json,
        },
    }
    made: dict[str, Any] = {}
    for number, step in enumerate(wanted):
        report(step, number, len(wanted))
        name, _, model = step.partition(".")
        made[step] = guarded(partial(MODELS[model] if model else SECTIONS[name], given))
    for name in NAMES:
        if name not in given.settings.sections:
            found[name] = {"refused": LEFT_OUT}
        elif name == "models":
            found[name] = {model: made[f"models.{model}"] for model in MODELS}
        else:
            found[name] = made[name]
    return found


def guarded(section: Callable[[], Any]) -> Any:
    """Return a section, or why it can't be had."""
    try:
        return section()
    except NotEstimable as error:
        return {"refused": str(error)}
