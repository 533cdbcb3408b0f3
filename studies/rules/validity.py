"""Rules for valid batches, golden questions, and the number of raters of an item."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from random import Random

from studies.rules.parameters import Protocol


def raters_needed(sheets: Sequence[Hashable], *, first: int, most: int) -> int:
    """Return how many usable sheets an item needs, given its sheets in the order of answering.

    One more than `first` while no two of them agree, at most `most`.
    """
    needed = first
    while needed <= len(sheets) and needed < most and not agree(sheets[:needed]):
        needed += 1
    return needed


def agree(sheets: Sequence[Hashable]) -> bool:
    """True if any two sheets are the same."""
    return any(one == other for one, other in combinations(sheets, 2))


def how_many(share: float, *, tasks: int, met: int, size: int, rng: Random) -> int:
    """Return the number of tasks with a golden question among the next `size`.

    `tasks` and `met` are the session's earlier tasks and golden questions. The share holds over the whole session,
    rounded at random so that it holds on average; a rater who has met none meets one now.
    """
    if not share:
        return 0
    exact = share * (tasks + size) - met
    count = int(exact) + (rng.random() < exact - int(exact)) if exact > 0 else 0
    return min(size, max(count, 0 if met else 1))


RULE = "traps"
VERSION = 1
# The rule of a batch that too few playable traps leave undecided.
MISSING = "traps_missing"


@dataclass(frozen=True, slots=True)
class TrapResult:
    """A trap of a batch: its role, and whether the answer was right; None: it could not be played."""

    role: str
    passed: bool | None


@dataclass(frozen=True, slots=True)
class BatchDecision:
    """Whether the batch is valid (None: undecided), with the counts of the traps that were heard."""

    valid: bool | None
    flawed_right: int
    flawed: int
    human_right: int
    humans: int


def decide(traps: Iterable[TrapResult], protocol: Protocol) -> BatchDecision:
    """Apply the trap rule: every flawed clip called Machine, enough humans called Human (ATT paper, section 3.4).

    A trap that could not be played counts neither for the rater nor against them: the others decide, if they can.
    """
    listed = list(traps)
    flawed = [trap.passed for trap in listed if trap.role == "trap_flawed" and trap.passed is not None]
    human = [trap.passed for trap in listed if trap.role == "trap_human" and trap.passed is not None]
    lost = sum(trap.role == "trap_human" and trap.passed is None for trap in listed)
    needed = min(protocol.human_traps_right, protocol.human_traps)
    has_flawed = bool(flawed) or not any(trap.role == "trap_flawed" for trap in listed)
    valid: bool | None = None
    if not all(flawed) or sum(human) + lost < needed:
        valid = False
    elif has_flawed and sum(human) >= needed:
        valid = True
    return BatchDecision(valid, sum(flawed), len(flawed), sum(human), len(human))


def guesser_rate(protocol: Protocol, guessed: Callable[[str], float]) -> float | None:
    """Return the share of batches that a guesser passes, None without traps.

    `guessed` is the probability to pass a trap of a role.
    For ATT, with three labels: 1/3 × (1 − (2/3)²) = 5/27 = 18.5 %.
    """
    if not protocol.flawed_traps and not protocol.human_traps:
        return None
    right = guessed("trap_human")
    humans, needed = protocol.human_traps, protocol.human_traps_right
    enough = sum(comb(humans, k) * right**k * (1 - right) ** (humans - k) for k in range(needed, humans + 1))
    return float(guessed("trap_flawed") ** protocol.flawed_traps * enough)


def batches_offered(protocol: Protocol, flawed: int, human: int) -> int:
    """Return how many batches one rater can be given before a trap would have to be repeated."""
    limits = [protocol.batches_per_session]
    if protocol.flawed_traps:
        limits.append(flawed // protocol.flawed_traps)
    if protocol.human_traps:
        limits.append(human // protocol.human_traps)
    return min(limits)
