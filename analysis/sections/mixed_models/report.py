"""The part of a report on mixed models, and whether they may be believed."""

from __future__ import annotations

from analysis.plots.words import Scale
from analysis.sections.mixed_models import posterior
from analysis.sections.mixed_models.result import Fast, Ordinal
from analysis.sections.parts import Part, name_of, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table

FAST = {
    "fast": "Fast model (REML)",
    "clips": "Fast model with clips and texts",
    "adjusted": "Fast model adjusted for dimension and position",
}

BAYES_CLIPS = "Bayesian mixed model with clips and texts"
BAYES_TITLE = "Bayesian mixed model of {score}"
BAYES_CLIPS_TITLE = "Bayesian mixed model of {score}, with clips and texts"
ANSWERS = {
    "answers": ("Ordinal or logistic model", ""),
    "answers_clips": ("Ordinal or logistic model with clips and texts", " with clips and texts"),
}


def part(results: Results) -> Part:
    """Return every model that could be fitted, and why the others could not."""
    models = results.models
    if isinstance(models, Refusal):
        return Part("models", "Mixed models", refused=models.refused)
    scale = scale_of(results)
    refused: list[str] = []
    tables = [posterior.of_model(models.bayes, "model_bayes", BAYES_TITLE.format(score=scale.name))]
    if isinstance(models.bayes_clips, Refusal):
        refused.append(f"{BAYES_CLIPS}: {models.bayes_clips.refused}")
    else:
        title = BAYES_CLIPS_TITLE.format(score=scale.name)
        tables.append(posterior.of_model(models.bayes_clips, "model_bayes_clips", title))
    fast = {"fast": models.fast, "clips": models.clips, "adjusted": models.adjusted}
    for key, fit in fast.items():
        if isinstance(fit, Refusal):
            refused.append(f"{FAST[key]}: {fit.refused}")
        else:
            tables.append(_fast(key, FAST[key], fit, scale))
    answers = {"answers": models.answers, "answers_clips": models.answers_clips}
    for key, model in answers.items():
        title, addition = ANSWERS[key]
        if isinstance(model, Refusal):
            refused.append(f"{title}: {model.refused}")
        else:
            tables.append(_latent(key, addition, model, scale))
    plots = () if isinstance(models.bayes, Refusal) else ("posterior",)
    return Part("models", "Mixed models and their diagnostics", tuple(refused), tuple(tables), plots)


def _fast(key: str, title: str, fit: Fast, scale: Scale) -> Table:
    digits = scale.digits + 2
    rows: list[tuple[Cell, ...]] = [
        (name_of(row), *scaled([row.mean, row.error, row.low, row.high], scale), row.df)
        for row in (*fit.systems, *fit.covariates)
    ]
    rows += [
        (posterior.SDS.get(name, f"SD of {name}"), *scaled([sd], scale), None, None, None, None)
        for name, sd in (*fit.sds.items(), ("residual", fit.residual_sd))
    ]
    heads = ("Estimate", "SE", "Low", "High")
    columns = (Column("Parameter"), *(Column(head, digits) for head in heads), Column("df", 1))
    notes = [
        f"{fit.formula}; log-likelihood {fit.log_likelihood:.2f}; {fit.ratings:,} ratings of {fit.raters:,} raters.",
        *(f"{formula} = {value:.3f}." for formula, value in fit.icc.items()),
        *([f"The model speaks {fit.scope}."] if fit.scope else []),
        *fit.notes,
    ]
    return Table(f"model_{key}", title, columns, tuple(rows), tuple(notes))


def _latent(key: str, addition: str, model: Ordinal, scale: Scale) -> Table:
    digits = scale.digits + 2
    rows: list[tuple[Cell, ...]] = [
        (name_of(row), row.location, row.error, *scaled([row.score, row.low, row.high], scale)) for row in model.systems
    ]
    rows += [
        (posterior.SDS.get(name, f"SD of {name}") + (" (approximate)" if name in model.approximate else ""), sd,
         None, None, None, None)
        for name, sd in model.sds.items()
    ]  # fmt: skip
    columns = (
        Column("Parameter"), Column("Log-odds", 3), Column("SE", 3), Column(f"{scale.name}, averaged", digits),
        Column("Low", digits), Column("High", digits),
    )  # fmt: skip
    notes = (
        f"{model.formula}; log-likelihood {model.log_likelihood:.2f}; {model.ratings:,} ratings of "
        f"{model.raters:,} raters. Log-odds are those of a typical rater; the scores are averaged over "
        f"{'raters' if model.scope else 'raters and clips'}.",
        *([f"Thresholds: {', '.join(f'{value:.3f}' for value in model.thresholds)}."] if model.thresholds else []),
        *([f"The model speaks {model.scope}."] if model.scope else []),
        *model.notes,
    )
    return Table(f"model_{key}", f"{model.model.capitalize()} mixed model{addition}", columns, tuple(rows), notes)
