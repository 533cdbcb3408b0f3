"""What plans and looks found, as their rows store it and as pages and commands read it."""

from __future__ import annotations

from typing import Any, Literal, Self

from analysis.sections.shared import Record


class Sds(Record):
    """SDs in units of the score: of raters, of their liking of a system, of clips, and of what is left."""

    rater: float
    slope: float
    clip: float
    residual: float

    def times(self, factor: float) -> Sds:
        return Sds(**{name: factor * value for name, value in self})


class PowerPoint(Record):
    """The power of so many raters, simulated (or by formula, with an error of 0) and by formula; for all pairs, too."""

    raters: int
    formula: float
    power: float
    error: float
    formula_all: float = 0.0
    power_all: float = 0.0
    error_all: float = 0.0


class Takes(Record):
    """What so many raters' usable ratings take: people who rate and to invite, answers with traps."""

    ratings: int
    tests_each: int
    sessions_each: int
    capacity: int
    raters: int
    invited: int
    answers: int
    ratings_a_clip: float
    ratings_wanted: int


class ByClips(Record):
    """The raters needed with other numbers of clips; None where no number is enough."""

    clips: int
    raters: int | None


class PowerResults(Record):
    """The raters that a difference needs, or the `best` power that any number has; `_all`: of all pairs at once.

    Plans of earlier releases were for one pair alone; of two systems there is no other.
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

    def times(self, factor: float) -> Self:
        """Return the same with scores and SDs multiplied by `factor`."""
        low, high = self.expected
        return self.model_copy(update={"expected": (factor * low, factor * high), "spread": self.spread.times(factor)})


class SystemWidth(Record):
    """The width of a system's interval; None where it has none yet."""

    name: str
    ratings: int
    raters: int
    clips: int
    width: float | None


class WidthResults(Record):
    """The width reached, what is left to the one wanted, and when that is reached at the present pace."""

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
        """Return the same with widths and SDs multiplied by `factor`."""
        systems = tuple(
            row.model_copy(update={"width": None if row.width is None else factor * row.width}) for row in self.systems
        )
        widest = None if self.widest is None else factor * self.widest
        return self.model_copy(update={"systems": systems, "widest": widest, "spread": self.spread.times(factor)})


class Contrast(Record):
    """`first` − `second` at a look, and the limits of |z| and p that it is held against."""

    first: str
    second: str
    limit: float
    p_limit: float


class TestedContrast(Contrast):
    """A contrast whose difference was tested; `z` is that of the normal with the same p."""

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
    # A sentence as `core.text.words.restored` reads it; looks of earlier releases have none.
    why: dict[str, Any] = {}


LookContrast = TestedContrast | UntestedContrast
