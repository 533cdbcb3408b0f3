"""Merging rare answers before they are printed, so that no table identifies a person."""

from __future__ import annotations

from collections.abc import Mapping

from studies.definition.settings.questionnaire import NOT_SAID, SKIPPED

LEAST = 5
RARE = "rare"
UNSAID = (SKIPPED, NOT_SAID)


def merged(counts: Mapping[str, int], least: int = LEAST) -> dict[str, int]:
    """Return raters by answer; answers of fewer than `least` raters are merged into `RARE`.

    If that group is still too small, those who gave no answer join it, then the next rarest answer: otherwise its
    number could be worked out from the total. If all answers together are too few, only `RARE` with 0 is returned.
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
    """True if too few people answered for anything to be printed."""
    return counts.get(RARE) == 0
