"""Results of plans and interim analyses, as stored and as read by pages and commands."""

from __future__ import annotations

from typing import Any, Literal, Self

from analysis.sections.shared import Record


class Sds(Record):
    """SDs in units of the score: of raters, of raters' preferences for systems, of clips, and residual."""

    rater: float
    slope: float
    clip: float
    residual: float

    def times(self, factor: float) -> Sds:
        return Sds(**{name: factor * value for name, value in self})


class PowerPoint(Record):
    """The power of a number of raters, simulated (or by formula, with error 0) and by formula; `_all`: of all pairs."""

    raters: int
    formula: float
    power: float
    error: float
    formula_all: float = 0.0
    power_all: float = 0.0
    error_all: float = 0.0


class Costs(Record):
    """The pay of all sessions, without and with the platform's fee (None if unknown); `minutes` of one session."""

    minutes: int
    currency: str
    pay: float | None = None
    with_fee: float | None = None


class Takes(Record):
    """The effort for usable ratings of a number of raters: raters, invitations, and answers including traps."""

    ratings: int
    tests_each: int
    sessions_each: int
    capacity: int
    raters: int
    invited: int
    answers: int
    ratings_a_clip: float
    ratings_wanted: int
    costs: Costs | None = None


class ByClips(Record):
    """The raters needed with another number of clips; None if no number is enough; `_all`: of all pairs."""

    clips: int
    raters: int | None
    raters_all: int | None = None


class Verdict(Record):
    """What "not inferior" at `margin` takes, for a system as good as human speech of the expected score `human`.

    `at_ceiling`: the fewest raters, and texts, if both always pass. `human` is None if simulated listeners never give
    the usual score.
    """

    margin: float
    at_ceiling: int
    human: float | None = None
    by_clips: tuple[ByClips, ...] = ()

    def times(self, factor: float) -> Verdict:
        return self.model_copy(update={"human": None if self.human is None else factor * self.human})


class PowerResults(Record):
    """The raters that a difference needs, or the `best` power of any number of raters; `_all`: of all pairs at once.

    Plans of earlier releases, and those of two systems, are for one pair only.
    """

    expected: tuple[float, float]
    spread: Sds
    is_simulated: bool
    points: tuple[PowerPoint, ...]
    pairs: int = 1
    needed: int | None
    needed_all: int | None = None
    takes_all: Takes | None = None
    best_all: float | None = None
    takes: Takes | None
    by_clips: tuple[ByClips, ...]
    best: float | None
    # The power of `needed` raters, by formula, if some of them answer at random.
    careless: float | None = None
    verdict: Verdict | None = None
    # Clips of each system within a dimension; empty if there is one dimension only.
    by_dimension: tuple[ByClips, ...] = ()

    def times(self, factor: float) -> Self:
        """Return a copy with scores and SDs multiplied by `factor`."""
        low, high = self.expected
        shown = {"expected": (factor * low, factor * high), "spread": self.spread.times(factor)}
        return self.model_copy(update={**shown, "verdict": self.verdict and self.verdict.times(factor)})


class SystemWidth(Record):
    """The width of a system's interval; None if it has none yet."""

    name: str
    ratings: int
    raters: int
    clips: int
    width: float | None


class WidthResults(Record):
    """Current and target interval width, and the date the target is reached at the current pace."""

    systems: tuple[SystemWidth, ...]
    widest: float | None
    reached: bool
    ratings: int
    raters: int
    raters_needed: int | None
    left: int | None
    pace: float
    date: str | None
    spread: Sds

    def times(self, factor: float) -> Self:
        """Return a copy with widths and SDs multiplied by `factor`."""
        systems = tuple(
            row.model_copy(update={"width": None if row.width is None else factor * row.width}) for row in self.systems
        )
        widest = None if self.widest is None else factor * self.widest
        return self.model_copy(update={"systems": systems, "widest": widest, "spread": self.spread.times(factor)})


class Contrast(Record):
    """`first` − `second` in an interim analysis, and the limits for |z| and p."""

    first: str
    second: str
    limit: float
    p_limit: float


class TestedContrast(Contrast):
    """A contrast that was tested; `z` is the normal quantile with the same p."""

    difference: float
    error: float
    z: float
    p: float
    method: str = ""
    verdict: Literal["crossed", "open"]


class UntestedContrast(Contrast):
    """A contrast that can't be tested yet, and why: too few raters, texts or different answers (rule D12)."""

    verdict: Literal["impossible"]
    difference: float | None
    error: float | None
    z: None
    p: None
    # A sentence in the format of `core.text.words.restored`; missing in looks of earlier releases.
    why: dict[str, Any] = {}


LookContrast = TestedContrast | UntestedContrast
