"""Pairs of clips: traps among comparisons, and incomplete designs for many systems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from core.text.words import say
from studies.task_types.base import HUMAN, ClipFact, ItemPlan, Trouble

Pair = tuple[str, str]


def flawed_pairs(clips: Sequence[ClipFact]) -> tuple[list[ItemPlan], list[Trouble]]:
    """Pair each flawed trap with a good clip, the trap first; also return the traps without one.

    A good clip of the same text comes first, a human one before others. Without one, the good clips of other texts
    take turns.
    """
    good = sorted(
        (clip for clip in clips if clip.role in ("test", "reference")),
        key=lambda clip: (clip.system != HUMAN, clip.clip),
    )
    by_text: dict[str, ClipFact] = {}
    for clip in good:
        by_text.setdefault(clip.text, clip)
    humans = [clip for clip in good if clip.system == HUMAN]
    others = humans or good
    plans, troubles = [], []
    for number, trap in enumerate(clip for clip in clips if clip.role == "trap_flawed"):
        if not others:
            troubles.append(
                Trouble(say("There is no good clip to be heard next to this trap: it is left out."), trap.clip)
            )
            continue
        partner = (by_text.get(trap.text) if trap.text else None) or others[number % len(others)]
        plans.append(ItemPlan((trap.clip, partner.clip), trap.system, trap.role, trap.text, trap.dimension))
    return plans, troubles


def identical_pairs(clips: Sequence[ClipFact]) -> list[ItemPlan]:
    """Pair each human trap with itself."""
    return [
        ItemPlan((clip.clip, clip.clip), clip.system, clip.role, clip.text, clip.dimension)
        for clip in clips
        if clip.role == "trap_human"
    ]


def incomplete(texts: Sequence[Iterable[str]], systems: Sequence[str]) -> list[list[Pair]]:
    """Return the pairs of systems of each text, where `texts` are the systems that speak each of them.

    A round-robin tournament: in each text a system meets one other, and from text to text the next one. If all
    systems speak all texts, the numbers of meetings of two pairs differ by at most one, and two texts connect all
    systems. If too few texts do, pairs are added until as many systems are connected as the texts allow.
    """
    rounds = _rounds(systems)
    spoken = [set(text) for text in texts]
    chosen = [
        [pair for pair in rounds[number % len(rounds)] if spoken[number].issuperset(pair)]
        for number in range(len(texts))
    ]
    group = {system: system for system in systems}

    def joins(one: str, other: str) -> bool:
        """Join the groups of two systems; False if they were one group."""
        old, new = group[other], group[one]
        for system, of in group.items():
            group[system] = new if of == old else of
        return old != new

    for pairs in chosen:
        for one, other in pairs:
            joins(one, other)
    for pairs, text in zip(chosen, spoken, strict=True):
        present = [system for system in systems if system in text]
        pairs += [pair for pair in combinations(present, 2) if joins(*pair)]
    return chosen


def _rounds(systems: Sequence[str]) -> list[list[Pair]]:
    """Return the rounds of a tournament by the circle method: all pairs, each system at most once a round.

    Two successive rounds connect all systems.
    """
    places: list[str | None] = [*systems, *([None] if len(systems) % 2 else [])]
    fixed, *circle = places
    rounds = []
    for turn in range(len(circle)):
        turned = [fixed, *circle[turn:], *circle[:turn]]
        facing = zip(turned[: len(turned) // 2], reversed(turned), strict=False)
        order = {system: place for place, system in enumerate(systems)}
        met = [(one, other) for one, other in facing if one is not None and other is not None]
        rounds.append([(one, other) if order[one] < order[other] else (other, one) for one, other in met])
    return rounds
