"""Cohen's kappa between two people who decide on the same things."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
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
    expected = _of_cells({cell: count / n for cell, count in Counter(pairs).items()})
    if expected.value is None:
        return Kappa(n, expected.observed, None, None, None)
    error = expected.deviation / sqrt(n)
    if n < FEWEST or error < 1e-6:
        return Kappa(n, expected.observed, expected.value, None, None)
    reach = NormalDist().inv_cdf(0.5 + level / 2) * error
    low, high = max(-1.0, expected.value - reach), min(1.0, expected.value + reach)
    return Kappa(n, expected.observed, expected.value, low, high)


def pairs_needed(*, kappa: float, share: float, half_width: float, level: float = 0.95) -> int:
    """Return the things on which two people decide, for an interval of ± `half_width` around an expected `kappa`.

    Both say yes of the same `share` (0 to 1, exclusive) of all. The inverse of the interval above, as in Cantor (1996,
    Psychological Methods 1, 150); at least `FEWEST`.
    """
    alike = share * (1 - share) * kappa
    apart = share * (1 - share) - alike
    cells = {
        ("yes", "yes"): share**2 + alike,
        ("no", "no"): (1 - share) ** 2 + alike,
        ("yes", "no"): apart,
        ("no", "yes"): apart,
    }
    reach = NormalDist().inv_cdf(0.5 + level / 2) * _of_cells(cells).deviation
    return max(FEWEST, ceil((reach / half_width) ** 2 - 1e-9))


@dataclass(frozen=True, slots=True)
class _OfShares:
    """Agreement by the shares of pairs; `deviation` is the standard error of `value` times √pairs."""

    observed: float
    value: float | None
    deviation: float


def _of_cells(cells: Mapping[tuple[str, str], float]) -> _OfShares:
    """Return kappa and its error by the share of each pair of decisions."""
    rows: defaultdict[str, float] = defaultdict(float)
    columns: defaultdict[str, float] = defaultdict(float)
    for (first, second), share in cells.items():
        rows[first] += share
        columns[second] += share
    codes = sorted(set(rows) | set(columns))
    observed = sum(cells.get((code, code), 0.0) for code in codes)
    chance = sum(rows[code] * columns[code] for code in codes)
    if chance >= 1 - 1e-12:
        return _OfShares(observed, None, 0.0)
    value = (observed - chance) / (1 - chance)
    # Equation 13 of the 1969 paper: A + B − C.
    a = sum(cells.get((code, code), 0.0) * (1 - (rows[code] + columns[code]) * (1 - value)) ** 2 for code in codes)
    b = (1 - value) ** 2 * sum(
        share * (columns[first] + rows[second]) ** 2 for (first, second), share in cells.items() if first != second
    )
    c = (value - chance * (1 - value)) ** 2
    return _OfShares(observed, value, sqrt(max(0.0, a + b - c)) / (1 - chance))
