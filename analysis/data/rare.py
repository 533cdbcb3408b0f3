"""Answers that few people gave, put together before they are printed: who is rare must not be told by a table."""

from __future__ import annotations

from collections.abc import Mapping

from studies.definition.settings.questionnaire import NOT_SAID, SKIPPED

LEAST = 5
RARE = "rare"
UNSAID = (SKIPPED, NOT_SAID)


def merged(counts: Mapping[str, int], least: int = LEAST) -> dict[str, int]:
    """Return raters by answer, with the answers of fewer than `least` of them as one, `RARE`.

    Where these are still too few, those who said nothing join them, and then the next rarest answer: what is left could
    be worked out from the whole otherwise. Where all are too few nothing but `RARE` is left, with a 0 for their number.
    """
    if RARE in counts:
        return dict(counts)
    pairs = sorted((number, code) for code, number in counts.items() if code not in UNSAID)
    rare = {code for number, code in pairs if number < least}
    if not rare:
        return dict(counts)
    for code in (*(code for code in UNSAID if code in counts), *(code for _number, code in pairs if code not in rare)):
        if sum(counts[each] for each in rare) >= least:
            break
        rare.add(code)
    together = sum(counts[code] for code in rare)
    common = {code: number for code, number in counts.items() if code not in rare}
    return {**common, RARE: together} if together >= least else {RARE: 0}


def hides(counts: Mapping[str, int]) -> bool:
    """Say whether so few answered that nothing of it may be printed."""
    return counts.get(RARE) == 0
