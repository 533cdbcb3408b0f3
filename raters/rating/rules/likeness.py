"""Find reasons that repeat themselves or another reason, ignoring case, width, spaces and punctuation."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import chain
from math import ceil

from studies.rules.text import is_cjk

# Minimum Jaccard similarity of the pieces: catches templates with a different number or name.
NEARLY = 0.8
# Between raters, shorter reasons may be equal by chance: "it sounds robotic" has twelve pieces.
FEWEST = 16
# Minimum number of rare pieces that two reasons must share to be compared.
IN_COMMON = 2
# At most this many different letters, or a smaller share of new pieces, is repetition.
FEW, NEW = 2, 0.5
# "ha" twice may be a laugh; shorter texts can't be repetitive.
SHORTEST = 4


def bare(reason: str) -> str:
    """Return only the letters and digits of a reason, normalized and in lower case."""
    folded = unicodedata.normalize("NFKC", reason).casefold()
    return "".join(letter for letter in folded if letter.isalnum())


def digest(reason: str) -> str:
    """Return 32 hexadecimal digits, equal for reasons with the same letters and digits."""
    return hashlib.sha256(bare(reason).encode()).hexdigest()[:32]


def pieces(reason: str) -> frozenset[str]:
    """Return all runs of four letters or digits; of two in Chinese, Japanese or Korean text."""
    text, size = bare(reason), _size(reason)
    return frozenset(text[start : start + size] for start in range(max(1, len(text) - size + 1)))


def _size(reason: str) -> int:
    return 2 if is_cjk(reason) else 4


def repeats_itself(reason: str) -> bool:
    """True if a reason repeats one word, one phrase or a few characters."""
    text, size = bare(reason), _size(reason)
    if len(text) < SHORTEST:
        return False
    return len(set(text)) <= FEW or len(pieces(reason)) < NEW * (len(text) - size + 1)


def near(reasons: Mapping[int, str]) -> set[int]:
    """Return the keys of reasons nearly equal to another one (Jaccard ≥ 0.8).

    It compares all pairs, so use it for one rater's reasons, not for a whole study.
    """
    cut = [(key, pieces(reason)) for key, reason in reasons.items()]
    similar: set[int] = set()
    for index, (key, mine) in enumerate(cut):
        for other, theirs in cut[index + 1 :]:
            if len(mine & theirs) >= NEARLY * len(mine | theirs):
                similar |= {key, other}
    return similar


def across(reasons: Mapping[int, tuple[int, str]]) -> list[int]:
    """Return the sorted keys of reasons nearly equal to another rater's; `reasons` is {key: (rater, reason)}.

    Exact, without comparing all pairs (prefix filtering: Chaudhuri et al. 2006, Bayardo et al. 2007): two sets that
    share at least s of their n pieces have k in common among the n − s + k rarest of each.
    """
    cut = {key: pieces(reason) for key, (_rater, reason) in reasons.items()}
    number = Counter(piece for each in cut.values() for piece in each)
    long_enough = sorted((len(each), key) for key, each in cut.items() if len(each) >= FEWEST)
    seen: defaultdict[str, list[int]] = defaultdict(list)
    similar: set[int] = set()
    for size, key in long_enough:
        mine, rater = cut[key], reasons[key][0]
        share = ceil(round(NEARLY * size, 9))
        rarest = sorted(mine, key=lambda piece: (number[piece], piece))[: size - share + IN_COMMON]
        met = Counter(chain.from_iterable(seen[piece] for piece in rarest))
        for other, common in met.items():
            if common < IN_COMMON or (key in similar and other in similar) or reasons[other][0] == rater:
                continue
            if len(cut[other]) >= NEARLY * size and len(mine & cut[other]) >= NEARLY * len(mine | cut[other]):
                similar |= {key, other}
        for piece in rarest:
            seen[piece].append(key)
    return sorted(similar)
