"""Cohen's kappa between two people who decide on the same things."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

SOURCE = "Cohen (1960), interval by the large-sample standard error of Fleiss, Cohen and Everitt (1969)"
# With fewer pairs, the standard error means little.
FEWEST = 10


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement beyond chance over `pairs`, −1 to 1; `observed` is the plain share of pairs that agree.

    `value` is None if everybody would agree by chance alone; the interval is also None if it would have no width, or
    with fewer than ten pairs.
    """

    pairs: int
    observed: float
    value: float | None
    low: float | None
    high: float | None


def kappa(pairs: Sequence[tuple[str, str]], *, level: float = 0.95) -> Kappa | None:
    """Return Cohen's kappa of (first, second) decisions with its interval; None without pairs.

    κ = (p_o − p_e) / (1 − p_e). Who is first of a pair is the order of deciding: with more than two experts, this is
    the agreement of one expert of the study with another, and no two columns are the same two people.
    """
    if not pairs:
        return None
    n = len(pairs)
    cells = {cell: count / n for cell, count in Counter(pairs).items()}
    rows: defaultdict[str, float] = defaultdict(float)
    columns: defaultdict[str, float] = defaultdict(float)
    for (first, second), share in cells.items():
        rows[first] += share
        columns[second] += share
    codes = sorted(set(rows) | set(columns))
    observed = sum(cells.get((code, code), 0.0) for code in codes)
    chance = sum(rows[code] * columns[code] for code in codes)
    if chance >= 1 - 1e-12:
        return Kappa(n, observed, None, None, None)
    value = (observed - chance) / (1 - chance)
    # Equation 13 of the 1969 paper: A + B − C.
    a = sum(cells.get((code, code), 0.0) * (1 - (rows[code] + columns[code]) * (1 - value)) ** 2 for code in codes)
    b = (1 - value) ** 2 * sum(
        share * (columns[first] + rows[second]) ** 2 for (first, second), share in cells.items() if first != second
    )
    c = (value - chance * (1 - value)) ** 2
    error = sqrt(max(0.0, a + b - c) / n) / (1 - chance)
    if n < FEWEST or error < 1e-6:
        return Kappa(n, observed, value, None, None)
    reach = NormalDist().inv_cdf(0.5 + level / 2) * error
    return Kappa(n, observed, value, max(-1.0, value - reach), min(1.0, value + reach))
