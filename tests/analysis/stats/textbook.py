"""Published examples as designs; their tables and sources are in `tests/bench/examples`."""

from __future__ import annotations

import numpy as np

from analysis.stats.design import Codes, Design, Floats
from tests.bench.examples import columns, matrix


def sleepstudy() -> Design:
    """Subjects are raters; days are a covariate."""
    at = columns("sleepstudy")
    return Design.of(at["reaction"], at["subject"], np.zeros(180), covariates=at["days"])


def machines() -> Design:
    """Workers are raters and machines are systems."""
    at = columns("machines")
    return Design.of(at["score"], at["worker"], at["machine"])


def dyestuff() -> Design:
    """Batches are raters."""
    at = columns("dyestuff2")
    return Design.of(at["yield"], at["batch"], np.zeros(30))


def penicillin() -> Design:
    """Plates are raters and samples are clips."""
    at = columns("penicillin")
    return Design.of(at["diameter"], at["plate"], np.zeros(144), at["sample"])


def wine() -> Design:
    """Judges are raters; warm and skin contact are covariates."""
    at = columns("wine")
    return Design.of(at["rating"], at["judge"], np.zeros(72), covariates=np.column_stack([at["warm"], at["contact"]]))


def soup() -> Design:
    """Respondents are raters and soups are systems."""
    at = columns("soup")
    count = at["count"].astype(int)
    return Design.of(*(np.repeat(at[name], count) for name in ("sureness", "respondent", "product")))


def cattle() -> Design:
    """Herds are raters and periods are systems; ill is 1."""
    at = columns("cbpp")
    ill, everyone = at["ill"].astype(int), at["all"].astype(int)
    score = np.concatenate(
        [np.repeat([1.0, 0.0], [sick, whole - sick]) for sick, whole in zip(ill, everyone, strict=True)]
    )
    return Design.of(score, np.repeat(at["herd"], everyone), np.repeat(at["period"], everyone))


def long(name: str) -> tuple[Floats, Codes, Codes]:
    """Return the known values of a table (units, raters), with the unit and the rater of each."""
    table = matrix(name)
    unit, rater = np.nonzero(~np.isnan(table))
    return table[unit, rater], unit, rater
