"""Mixed models of the score (rule D6): fast, with clips, with covariates, and Bayesian."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import numpy as np

from analysis.sections.inputs import AnalysisInput, Name, design_of, left_out_notes
from analysis.sections.mixed_models import Bayes, Coefficient, Fast, Posterior
from analysis.stats import refusals
from analysis.stats.design import Design, Floats, NotEstimable
from analysis.stats.mixed import bayes, reml
from analysis.stats.mixed.posterior import Prior
from analysis.stats.mixed.terms import CLIP, RATER, SLOPE, TEXT, choose
from core.text.words import joined, say

HERE, THESE_TEXTS = "for these clips only", "for these texts only"
FIXED = "score ~ 0 + system"


def fast(inputs: AnalysisInput) -> Fast:
    """Return Table 3's model by REML: raters and rater:system, no clips."""
    return by_reml(judged(*designed(inputs)), (RATER, SLOPE), [], within=_scale(inputs))


def clips(inputs: AnalysisInput) -> Fast:
    """Return that model with clips, and with texts if systems share them."""
    ratings = judged(*designed(inputs), with_clips=True)
    return by_reml(ratings, terms_of(ratings.design), [], within=_scale(inputs))


def adjusted(inputs: AnalysisInput) -> Fast:
    """Return the model with clips, the groups of texts (sum to zero) and the position in the session."""
    columns, labels, notes = _covariates(inputs)
    if not labels:
        raise NotEstimable(joined(*notes))
    ratings = judged(*designed(inputs, columns), with_clips=True)
    fit = by_reml(ratings, terms_of(ratings.design), labels, within=_scale(inputs))
    return fit.model_copy(update={"notes": (*notes, *fit.notes)})


def posterior(inputs: AnalysisInput) -> Bayes:
    """Return Table 3's model with its posterior; NotEstimable if the chains didn't converge."""
    return _by_chains(inputs, judged(*designed(inputs)), (RATER, SLOPE), "bayes")


def posterior_clips(inputs: AnalysisInput) -> Bayes:
    """Return that model with clips, and with texts if systems share them."""
    ratings = judged(*designed(inputs), with_clips=True)
    return _by_chains(inputs, ratings, crossing(ratings.design), "bayes_clips")


def _by_chains(inputs: AnalysisInput, ratings: Judged, terms: tuple[str, ...], section: str) -> Bayes:
    prior = Prior.of_scale(inputs.scale.low, inputs.scale.high)
    design = ratings.design
    fit = bayes.fit(design, prior, inputs.rng(section), terms, draws=inputs.settings.draws)
    if fit.withheld:
        raise NotEstimable(fit.withheld)
    fitted_terms = [term for term in terms if term in fit.sds]
    return Bayes(
        formula=formula(fitted_terms),
        systems=tuple(
            _row(name, _cut(row, _scale(inputs))) for name, row in zip(ratings.names, fit.coefficients, strict=True)
        ),
        sds={term: None if row is None else _row((term, ""), row) for term, row in fit.sds.items()},
        priors=fit.prior.in_words(inputs.kind.score.factor),
        draws=len(fit.draws),
        method=fit.method,
        worst_rhat=fit.worst_rhat,
        least_ess=fit.least_ess,
        ratings=len(design.score),
        raters=design.raters,
        scope=scope(design, fitted_terms),
        notes=(
            *ratings.notes,
            *fit.notes,
        ),
    )


@dataclass(frozen=True, slots=True)
class Judged:
    """Ratings of the systems that a model may include, the systems' names, and why others are left out."""

    design: Design
    names: list[Name]
    notes: list[str]


def judged(design: Design, names: list[Name], *, with_clips: bool = False) -> Judged:
    """Leave out systems with too little data; NotEstimable if none is left, or the data allow no model (rule D12)."""
    if whole := refusals.of_design(design, with_clips=with_clips):
        raise NotEstimable(str(whole))
    few = refusals.of_systems(design)
    notes = left_out_notes({names[system]: str(refusal) for system, refusal in few.items()})
    if len(few) == design.systems:
        raise NotEstimable(joined(*notes))
    if few:
        design = design.where(~np.isin(design.system, list(few)))
        names = [name for system, name in enumerate(names) if system not in few]
    rest = (
        refusals.FEW_TEXTS if with_clips and design.has_few_texts else refusals.of_design(design, with_clips=with_clips)
    )
    if rest:
        raise NotEstimable(joined(*notes, str(rest)))
    return Judged(design, names, notes)


def scope(design: Design, terms: list[str]) -> str:
    """Return the scope of a model with these terms; empty if it generalises to other clips."""
    if {CLIP, TEXT} & set(terms):
        return ""
    return THESE_TEXTS if design.has_few_texts else HERE


def designed(inputs: AnalysisInput, covariates: Floats | None = None) -> tuple[Design, list[Name]]:
    rows = inputs.compared
    if not len(rows):
        raise NotEstimable(say("No rating counts yet."))
    design, names = design_of(rows, covariates)
    if design.raters == 1:
        raise NotEstimable(say("All ratings are one rater's, so how raters differ can't be estimated."))
    return design, names


def terms_of(design: Design) -> tuple[str, ...]:
    return (RATER, SLOPE, CLIP, TEXT) if design.repeats_texts else (RATER, SLOPE, CLIP)


def crossing(design: Design) -> tuple[str, ...]:
    """Return the terms of a model with clips; NotEstimable if the ratings can't separate them from the others."""
    terms = terms_of(design)
    dropped = choose(design, terms).dropped
    if {CLIP, TEXT} & set(terms) <= set(dropped):
        raise NotEstimable(joined(*(dropped[term] for term in terms if term in (CLIP, TEXT))))
    return terms


def formula(terms: list[str], covariates: list[str] | None = None) -> str:
    return " + ".join([FIXED, *(covariates or []), *(f"(1 | {term})" for term in terms)])


def _scale(inputs: AnalysisInput) -> tuple[float, float]:
    return inputs.scale.low, inputs.scale.high


def by_reml(ratings: Judged, terms: tuple[str, ...], covariates: list[str], *, within: tuple[float, float]) -> Fast:
    """Fit a model by REML, with coefficients named by systems and covariates.

    Intervals of systems are cut at the ends of the scale, `within` (rule D4).
    """
    design, names = ratings.design, ratings.names
    fit = reml.fit(design, terms)
    ends = np.array(fit.intervals())
    ends[: len(names)] = np.clip(ends[: len(names)], *within)
    rows = [
        _coefficient(name, *values)
        for name, values in zip(
            [*names, *((label, "") for label in covariates)],
            zip(fit.coefficients, fit.errors, fit.df, ends, strict=True),
            strict=True,
        )
    ]
    fitted_terms = [term for term in terms if term in fit.sds]
    return Fast(
        formula=formula(fitted_terms, covariates),
        systems=tuple(rows[: len(names)]),
        covariates=tuple(rows[len(names) :]),
        sds=dict(fit.sds),
        residual_sd=fit.residual_sd,
        log_likelihood=fit.log_likelihood,
        icc=_icc(fit),
        ratings=fit.ratings,
        raters=fit.raters,
        scope=scope(design, fitted_terms),
        notes=(
            *ratings.notes,
            *fit.notes,
        ),
    )


def _icc(fit: reml.Fit) -> dict[str, float]:
    """Return {formula: share} of the variance around the systems' means for each effect; empty if an SD is missing."""
    parts = {term: sd**2 for term, sd in fit.sds.items() if sd is not None}
    total = sum(parts.values()) + fit.residual_sd**2
    if len(parts) < len(fit.sds) or not total:
        return {}
    below = " + ".join([f"σ²({term})" for term in parts] + ["σ²(residual)"])
    return {f"ICC = σ²({term}) / ({below})": part / total for term, part in parts.items()}


def _covariates(inputs: AnalysisInput) -> tuple[Floats, list[str], list[str]]:
    """Return covariates for the groups of texts and the position in the session, their names, and notes."""
    rows = inputs.compared
    if not len(rows):
        raise NotEstimable(say("No rating counts yet."))
    columns, labels, notes = [], [], []
    levels = sorted(set(rows["dimension"]))
    if "" in levels:
        bare = int((rows["dimension"] == "").sum())
        one, several = (
            say("1 rating of clips without a dimension: dimensions are left out of this model."),
            say("{n} ratings of clips without a dimension: dimensions are left out of this model.", n=f"{bare:,}"),
        )
        notes.append(one if bare == 1 else several)
    elif len(levels) > 1:
        dimension = rows["dimension"].to_numpy()
        last = (dimension == levels[-1]).astype(np.float64)
        for level in levels[:-1]:
            columns.append((dimension == level) - last)
            labels.append(f"dimension: {level}")
    position = rows["position"].to_numpy().astype(np.float64)
    if np.ptp(position):
        columns.append(position)
        labels.append("position in the session")
    else:
        notes.append(say("All ratings stand at the same place of a session."))
    return np.column_stack(columns) if columns else np.zeros((len(rows), 0)), labels, notes


def _coefficient(name: Name, mean: float, error: float, df: float, ends: Floats) -> Coefficient:
    return Coefficient(
        name=name[0],
        kind=name[1],
        mean=float(mean),
        error=float(error),
        df=float(df),
        low=float(ends[0]),
        high=float(ends[1]),
    )


def _cut(row: bayes.SampledParameter, within: tuple[float, float]) -> bayes.SampledParameter:
    """Cut a mean's interval at the ends of the scale, as by REML."""
    low, high = np.clip((row.low, row.high), *within)
    return replace(row, low=float(low), high=float(high))


def _row(name: Name, row: bayes.SampledParameter) -> Posterior:
    return Posterior(name=name[0], kind=name[1], **asdict(row))
