"""The part of a report on mixed models, and whether they may be believed."""

from __future__ import annotations

from typing import Any

from analysis.plots.words import Scale, scale_of
from analysis.sections.mixed_models import posterior
from analysis.sections.parts import Part, Results, name_of, scaled
from analysis.sections.stored import is_there, section
from analysis.sections.tables import Cell, Column, Table

FAST = {
    "fast": "Fast model (REML)",
    "clips": "Fast model with clips and texts",
    "adjusted": "Fast model adjusted for dimension and position",
}

BAYES_CLIPS = "Bayesian mixed model with clips and texts"
BAYES_TITLE = "Bayesian mixed model of {score}, with clips and texts"
ANSWERS = {
    "answers": ("Ordinal or logistic model", ""),
    "answers_clips": ("Ordinal or logistic model with clips and texts", " with clips and texts"),
}


def part(results: Results) -> Part:
    """Return every model that could be fitted, and why the others could not."""
    whole = section(results, "models")
    if not is_there(whole):
        return Part("models", "Mixed models", refused=whole["refused"])
    scale = scale_of(results)
    tables: list[Table] = []
    refused: list[str] = []
    bayes = section(results, "models", "bayes")
    tables.append(posterior.of_results(results, "Bayesian mixed model of {score}", name="model_bayes"))
    with_clips = section(results, "models", "bayes_clips")
    if is_there(with_clips):
        tables.append(posterior.of_results(results, BAYES_TITLE, name="model_bayes_clips", model="bayes_clips"))
    else:
        refused.append(f"{BAYES_CLIPS}: {with_clips['refused']}")
    for key, title in FAST.items():
        found = section(results, "models", key)
        if is_there(found):
            tables.append(_fast(key, title, found, scale))
        else:
            refused.append(f"{title}: {found['refused']}")
    for key, (title, addition) in ANSWERS.items():
        found = section(results, "models", key)
        if is_there(found):
            tables.append(_latent(key, addition, found, scale))
        else:
            refused.append(f"{title}: {found['refused']}")
    plots = ("posterior",) if is_there(bayes) else ()
    return Part("models", "Mixed models and their diagnostics", tuple(refused), tuple(tables), plots)


def _fast(key: str, title: str, found: dict[str, Any], scale: Scale) -> Table:
    digits = scale.digits + 2
    rows: list[tuple[Cell, ...]] = [
        (name_of(row), *scaled([row["mean"], row["error"], row["low"], row["high"]], scale), row["df"])
        for row in (*found["systems"], *found["covariates"])
    ]
    rows += [
        (posterior.SDS.get(name, f"SD of {name}"), *scaled([sd], scale), None, None, None, None)
        for name, sd in (*found["sds"].items(), ("residual", found["residual_sd"]))
    ]
    heads = ("Estimate", "SE", "Low", "High")
    columns = (Column("Parameter"), *(Column(head, digits) for head in heads), Column("df", 1))
    notes = [
        f"{found['formula']}; log-likelihood {found['log_likelihood']:.2f}; {found['ratings']:,} ratings of "
        f"{found['raters']:,} raters.",
        *(f"{formula} = {value:.3f}." for formula, value in found["icc"].items()),
        *([f"The model speaks {found['scope']}."] if found["scope"] else []),
        *found["notes"],
    ]
    return Table(f"model_{key}", title, columns, tuple(rows), tuple(notes))


def _latent(key: str, addition: str, found: dict[str, Any], scale: Scale) -> Table:
    digits = scale.digits + 2
    rows: list[tuple[Cell, ...]] = [
        (name_of(row), row["location"], row["error"], *scaled([row["score"], row["low"], row["high"]], scale))
        for row in found["systems"]
    ]
    rows += [
        (posterior.SDS.get(name, f"SD of {name}") + (" (approximate)" if name in found["approximate"] else ""), sd,
         None, None, None, None)
        for name, sd in found["sds"].items()
    ]  # fmt: skip
    columns = (
        Column("Parameter"), Column("Log-odds", 3), Column("SE", 3), Column(f"{scale.name}, averaged", digits),
        Column("Low", digits), Column("High", digits),
    )  # fmt: skip
    notes = (
        f"{found['formula']}; log-likelihood {found['log_likelihood']:.2f}; {found['ratings']:,} ratings of "
        f"{found['raters']:,} raters. Log-odds are those of a typical rater; the scores are averaged over "
        f"{'raters' if found['scope'] else 'raters and clips'}.",
        *(
            [f"Thresholds: {', '.join(f'{value:.3f}' for value in found['thresholds'])}."]
            if found["thresholds"]
            else []
        ),
        *([f"The model speaks {found['scope']}."] if found["scope"] else []),
        *found["notes"],
    )
    return Table(f"model_{key}", f"{found['model'].capitalize()} mixed model{addition}", columns, tuple(rows), notes)
