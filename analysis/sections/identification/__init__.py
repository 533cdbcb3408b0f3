"""Whether a difference from the baseline is heard: copies that are recognised (ABX), or same–different."""

from __future__ import annotations

from analysis.sections.shared import Record


class SystemCopies(Record):
    """Right answers on copies of a system's clips or the baseline's; no interval: `note` says why.

    `p` is that of at least as many right answers from guesses only. d′ has the ends of the share transformed; `d_high`
    is None if no d′ is too high.
    """

    name: str
    right: int
    answers: int
    share: float
    low: float | None
    high: float | None
    p: float
    d_prime: float
    d_low: float | None
    d_high: float | None
    raters: int
    note: str = ""


class SystemPairs(Record):
    """How often pairs of a system and the baseline were called different, and identical pairs of either.

    `gap` is the share of hits − that of false alarms, with its interval unless `note` says why there is none.
    """

    name: str
    different: int
    identical: int
    hits: float
    false_alarms: float
    gap: float
    low: float | None
    high: float | None
    d_prime: float
    raters: int
    note: str = ""


class Identification(Record):
    """All systems that were compared with the baseline, the one told apart most often first."""

    systems: tuple[SystemCopies, ...] = ()
    pairs: tuple[SystemPairs, ...] = ()
