"""Tests and effect sizes of pairs of systems, next to the comparisons; none of them decides."""

from __future__ import annotations

from analysis.sections.shared import Record


class PairTest(Record):
    """One pair of systems: `first` − `second`. A figure is None if it can't be given.

    `raters` rated both systems and `texts` were heard of both (0: no text is shared); each has a p by sign flips.
    `wilcoxon` is p of the raters' differences. `equivalence` is p of two one-sided tests at the margin. `effect` is the
    difference over the SD of one rating within system, `sd`; older analyses lack it. `odds` with its interval is only
    for shares.
    """

    first: str
    second: str
    raters: int
    flips_raters: float | None
    wilcoxon: float | None
    texts: int
    flips_texts: float | None
    equivalence: float | None
    effect: float | None
    odds: float | None
    odds_low: float | None
    odds_high: float | None
    sd: float | None = None


class TextDifference(Record):
    """The difference of the two systems on one text, with its interval over raters; None below 5 raters of each."""

    text: str
    difference: float
    low: float | None
    high: float | None
    ratings: int


class ByText(Record):
    """Two systems by text: `first` − `second`; the largest difference first."""

    first: str
    second: str
    texts: tuple[TextDifference, ...]


class PairTests(Record):
    """All pairs; `margin` is that of the equivalence tests, or None. `is_share`: there are odds ratios.

    `primary` are the systems of the contrast named before the launch, or None. `by_text` is that contrast, otherwise
    that of the two highest scores; None if they share fewer than two texts.
    """

    pairs: tuple[PairTest, ...]
    margin: float | None
    is_share: bool
    primary: tuple[str, str] | None = None
    by_text: ByText | None = None
