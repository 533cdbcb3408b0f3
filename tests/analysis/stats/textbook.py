"""Data sets that R ships, whose results are printed in its manuals."""

from __future__ import annotations

import numpy as np

from analysis.stats.design import Design

# nlme: productivity scores of six workers on three machines, three times each (Pinheiro and Bates 2000, p. 22).
MACHINES = (
    "52 52.8 53.1 51.8 52.8 53.1 60 60.2 58.4 51.1 52.3 50.3 50.9 51.8 51.4 46.4 44.8 49.2 "
    "62.1 62.6 64 59.7 60 59 68.6 65.8 69.7 63.2 62.8 62.2 64.8 65 65.4 43.7 44.2 43 "
    "67.5 67.2 66.9 61.5 61.7 62.3 70.8 70.6 71 64.1 66.2 64 72.1 72 71.1 62 61.4 60.5"
)
# lme4: simulated yields of six batches without any difference between them.
DYESTUFF2 = (
    "7.298 3.846 2.434 9.566 7.99 5.22 6.556 .608 11.788 -.892 .11 10.386 13.434 5.51 8.166 2.212 4.852 7.092 9.288 "
    "4.98 .282 9.014 4.458 9.446 7.198 1.722 4.782 8.106 .758 3.758"
)
# lme4: diameters on 24 plates of six samples each.
PENICILLIN = (
    "27 23 26 23 23 21 27 23 26 23 23 21 25 21 25 24 24 20 26 23 25 23 23 20 25 22 26 22 23 20 24 22 25 23 22 19 "
    "24 20 23 21 22 19 26 22 26 24 24 21 24 21 24 22 22 20 24 21 24 23 22 19 26 23 26 24 24 21 25 22 26 24 24 20 "
    "26 24 26 24 25 22 26 23 26 23 23 20 26 23 25 24 24 22 25 22 25 23 23 20 25 21 24 23 23 20 25 22 24 23 23 19 "
    "24 21 23 21 21 19 26 23 26 24 24 21 25 21 24 22 22 18 25 22 25 22 22 20 24 21 24 22 24 19 24 21 24 22 21 18"
)
# ordinal: bitterness of wine, nine judges, 1 to 5 (Randall 1989).
WINE = (
    "2 3 3 4 4 4 5 5 1 2 1 3 2 3 5 4 2 3 3 2 5 5 4 4 3 2 3 2 3 2 5 3 2 3 4 3 3 3 3 3 3 2 3 2 2 4 5 4 1 1 2 2 2 3 2 3 "
    "2 2 2 3 3 3 3 4 1 2 3 2 3 2 4 4"
)
# lme4: cattle that fell ill, by herd and period: herd, period, ill, all.
CBPP_HERD = "1 1 1 1 2 2 2 3 3 3 3 4 4 4 4 5 5 5 5 6 6 6 6 7 7 7 7 8 " + " ".join(
    f"{herd} " * 4 for herd in range(9, 16)
)
CBPP_PERIOD = "1 2 3 4 1 2 3 " + "1 2 3 4 " * 5 + "1 " + "1 2 3 4 " * 7
CBPP_ILL = (
    "2 3 4 0 3 1 1 8 2 0 2 2 0 2 0 5 0 0 1 3 0 0 1 8 1 3 0 12 2 0 0 0 1 1 0 2 0 5 3 1 2 1 0 0 1 2 0 0 11 0 0 0 1 1 1 0"
)
CBPP_ALL = (
    "14 12 9 5 22 18 21 22 16 16 20 10 10 9 6 18 25 24 4 17 17 18 20 16 10 9 5 34 9 6 8 6 22 22 18 22 25 27 22 22 10 8 "
    "6 5 21 24 19 23 19 2 3 2 19 15 15 15"
)


def numbers(text: str) -> np.ndarray:
    return np.array(text.split(), dtype=float)


def machines() -> Design:
    """Workers are raters and machines are systems."""
    at = np.arange(54)
    return Design.of(numbers(MACHINES), at // 3 % 6, at // 18)


def dyestuff() -> Design:
    return Design.of(numbers(DYESTUFF2), np.arange(30) // 5, np.zeros(30))


def penicillin() -> Design:
    """Plates are raters and samples are clips."""
    at = np.arange(144)
    return Design.of(numbers(PENICILLIN), at // 6, np.zeros(144), at % 6)


def wine() -> Design:
    """Judges are raters; warm and skin contact are covariates."""
    at = np.arange(72)
    return Design.of(
        numbers(WINE), at // 8, np.zeros(72), covariates=np.stack([at % 8 // 4, at % 4 // 2], axis=1).astype(float)
    )


def cattle() -> Design:
    """Herds are raters and periods are systems; ill is 1."""
    ill, everyone = numbers(CBPP_ILL).astype(int), numbers(CBPP_ALL).astype(int)
    score = np.concatenate(
        [np.repeat([1.0, 0.0], [sick, whole - sick]) for sick, whole in zip(ill, everyone, strict=True)]
    )
    return Design.of(score, np.repeat(numbers(CBPP_HERD), everyone), np.repeat(numbers(CBPP_PERIOD), everyone))
