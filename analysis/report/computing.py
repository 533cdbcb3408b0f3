"""A whole analysis: each section is computed separately, or refused with a reason."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from django.utils import translation
from threadpoolctl import threadpool_limits

from analysis.data.sides import IN_PAIRS, IN_SETS
from analysis.report import gathering
from analysis.sections import sentences
from analysis.sections.agreement import compute as agreement_compute
from analysis.sections.baseline import compute as baseline_compute
from analysis.sections.boxes import compute as boxes_compute
from analysis.sections.breakdowns import compute as breakdowns_compute
from analysis.sections.contrasts import compute as contrasts_compute
from analysis.sections.design import compute as design_compute
from analysis.sections.detection import compute as detection_compute
from analysis.sections.exclusions import compute as exclusions_compute
from analysis.sections.identification import compute as identification_compute
from analysis.sections.inputs import AnalysisInput, guarded
from analysis.sections.mixed_models import Models, fitted, graded
from analysis.sections.multiverse import compute as multiverse_compute
from analysis.sections.pair_tests import compute as pair_tests_compute
from analysis.sections.participants import compute as participants_compute
from analysis.sections.plan import compute as plan_compute
from analysis.sections.preferences import compute as preferences_compute
from analysis.sections.quality import compute as quality_compute
from analysis.sections.reliability import compute as reliability_compute
from analysis.sections.repeats import compute as repeats_compute
from analysis.sections.results import VERSION, Results, dump
from analysis.sections.scales import compute as scales_compute
from analysis.sections.scores import compute as scores_compute
from analysis.sections.sets import compute as sets_compute
from analysis.sections.shared import Inputs, Record, Refusal, Study
from analysis.sections.times import compute as times_compute
from core.text import words

if TYPE_CHECKING:
    from studies.task_types.base import AnyTaskType

Section = Callable[[AnalysisInput], Record]
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
    "design": design_compute.compute,
    "participants": participants_compute.compute,
    "plan": plan_compute.compute,
    "exclusions": exclusions_compute.compute,
    "scores": scores_compute.compute,
    "scales": scales_compute.compute,
    "baseline": baseline_compute.compute,
    "contrasts": contrasts_compute.compute,
    "pair_tests": pair_tests_compute.compute,
    "preferences": preferences_compute.compute,
    "sets": sets_compute.compute,
    "identification": identification_compute.compute,
    "detection": detection_compute.compute,
    "boxes": boxes_compute.compute,
    "agreement": agreement_compute.compute,
    "repeats": repeats_compute.compute,
    "reliability": reliability_compute.compute,
    "quality": quality_compute.compute,
    "times": times_compute.compute,
    "breakdowns": breakdowns_compute.compute,
    "multiverse": multiverse_compute.compute,
    "metrics": lambda inputs: inputs.facts.metrics,
}
# Sections about answers that only some task types ask for.
CONCERNS: dict[str, Callable[[AnyTaskType], bool]] = {
    "preferences": lambda kind: kind.contests,
    "sets": lambda kind: bool(kind.sets),
    "identification": lambda kind: kind.recognises,
    # Several preferences are sections of their own.
    "scales": lambda kind: (len(kind.outcomes) > 1 or bool(kind.several)) and not kind.contests,
}
# The slowest come last, so that the others are done if they fail.
NAMES = (*SECTIONS, "models")
STEPS = (*SECTIONS, *(f"models.{name}" for name in MODELS))
# Sections that take the scores of two systems as independent.
INDEPENDENT = {"baseline", "contrasts", "pair_tests", "boxes", "multiverse", "models"}
LEFT_OUT = Refusal(refused=words.say("This section was left out of this analysis."))


def compute(inputs: AnalysisInput, report: Callable[[str, int, int], None] = lambda step, done, total: None) -> Results:
    """Compute the requested sections; `report` is called before each step and may raise to stop."""
    # With more threads, matrices of some hundred clips take several times as much processor time, and no less time.
    with threadpool_limits(1), translation.override("en"), words.collecting() as translatables:
        results = _computed(inputs, report)
    return results.model_copy(update={"sentences": sentences.patterns(dump(results), translatables)})


def _computed(inputs: AnalysisInput, report: Callable[[str, int, int], None]) -> Results:
    unconcerned = {name for name, concerns in CONCERNS.items() if not concerns(inputs.kind)}
    unconcerned |= {name for name in ("repeats", "plan") if getattr(inputs.facts, name) is None}
    wanted = [step for step in STEPS if step.partition(".")[0] in {*inputs.settings.sections} - unconcerned]
    computed: dict[str, Record] = {}
    for number, step in enumerate(wanted):
        report(step, number, len(wanted))
        name, _, model = step.partition(".")
        section = MODELS[model] if model else SECTIONS[name]
        refused = _dependence(inputs, name)
        computed[step] = Refusal(refused=refused) if refused else guarded(partial(section, inputs))
    sections = {name: computed.get(name, LEFT_OUT) for name in SECTIONS if name not in unconcerned}
    if "models" in inputs.settings.sections:
        sections["models"] = Models.model_validate({name: computed[f"models.{name}"] for name in MODELS})
    else:
        sections["models"] = LEFT_OUT
    made_from = Inputs(
        fingerprint=gathering.fingerprint(inputs),
        ratings=len(inputs.frame),
        counted=len(inputs.tests),
        code_version=gathering.code_version(),
        seed=inputs.settings.seed,
        settings=inputs.settings.as_json,
    )
    return Results.model_validate({"schema": VERSION, "study": _study(inputs), "inputs": made_from, **sections})


def _dependence(inputs: AnalysisInput, section: str) -> str:
    """Return why scores that depend on each other can't have a section; empty if they can."""
    if inputs.sides is not None and section in INDEPENDENT:
        return IN_PAIRS
    return IN_SETS if inputs.kind.sets and section == "models" else ""


def _study(inputs: AnalysisInput) -> Study:
    facts = inputs.facts
    return Study(
        slug=facts.slug,
        title=facts.title,
        preset=inputs.definition.preset,
        task_type=inputs.definition.task_type,
        task=inputs.kind.label,
        language=inputs.definition.texts.language,
        launched_at=facts.launched_at,
        versions=tuple(inputs.settings.versions),
        simulated=inputs.settings.simulated,
        scale=inputs.scale,
    )
