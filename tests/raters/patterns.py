"""Find what goes with a clip's role or system more closely than chance explains."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from math import comb
from typing import Any

from scipy import stats

from tests.raters.decoded import json_leaves
from tests.raters.exchanges import Exchange, Found, Leak, Log, Truth, grouped

# How rarely chance alone may do it before it counts as a pattern.
RARE = 1e-5
# Of fewer, not even a perfect match is so rare: 1 / comb(19, 9), and z² of a rank test is at most n - 1.
FEWEST = 20
RELATIONS = ("past", "now", "next")


def chance(log: Log) -> Found:
    """Find anything that goes with roles or systems more closely than chance explains."""
    for relation in RELATIONS:

        def key(exchange: Exchange, relation: str = relation) -> Any:
            return exchange.group if getattr(exchange, relation) else None

        for group, exchanges in grouped(log.dynamic, key):
            if len({(exchange.rater, getattr(exchange, relation)) for exchange in exchanges}) < FEWEST:
                continue
            # Several looks at one trial are one observation.
            seen: dict[tuple[str, Truth], set[str]] = defaultdict(set)
            amounts: dict[str, dict[tuple[str, Truth], float]] = defaultdict(dict)
            for exchange in exchanges:
                unit = (exchange.rater, getattr(exchange, relation))
                seen[unit] |= features(exchange)
                for name, amount in measures(exchange):
                    amounts[name][unit] = amount
            where = " ".join(map(str, group))
            truths = [truth for _rater, truth in seen]
            for trait in sorted(set().union(*seen.values())):
                for target, probability in associations(truths, [trait in traits for traits in seen.values()]):
                    yield Leak("pattern", where, f"{trait} goes with {target} of the {relation} clip ({probability})")
            for name, values in amounts.items():
                for target, probability in differences(values):
                    yield Leak("pattern", where, f"{name} goes with {target} of the {relation} clip ({probability})")


def targets(truths: Sequence[Truth]) -> Iterator[tuple[str, list[bool]]]:
    """Yield what nobody may guess: whether it is a trap, each role, each system."""
    yield "being a trap", [truth.is_trap for truth in truths]
    for role in sorted({truth.role for truth in truths}):
        yield f"role {role}", [truth.role == role for truth in truths]
    for system in sorted({truth.system for truth in truths}):
        yield f"system {system}", [truth.system == system for truth in truths]


def associations(truths: Sequence[Truth], has: Sequence[bool]) -> Iterator[tuple[str, str]]:
    """Yield the targets that a trait goes with: Fisher's exact test."""
    for name, is_target in targets(truths):
        both = sum(mark and target for mark, target in zip(has, is_target, strict=True))
        p = fisher(len(has), sum(has), sum(is_target), both)
        if p < RARE:
            yield name, f"p = {p:.0e}"


@cache
def fisher(all_units: int, marked: int, target: int, both: int) -> float:
    """Return how likely at least so odd a meeting of two sets is by chance, two-sided."""
    ways = {hit: comb(target, hit) * comb(all_units - target, marked - hit) for hit in range(min(marked, target) + 1)}
    return sum(each for each in ways.values() if each <= ways[both]) / comb(all_units, marked)


def differences(values: Mapping[tuple[str, Truth], float]) -> Iterator[tuple[str, str]]:
    """Yield the targets that an amount is larger or smaller for: the Mann-Whitney test."""
    if len(set(values.values())) < 2:
        return
    for name, is_target in targets([truth for _rater, truth in values]):
        inside = [value for value, target in zip(values.values(), is_target, strict=True) if target]
        outside = [value for value, target in zip(values.values(), is_target, strict=True) if not target]
        if inside and outside:
            p = stats.mannwhitneyu(inside, outside).pvalue
            if p < RARE:
                yield name, f"p = {p:.0e}"


def features(exchange: Exchange) -> set[str]:
    """Return what can be seen of a response, each trait as a short text."""
    seen = {exchange.phrase, f"{len(exchange.body)} bytes"}
    for name, value in exchange.headers:
        seen |= {f"header {name}", f"header {name}: {value[:80]}"}
    seen |= {f"cookie {cookie.partition('=')[0]}" for cookie in exchange.cookies}
    for path, leaf in json_leaves(exchange.json):
        seen |= {f"JSON {path}", f"JSON {path} = {str(leaf)[:80]}"}
    if exchange.page:
        seen |= {f"element {element}" for element in exchange.page.elements}
        seen |= {f"text {text[:80]!r}" for text in exchange.page.texts}
    return seen


def measures(exchange: Exchange) -> Iterator[tuple[str, float]]:
    """Yield what can be measured of a response."""
    yield "length of the body", len(exchange.body)
    for path, leaf in json_leaves(exchange.json):
        if isinstance(leaf, int | float):
            yield f"JSON {path}", float(leaf)
