"""What Earshot's engines compute from the examples, by the names of `reference.R` and `reference.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from analysis.stats import reliability, retest
from analysis.stats.agreement import Metric, cohen, fleiss, krippendorff
from analysis.stats.design import Design, Floats
from analysis.stats.intervals import pair
from analysis.stats.mixed import bayes, ordinal, reml
from analysis.stats.mixed.posterior import Prior
from analysis.stats.mixed.terms import CLIP, RATER, SLOPE
from analysis.stats.preferences.discrimination import abx_d_prime, same_different_d_prime
from analysis.stats.preferences.paired import choices_of
from analysis.stats.twoway import means
from tests.analysis.stats import textbook
from tests.analysis.stats.preferences import contests
from tests.bench.examples import matrix, source

Values = dict[str, float]

MACHINES = ("machine A", "machine B", "machine C")
TEAMS = ("Boston", "Cleveland", "Detroit", "Milwaukee", "New York", "Toronto")
METRICS: tuple[Metric, ...] = ("nominal", "ordinal", "interval", "ratio")


@dataclass(frozen=True, slots=True)
class Example:
    """An engine's values of an example, and the largest differences from a reference that are allowed.

    `bound` is absolute; `bounds` has other ones of single quantities. `share` is that of a standard error, its degrees
    of freedom (numerical derivatives) or a posterior SD (draws).
    """

    engine: str
    name: str
    source: str
    values: Callable[[], Values]
    bound: float
    bounds: Mapping[str, float] = field(default_factory=dict)
    share: float = 1e-4

    def largest(self, quantity: str, reference: float) -> float:
        """Return the largest allowed difference from a reference value of a quantity."""
        if quantity.endswith((": error", ": df", ": posterior SD")):
            return self.share * reference
        return self.bounds.get(quantity, self.bound)


def of_machines() -> Values:
    found = means(textbook.machines())
    first, apart = np.eye(3)[0], pair(3, 1, 0)
    alone, between = found.estimate(first), found.estimate(apart)
    return {
        "mean of machine A": alone.value,
        "its error": alone.error,
        "its degrees of freedom": alone.df,
        "machine B less A": between.value,
        "its error by workers": between.error,
        "the difference's degrees of freedom": between.df,
    }


def of_plates() -> Values:
    found = means(textbook.penicillin())
    estimate = found.estimate(np.ones(1))
    by_plate, by_sample = (float(np.sqrt(each.variance[0, 0])) for each in found.clusters)
    return {
        "mean": estimate.value,
        "error by plates": by_plate,
        "error by samples": by_sample,
        "two-way error": estimate.error,
    }


def fast(design: Design, fixed: Sequence[str], **sds: str) -> Values:
    """Fit the fast model; `sds` are the names of its SDs by term (rater, slope, clip)."""
    terms = {"rater": RATER, "slope": SLOPE, "clip": CLIP}
    found = reml.fit(design, tuple(terms[name] for name in sds), least_cells=0)
    return (
        named(fixed, found.coefficients)
        | named((f"{name}: error" for name in fixed), found.errors)
        | named((f"{name}: df" for name in fixed), found.df)
        | {name: found.sds[terms[term]] or 0.0 for term, name in sds.items()}
        | {"SD of the residual": found.residual_sd, "log-likelihood": found.log_likelihood}
    )


def of_sleepstudy() -> Values:
    return fast(textbook.sleepstudy(), ("mean", "slope of days"), rater="SD of subjects")


def of_penicillin() -> Values:
    return fast(textbook.penicillin(), ("mean",), rater="SD of plates", clip="SD of samples")


def of_workers() -> Values:
    return fast(textbook.machines(), MACHINES, rater="SD of workers", slope="SD of worker:machine")


def of_dyestuff() -> Values:
    return fast(textbook.dyestuff(), ("mean",), rater="SD of batches")


def of_wine() -> Values:
    found = ordinal.fit(textbook.wine(), (RATER,))
    slopes = named(("warm", "contact"), found.slopes) | named(("warm: error", "contact: error"), found.slope_errors)
    return slopes | steps(found) | {"SD of judges": found.sds[RATER] or 0.0, "log-likelihood": found.log_likelihood}


def of_soup() -> Values:
    found = ordinal.fit(textbook.soup())
    names = ("location of the reference", "location of the test")
    return (
        named(names, found.locations)
        | named((f"{name}: error" for name in names), found.location_errors)
        | steps(found)
        | {"SD of respondents": found.sds[RATER] or 0.0, "SD of respondent:product": found.sds[SLOPE] or 0.0}
        | {"log-likelihood": found.log_likelihood}
    )


def of_cattle() -> Values:
    found = ordinal.fit(textbook.cattle(), (RATER,))
    periods = [f"period {number}" for number in range(1, 5)]
    return (
        named(periods, found.locations)
        | named((f"{name}: error" for name in periods), found.location_errors)
        | {"SD of herds": found.sds[RATER] or 0.0, "log-likelihood": found.log_likelihood}
    )


def steps(found: ordinal.Ordinal) -> Values:
    apart = np.diff(found.thresholds)
    return named((f"threshold {at + 2} less {at + 1}" for at in range(len(apart))), apart)


def of_posterior() -> Values:
    found = bayes.fit(textbook.machines(), Prior.of_scale(40, 80), np.random.default_rng(1), least_cells=0)
    names = (*MACHINES, "SD of workers", "SD of worker:machine", "SD of the residual")
    rows = [*found.coefficients, *(row for row in found.sds.values() if row)]
    return named(names, [row.mean for row in rows]) | named(
        (f"{name}: posterior SD" for name in names), [row.sd for row in rows]
    )


def of_citations() -> Values:
    return strengths("citations", [f"{name} against Biometrika" for name in ("Comm Statist", "JASA", "JRSS-B")])


def of_baseball() -> Values:
    return strengths("baseball", [*(f"{team} against Baltimore" for team in TEAMS), "at home"], with_order=True)


def of_springall() -> Values:
    return strengths("springall", [*(f"mixture {number} against 1" for number in range(2, 10)), "log ν of ties"])


def strengths(name: str, names: Sequence[str], *, with_order: bool = False) -> Values:
    answers = contests.contest(name)
    values, errors = contests.estimates(choices_of(answers, with_order=with_order), len(answers.systems))
    return named(names, values) | named((f"{each}: error" for each in names), errors)


def of_observers() -> Values:
    values = textbook.long("observers")
    found = {metric: krippendorff(*values, metric, np.random.default_rng(1), draws=0).alpha for metric in METRICS}
    return {f"{metric} α": alpha or 0.0 for metric, alpha in found.items()}


def of_anxiety() -> Values:
    table = matrix("anxiety")
    first, second, person = table[:, 0], table[:, 1], np.arange(20)
    plain = cohen(first.astype(np.int64), second.astype(np.int64))
    weighted, twice = retest.weighted_kappa(first, second, person), retest.icc(first, second, person)
    assert plain is not None
    assert weighted is not None
    assert twice is not None
    score, unit, rater = textbook.long("anxiety")
    return {
        "Cohen's κ of raters 1 and 2": plain,
        "κ with quadratic weights": weighted.value,
        "ICC(A,1) of raters 1 and 2": twice.value,
        "ICC(A,1) of three raters": reliability.icc(score, rater, unit).single,
    }


def of_judges() -> Values:
    score, unit, rater = textbook.long("judges")
    found = reliability.icc(score, rater, unit)
    return {"ICC(2,1)": found.single, "ICC(2,4)": found.mean}


def of_diagnoses() -> Values:
    table = matrix("diagnoses")
    counts = np.stack([(table == category).sum(axis=1) for category in range(1, 6)], axis=1)
    return {"Fleiss’ κ of six raters": fleiss(counts) or 0.0}


def of_p910() -> Values:
    score, bias, spread = reliability.corrected(matrix("p910"))
    return {
        "score of video 1": float(score[0]),
        "score of video 11": float(score[10]),
        "score of video 30": float(score[29]),
        "bias of rater 1": float(bias[0]),
        "inconsistency of rater 1": float(spread[0]),
        "inconsistency of rater 12": float(spread[11]),
    }


def of_detection() -> Values:
    return {
        "d′ of ABX with .75 correct": abx_d_prime(0.75),
        "d′ of ABX with .90 correct": abx_d_prime(0.9),
        "d′ of same–different with .80 hits and .20 false alarms": same_different_d_prime(0.8, 0.2),
    }


def named(names: Iterable[str], values: Floats | Sequence[float]) -> Values:
    return dict(zip(names, map(float, values), strict=True))


def example(engine: str, name: str, values: Callable[[], Values], bound: float, **other: Any) -> Example:
    """Return an example with the source that its table names; `name` begins with that of the table."""
    return Example(engine, name, source(name.split(":")[0]), values, bound, **other)


EXAMPLES = (
    example("means, by raters", "machines: means", of_machines, 1e-7),
    example("means, by raters and clips", "penicillin: means", of_plates, 1e-7),
    example("fast model", "sleepstudy", of_sleepstudy, 1e-4),
    example("fast model", "penicillin", of_penicillin, 1e-4),
    example("fast model", "machines", of_workers, 1e-4),
    example("fast model", "dyestuff2", of_dyestuff, 1e-4),
    example("ordinal model", "wine", of_wine, 1e-4),
    example("ordinal model", "soup", of_soup, 1e-4),
    example("logistic model", "cbpp", of_cattle, 1e-4),
    # A tenth of a posterior SD.
    example(
        "Bayesian model",
        "machines: posterior",
        of_posterior,
        0.33,
        bounds={"SD of worker:machine": 0.12, "SD of the residual": 0.012},
        share=0.15,
    ),
    example("Bradley–Terry", "citations", of_citations, 1e-7),
    example("Bradley–Terry with order", "baseball", of_baseball, 1e-7),
    example("Davidson, with ties", "springall", of_springall, 1e-7),
    example("Krippendorff’s α", "observers", of_observers, 1e-7),
    example("κ and ICC", "anxiety", of_anxiety, 1e-5),
    example("ICC", "judges", of_judges, 1e-5),
    example("Fleiss’ κ", "diagnoses", of_diagnoses, 1e-7),
    example("corrected means", "p910", of_p910, 1e-6),
    Example("d′", "d′ tables", "Shares as in the tables of Macmillan and Creelman (2005).", of_detection, 1e-4),
)
