"""Choose the test clips of a batch: balanced first, then least rated, random among equals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random
from typing import NamedTuple


class PlaceCandidate(NamedTuple):
    """A free place in the pool."""

    pool: int
    item: int
    cell: int
    system: int
    dimension: str
    text: int | None
    taken: int
    human: bool = False
    role: str = "test"


def per_cell(wanted: int, cells: int, attempt: int = 0) -> int:
    """Return how many candidates to read in each cell so that `wanted` distinct texts are likely among them."""
    return min(wanted, -(-2 * wanted // max(cells, 1)) + 1) + 2 * attempt


def choose(
    candidates: Iterable[PlaceCandidate],
    wanted: int,
    rng: Random,
    *,
    chosen: Sequence[PlaceCandidate] = (),
    human_share: float | None = None,
    distinct_texts: bool = True,
) -> list[PlaceCandidate]:
    """Pick up to `wanted` more candidates so that systems, then dimensions, stay within one of each other.

    `chosen` are places already taken for this batch. With `human_share`, human recordings get that share of the batch,
    rounded at random so that it holds on average; the other systems are balanced among themselves. Costs O(wanted ×
    candidates).
    """
    left = list(candidates)
    rng.shuffle(left)
    systems = Counter(candidate.system for candidate in chosen)
    dimensions = Counter(candidate.dimension for candidate in chosen)
    texts = {candidate.text for candidate in chosen}
    items = {candidate.item for candidate in chosen}
    humans = sum(candidate.human for candidate in chosen)
    quota = None
    if human_share is not None:
        exact = human_share * (wanted + len(chosen))
        quota = int(exact) + (rng.random() < exact - int(exact))
    picked: list[PlaceCandidate] = []
    while len(picked) < wanted:
        best: PlaceCandidate | None = None
        best_rank: tuple[int, int, int, int] | None = None
        for candidate in left:
            if candidate.item in items or (distinct_texts and candidate.text is not None and candidate.text in texts):
                continue
            over_quota = 0 if quota is None else int(candidate.human != (humans < quota))
            rank = (over_quota, systems[candidate.system], dimensions[candidate.dimension], candidate.taken)
            if best_rank is None or rank < best_rank:
                best, best_rank = candidate, rank
        if best is None:
            break
        picked.append(best)
        systems[best.system] += 1
        dimensions[best.dimension] += 1
        texts.add(best.text)
        items.add(best.item)
        humans += best.human
    return picked
