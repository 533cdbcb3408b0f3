"""The methods text of a report, from the study's settings and results.

The sentences are in `templates/analysis/report/methods`; this module computes the values in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from analysis.data.groups import HUMAN
from analysis.report.checklist import offered, platform
from analysis.sections.blocks import metric_name, rating_unit
from analysis.sections.exclusions import Exclusion
from analysis.sections.mixed_models import Bayes, Ordinal
from analysis.sections.participants import Step, description
from analysis.sections.parts import Part, Quote, enumerated, listed, paragraph
from analysis.sections.quality import ExpertWork
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from core.text.numbers import general, whole

if TYPE_CHECKING:
    from studies.definition.definition import Definition

# Kinds of answers that are numbers.
POINTS = ("points", "slider")


def methods(results: Results, definition: Definition | None) -> Part:
    """Return the text by paragraph, with the texts that raters read, verbatim."""
    sentences = (
        _raters(results, definition),
        description.screening_paragraph(
            definition, results.participants, is_simulated=results.study.simulated == "only"
        ),
        _material(results, definition),
        _task(results, definition),
        _traps(results, definition),
        _experts(results),
        _exclusions(results),
        _analysis(results, definition),
        paragraph("ethics", simulated=results.study.simulated),
        _software(results),
    )
    return Part("methods", _("Methods"), tuple(filter(None, sentences)), quotes=_quotes(definition), is_prose=True)


def models(results: Results) -> str:
    """Return one or two sentences on each model that could be fitted."""
    return paragraph("models", **_models(results))


def _models(results: Results) -> dict[str, Any]:
    every = results.every_model
    names = ("bayes", "bayes_clips", "fast", "answers", "answers_clips")
    fits = {name: getattr(every, name) for name in names}
    return {name: _model(model) for name, model in fits.items() if not isinstance(model, Refusal)}


def _model(model: Any) -> dict[str, Any]:
    if not isinstance(model, Bayes):
        return {"formula": model.formula, "is_logistic": isinstance(model, Ordinal) and model.model == "logistic"}
    return {
        "formula": model.formula,
        "priors": model.priors.rstrip("."),
        "draws": whole(model.draws),
        "rhat": f"{model.worst_rhat:.4f}",
        "ess": f"{model.least_ess:.0f}",
    }


def _raters(results: Results, definition: Definition | None) -> str:
    people = results.participants
    launched = results.study.launched_at
    values: dict[str, Any] = {
        "platform": platform(definition),
        "simulated": results.study.simulated,
        "first_day": launched[:10] if launched else "",
        **description.recruitment_values(definition.recruitment if definition else None, description.about_of(people)),
    }
    if not isinstance(people, Refusal):
        minutes = people.minutes_median
        values |= {
            "stages": enumerated([_stage(step) for step in people.steps]),
            "raters_number": people.raters,
            "raters": whole(people.raters),
            "minutes": "" if minutes is None else f"{minutes:.1f}",
        }
    return paragraph("raters", **values)


def _stage(step: Step) -> str:
    return _("{stage} ({n})").format(stage=step.label, n=whole(step.count))


def _material(results: Results, definition: Definition | None) -> str:
    design = results.design
    if isinstance(design, Refusal):
        return paragraph("material")
    synthetic = [system.name for system in design.systems if not system.kind]
    audio = definition.audio if definition else None
    return paragraph(
        "material",
        design=design,
        has_human=design.human_tests,
        clips=whole(design.clips),
        texts=whole(design.texts),
        languages=listed([description.language_of(code) for code in design.languages]) or _("[state the language]"),
        systems=len(synthetic),
        system_names=listed(synthetic),
        audio=audio,
        kilohertz=f"{audio.sample_rate / 1000:g}" if audio and audio.sample_rate else _("[rate]"),
        loudness=general(audio.delivered_loudness) if audio and audio.delivered_loudness is not None else "",
        peak=general(audio.peak) if audio else "",
        repairs=len(audio.repairs) if audio else 0,
        edges=f"{audio.edges:g}" if audio and audio.edges is not None else "",
        band=f"{audio.band:,}" if audio and audio.band is not None else "",
        accepted=len(design.accepted or ()),
        accepted_findings=" ".join(design.accepted or ()),
    )


def _task(results: Results, definition: Definition | None) -> str:
    scale, design = results.study.scale, results.design
    parameters = {} if isinstance(design, Refusal) else design.parameters
    share = definition.protocol.human_share if definition else None
    return paragraph(
        "task",
        study=results.study,
        language=description.language_of(results.study.language),
        question=parameters.get("question"),
        scales=_scales(parameters.get("scales") or ()),
        parameters=parameters,
        codes=offered(results, definition),
        low=f"{scale.low:g}",
        high=f"{scale.high:g}",
        protocol=definition.protocol if definition else None,
        human_share="" if share is None else f"{100 * share:g}",
        over=_over(results),
        shows=definition.kind.shows if definition else "clip",
    )


def _over(results: Results) -> str | None:
    """Return the baseline of a task that compares systems; empty if they met several others; None for other tasks."""
    over = None if isinstance(results.scores, Refusal) else results.scores.over
    return _("human speech") if over == HUMAN else over


def _scales(scales: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what the methods say of each scale of a task with several."""
    return [
        {
            "name": scale["name"],
            "question": scale["question"],
            "labels": listed(scale["labels"]),
            "points": [f"{scale[end]:g}" for end in ("low", "high", "step")] if scale["answer"] in POINTS else None,
        }
        for scale in scales
    ]


def _traps(results: Results, definition: Definition | None) -> str:
    if definition is None:
        return paragraph("traps")
    protocol, quality = definition.protocol, results.quality
    guesser = None if isinstance(quality, Refusal) else quality.guesser
    return paragraph(
        "traps",
        definition=definition,
        simulated=results.study.simulated,
        protocol=protocol,
        has_traps=definition.kind.traps and protocol.flawed_traps + protocol.human_traps,
        guesser="" if guesser is None else f"{100 * guesser:.1f}",
        golden_share=f"{100 * protocol.golden_share:g}",
    )


def _experts(results: Results) -> str:
    """Return the paragraph on experts' work on what raters wrote; empty without any."""
    quality = results.quality
    work = {} if isinstance(quality, Refusal) else {"review": quality.review, "coding": quality.coding}
    return paragraph("experts", **{name: _work(each) for name, each in work.items() if each is not None})


def _work(work: ExpertWork) -> dict[str, Any]:
    shares = {"share": f"{100 * work.share:g}", "double": f"{100 * work.double_share:g}"}
    return {**work.model_dump(), **shares, "done": whole(work.done), "experts": whole(work.experts)}


def _exclusions(results: Results) -> str:
    exclusions = results.exclusions
    if isinstance(exclusions, Refusal):
        return paragraph("exclusions")
    return paragraph(
        "exclusions",
        reasons_known=True,
        unit=rating_unit(results),
        given=whole(exclusions.given),
        excluded=whole(exclusions.given - exclusions.counted),
        reasons=enumerated([_reason(row) for row in exclusions.reasons]),
        counted=whole(exclusions.counted),
        raters=whole(exclusions.raters_counted),
    )


def _reason(row: Exclusion) -> str:
    words = _("{reason}: {ratings} ratings of {raters} raters")
    return words.format(reason=row.label, ratings=whole(row.ratings), raters=whole(row.raters))


def _analysis(results: Results, definition: Definition | None) -> str:
    results_settings, tests = definition.results if definition else None, results.pair_tests
    return paragraph(
        "analysis",
        pieces="" if isinstance(results.design, Refusal) else results.design.pieces,
        contrasts=listed(results_settings.looks) if results_settings else "",
        over=_over(results),
        margin=_margin(results, definition),
        margin_reason=results_settings.margin_reason if results_settings else "",
        primary=results_settings.primary if results_settings else "",
        has_tests=not isinstance(tests, Refusal),
        has_margin=not isinstance(tests, Refusal) and tests.margin is not None,
        has_odds=not isinstance(tests, Refusal) and tests.is_share,
        has_signal=not isinstance(results.detection, Refusal),
        alpha_metric=_alpha_metric(results),
        **_models(results),
    )


def _alpha_metric(results: Results) -> str:
    agreement = results.agreement
    return "" if isinstance(agreement, Refusal) or not agreement.alpha else metric_name(agreement.alpha[0].metric)


def _margin(results: Results, definition: Definition | None) -> str:
    margin, unit = definition.results.margin if definition else None, results.study.scale.unit
    if margin is None:
        return ""
    return _("{margin} percentage points").format(margin=f"{margin:g}") if unit == "%" else f"{margin:g}"


def _software(results: Results) -> str:
    inputs = results.inputs
    return paragraph(
        "software",
        study=results.study,
        inputs=inputs,
        versions=listed([str(number) for number in results.study.versions]),
        counted=whole(inputs.counted),
        ratings=whole(inputs.ratings),
        fingerprint=inputs.fingerprint[:16],
    )


def _quotes(definition: Definition | None) -> tuple[Quote, ...]:
    if definition is None:
        return ()
    texts = definition.texts
    quotes = (
        Quote(_("Information sheet"), texts.information, is_markdown=True),
        Quote(_("Consent"), texts.consent),
        Quote(_("Instructions"), texts.instructions, is_markdown=True),
        Quote(_("Examples of good reasons"), "\n".join(texts.good_reasons)),
        Quote(_("Examples of poor reasons"), "\n".join(texts.poor_reasons)),
    )
    return tuple(quote for quote in quotes if quote.text)
