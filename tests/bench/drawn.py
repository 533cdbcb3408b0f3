"""Studies drawn at random, with known truth: for `tests.bench.coverage`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtri

from analysis.stats.design import Codes, Design, Floats

# Cut points of the latent scale, and the scores of the categories between them.
SCALES = {
    "Human or Machine": ((0.0,), (0.0, 1.0)),
    "with Unclear": ((-0.3, 0.3), (0.0, 0.5, 1.0)),
    "five points": ((-2.2, -0.8, 0.8, 2.2), (1.0, 2.0, 3.0, 4.0, 5.0)),
    "21 points": (tuple(np.linspace(-4, 4, 20)), tuple(np.linspace(0, 100, 21))),
}
# No session has more ratings.
LONGEST = 60
CEILING, FLOOR = 0.96, 0.04
NODES = np.polynomial.hermite_e.hermegauss(80)


@dataclass(frozen=True)
class Study:
    """One study of a drawn kind: its ratings, and the place (n,) on the logistic scale of the clip of each."""

    drawn: Drawn
    design: Design
    places: Floats

    @cached_property
    def shares(self) -> Floats:
        """The expected share of each category (g, K) for the clips of this study, as often as each was rated."""
        places, clip = np.unique(self.places, return_inverse=True)
        by_rating = self.drawn.shares_of_clips(places)[clip]
        ratings = np.bincount(self.design.system)
        return np.stack([np.bincount(self.design.system, column) / ratings for column in by_rating.T], axis=1)

    @property
    def heard(self) -> Floats:
        """The crowd's expected scores of the systems (g,) for the clips of this study."""
        return self.drawn.scores(self.shares)


@dataclass(frozen=True)
class Drawn:
    """A kind of study, drawn by `Drawn.by`.

    `sds` are those of raters, of their liking of a system, and of texts, on the logistic scale; a text as a system
    speaks it differs by half of the SD of texts, a take by .2. Everyone rates `each` clips; with `half` one rater
    hears everything and gives half of all ratings. `careless` is the share of raters who answer at random. `parts`
    (systems,) are the systems' shares of the ratings. `middle` is the place of the systems' middle on the scale, from
    0 to 1, `spread` their range on the logistic scale.
    """

    scale: str
    raters: int
    texts: int
    takes: int
    is_shared: bool
    sds: tuple[float, float, float]
    careless: float
    half: bool
    parts: tuple[float, ...]
    middle: float
    spread: float
    each: int

    @classmethod
    def by(cls, rng: np.random.Generator) -> Drawn:
        raters, systems = round(np.exp(rng.uniform(np.log(5), np.log(200)))), int(rng.integers(2, 13))
        end = rng.choice(["", "ceiling", "floor"], p=[0.7, 0.15, 0.15])
        texts = int(rng.integers(5, 11)) if end else round(np.exp(rng.uniform(np.log(3), np.log(100))))
        each = min(max(2 * systems, int(rng.integers(10, LONGEST))), systems * texts)
        parts = rng.uniform(0.3, 1, systems) if rng.random() < 0.3 else np.ones(systems)
        rater, text = rng.uniform(0, 1.5, 2)
        return cls(
            scale=str(rng.choice(list(SCALES))),
            raters=raters,
            texts=texts,
            takes=int(rng.choice([1, 1, 2, 3])),
            is_shared=bool(rng.random() < 0.5),
            sds=(float(rater), float(rng.uniform(0, 0.6)), float(text)),
            careless=0.2 if rng.random() < 0.25 else 0.0,
            half=bool(rng.random() < 0.15) and 5 < raters <= systems * texts,
            parts=tuple(parts / parts.sum()),
            middle={"": 0.5, "ceiling": CEILING, "floor": FLOOR}[str(end)],
            spread=0.0 if end else float(rng.uniform(0, 1.5)),
            each=each,
        )

    def __str__(self) -> str:
        rater, liking, text = self.sds
        facts = [
            f"{len(self.parts)} systems, {self.raters} raters",
            f"{self.texts} {'shared' if self.is_shared else 'own'} texts",
            f"{self.each} ratings each, {self.scale}",
            f"SDs {rater:.1f}, {liking:.1f}, {text:.1f}",
            *([f"{self.takes} takes"] if self.takes > 1 else []),
            *(["one rater has half"] if self.half else []),
            *([f"{self.careless:.0%} careless"] if self.careless else []),
            *(["unbalanced"] if len(set(self.parts)) > 1 else []),
            *([f"middle at {self.middle}"] if self.is_at_end else []),
        ]
        return ", ".join(facts)

    @property
    def is_at_end(self) -> bool:
        return self.middle in (CEILING, FLOOR)

    @property
    def ends(self) -> tuple[float, float]:
        levels = SCALES[self.scale][1]
        return levels[0], levels[-1]

    @cached_property
    def places(self) -> Floats:
        """The systems' places on the logistic scale; a careful crowd's mean of the middle is `middle`."""
        low, high = self.ends

        def off(place: float) -> float:
            careful = self._shares(np.array([place]))[0] @ np.array(SCALES[self.scale][1])
            return float((careful - low) / (high - low)) - self.middle

        middle = float(brentq(off, -30, 30))
        return middle + np.linspace(-self.spread / 2, self.spread / 2, len(self.parts))

    @cached_property
    def shares(self) -> Floats:
        """The expected share of each category (systems, K), over raters, texts and takes."""
        careful = self._shares(self.places)
        return self._with_careless(careful)

    @property
    def truth(self) -> Floats:
        return self.scores(self.shares)

    def scores(self, shares: Floats) -> Floats:
        """Return the expected scores (g,) for shares (g, K) of the categories."""
        return shares @ np.array(SCALES[self.scale][1])

    def detection(self, shares: Floats) -> tuple[float, float]:
        """Return d′, by the highest category, and AUC of the last system against all others for shares (g, K)."""
        human, other = shares[-1], np.array(self.parts[:-1]) / sum(self.parts[:-1]) @ shares[:-1]
        return float(ndtri(human[-1]) - ndtri(other[-1])), float(human @ (np.cumsum(other) - other / 2))

    def shares_of_clips(self, places: Floats) -> Floats:
        """Return the crowd's expected shares (n, K) of the categories for clips at these places on the scale."""
        rater, liking, _text = self.sds
        return self._with_careless(self._spread(places, np.hypot(rater, liking)))

    def _with_careless(self, careful: Floats) -> Floats:
        shares: Floats = (1 - self.careless) * careful + self.careless / careful.shape[1]
        return shares

    def _shares(self, places: Floats) -> Floats:
        rater, liking, text = self.sds
        # Answers differ by a logistic variable, everything else by a Normal one.
        return self._spread(places, np.sqrt(rater**2 + liking**2 + 1.25 * text**2 + (0.04 if self.takes > 1 else 0)))

    def _spread(self, places: Floats, spread: float) -> Floats:
        """Return the shares (n, K) of the categories at `places` (n,), averaged over a Normal variable of this SD."""
        nodes, weights = NODES
        cuts = np.array(SCALES[self.scale][0])
        above = expit(places[:, None, None] + spread * nodes[None, :, None] - cuts)
        above = np.tensordot(above, weights / weights.sum(), axes=(1, 0))
        edges = np.hstack([np.ones((len(places), 1)), above, np.zeros((len(places), 1))])
        shares: Floats = edges[:, :-1] - edges[:, 1:]
        return shares

    def study(self, rng: np.random.Generator, *, is_null: bool = False) -> Study:
        """Draw one study; with `is_null` all systems are equal."""
        systems, (rater, liking, text) = len(self.parts), self.sds
        who, which, place, take = self._heard(rng)
        spoken = place if self.is_shared else which * self.texts + place
        texts = self.texts if self.is_shared else self.texts * systems
        latent = np.full(len(who), self.places.mean()) if is_null else self.places[which]
        of_rater = rng.normal(0, rater, self.raters)[who]
        of_rater += rng.normal(0, liking, (self.raters, systems))[who, which]
        latent = latent + rng.normal(0, text, texts)[spoken] + rng.normal(0, text / 2, (texts, systems))[spoken, which]
        if self.takes > 1:
            latent += rng.normal(0, 0.2, (texts, systems, self.takes))[spoken, which, take]
        heard, latent = latent, latent + of_rater + rng.logistic(size=len(who))
        cuts, levels = SCALES[self.scale]
        category = np.searchsorted(np.array(cuts), latent)
        is_careless = (rng.random(self.raters) < self.careless)[who]
        category = np.where(is_careless, rng.integers(0, len(levels), len(who)), category)
        clip = (spoken * systems + which) * self.takes + take
        return Study(self, Design.of(np.array(levels)[category], who, which, clip, spoken), heard)

    def _heard(self, rng: np.random.Generator) -> tuple[Codes, Codes, Codes, Codes]:
        """Return who heard which system, text and take; nobody hears a text of a system twice."""
        systems = len(self.parts)
        cells = systems * self.texts
        # The largest of these keys are a sample without replacement, in proportion to the parts.
        keys = rng.gumbel(size=(self.raters, cells)) + np.repeat(np.log(self.parts), self.texts)
        order = np.argsort(-keys, axis=1)
        counts = np.full(self.raters, min(self.each, cells))
        if self.half:
            counts[0] = cells
            counts[1:] = max(1, round(cells / (self.raters - 1)))
        is_heard = np.arange(cells) < counts[:, None]
        who = np.repeat(np.arange(self.raters), counts)
        which, place = np.divmod(order[is_heard], self.texts)
        return who, which, place, rng.integers(0, self.takes, len(who))
