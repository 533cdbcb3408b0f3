"""When an item's raters disagree, it wants one more: how many places it has follows from its usable answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from raters.models import Rating, Trial
from studies.protocols.agreement import raters_needed
from studies.selectors.facts import Frozen
from studies.services.wanted import want_each

Mark = tuple[int, int, str]


def reopen(*, pools: Mapping[int, int], frozen: Frozen) -> dict[int, int]:
    """Return how many ratings these locked places want now, and write what has changed.

    `pools` are the numbers wanted so far; a withdrawn place goes on wanting none.
    """
    protocol = frozen.protocol
    if protocol.most_ratings is None:
        return dict(pools)
    found = _sheets(pools, frozen.kind.score.part)
    needed = {
        pool: raters_needed(found[pool], first=protocol.ratings_wanted, most=protocol.most_ratings) if wanted else 0
        for pool, wanted in pools.items()
    }
    want_each({pool: count for pool, count in needed.items() if count != pools[pool]})
    return needed


def _sheets(pools: Collection[int], part: str) -> defaultdict[int, list[frozenset[Mark]]]:
    """Return the usable sheets of each place in the order of answering; golden questions are no part of them."""
    rows = Rating.objects.filter(trial__pool__in=pools, trial__usable=True, part=part)
    marks: defaultdict[int, set[Mark]] = defaultdict(set)
    for trial, question, place, code in rows.values_list("trial_id", "question_id", "place", "code"):
        marks[trial].add((question or 0, place or 0, code))
    sheets: defaultdict[int, list[frozenset[Mark]]] = defaultdict(list)
    answered = Trial.objects.filter(pk__in=marks).order_by("answered_at", "pk")
    for trial, pool in answered.values_list("pk", "pool_id"):
        sheets[pool or 0].append(frozenset(marks[trial]))
    return sheets
