"""When a batch counts, and how often somebody who only guesses would pass."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb

from studies.protocols.parameters import Protocol

RULE = "traps"
VERSION = 1
# A batch that its traps can't decide, since too few of them could be played.
MISSING = "traps_missing"


@dataclass(frozen=True, slots=True)
class TrapResult:
    """One trap clip of a batch: its role, and whether the answer was the right one; None: it could not be played."""

    role: str
    passed: bool | None


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether the batch is valid, with the counts of traps heard that decided it; None: they can't."""

    valid: bool | None
    flawed_right: int
    flawed: int
    human_right: int
    humans: int


def decide(traps: Iterable[TrapResult], protocol: Protocol) -> Decision:
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
    return Decision(valid, sum(flawed), len(flawed), sum(human), len(human))


def guesser_rate(protocol: Protocol, options: int) -> float:
    """Return the share of batches that a rater answering uniformly among `options` labels would pass.

    For ATT: 1/3 × (1 − (2/3)²) = 5/27 = 18.5 %.
    """
    right = 1 / options
    humans, needed = protocol.human_traps, protocol.human_traps_right
    enough = sum(comb(humans, k) * right**k * (1 - right) ** (humans - k) for k in range(needed, humans + 1))
    return float(right**protocol.flawed_traps * enough)


def batches_offered(protocol: Protocol, flawed: int, human: int) -> int:
    """Return how many batches one rater can be given before a trap would have to be repeated."""
    limits = [protocol.batches_per_session]
    if protocol.flawed_traps:
        limits.append(flawed // protocol.flawed_traps)
    if protocol.human_traps:
        limits.append(human // protocol.human_traps)
    return min(limits)
