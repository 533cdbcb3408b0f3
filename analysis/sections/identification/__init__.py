"""Whether a copy of one of two clips is recognised (ABX), for each system compared with the baseline."""

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


class Identification(Record):
    """All systems that were compared with the baseline, the one told apart most often first."""

    systems: tuple[SystemCopies, ...]
