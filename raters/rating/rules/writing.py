"""How a text was typed, as counts reported by its page, and the flags derived from them.

No text is in them, and no key or its moment. Nothing here leads to a decision by itself, and nothing to a loss of pay:
an expert sees it after deciding. Composition, by which an input method writes Chinese, is typing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import ConfigDict, Field, StringConstraints, ValidationError

from core.spec import Spec
from studies.rules.text import graphemes, is_cjk

PASTED, FEW_KEYS, DRAFTED = "pasted", "few_keys", "drafted"
# Increase whenever a rule or a number here, in `polarity` or in `likeness` changes; stored with the flags.
VERSION = 3

# Proposals, to be tried on one's own raters: no published study has calibrated them.
# Shorter blocks are moved or corrected words; Chinese, Japanese and Korean need fewer characters.
BLOCK, BLOCK_CJK = 20, 8
# A block after an absence is as long as a sentence.
SENTENCE, SENTENCE_CJK = 40, 16
# Of the text, so much came as a block; so little was typed.
HALF, LITTLE = 0.5, 0.3

# The page caps larger numbers, so that a stuck key never invalidates an answer.
MOST = 1_000_000
Count = Annotated[int, Field(ge=0, le=MOST)]
Kind = Annotated[str, StringConstraints(pattern=r"^[A-Za-z]{1,40}$")]
# Ways of writing with few keys: a word replaced by a suggestion, or taken from dictation.
ASSISTED = {"insertReplacementText", "insertFromDictation", "insertFromComposition"}


class Writing(Spec):
    """What happened in a trial's form: counts, and whole seconds."""

    model_config = ConfigDict(strict=True)

    # By the browser's own names: insertText, deleteContentBackward, …
    types: dict[Kind, Count] = Field({}, max_length=40)
    keys: Count = 0
    compositions: Count = 0
    chars_composed: Count = 0
    pastes: Count = 0
    chars_pasted: Count = 0
    drops: Count = 0
    chars_dropped: Count = 0
    # Cut or copied in this form before: moved, not brought from elsewhere.
    chars_moved: Count = 0
    insertions: Count = 0
    deletions: Count = 0
    largest_insert: Count = 0
    first_key_s: Count | None = None
    # With the page hidden or another window in front.
    away_s: Count = 0
    blurs: Count = 0
    # The longest block that came in first after five seconds of absence; a composition counts as typing.
    after_away: Count = 0
    touch: bool = False


def of(evidence: object) -> Writing | None:
    """Return the writing counts of an answer; None if there are none or they can't be read."""
    inputs = evidence.get("inputs") if isinstance(evidence, Mapping) else None
    if not isinstance(inputs, Mapping):
        return None
    try:
        return Writing.model_validate(dict(inputs))
    except ValidationError:
        return None


def flags(reason: str, writing: Writing | None) -> set[str]:
    """Return what the counts say about a text: it came as a block, by too few keys, or at once after an absence."""
    length = graphemes(reason)
    if writing is None or not length:
        return set()
    block, sentence = (BLOCK_CJK, SENTENCE_CJK) if is_cjk(reason) else (BLOCK, SENTENCE)
    brought = writing.chars_pasted + writing.chars_dropped
    tests = {
        PASTED: brought >= block and brought >= HALF * length,
        FEW_KEYS: _has_few_keys(writing, length - brought, block),
        DRAFTED: writing.after_away >= sentence and writing.after_away >= HALF * length,
    }
    return {flag for flag, is_so in tests.items() if is_so}


def _has_few_keys(writing: Writing, length: int, least: int) -> bool:
    """Say whether less was typed than the rest of the text takes.

    On a touch screen words are swiped and chosen, so that keys say nothing; neither do they where words were replaced
    or dictated.
    """
    if "keys" not in writing.model_fields_set or writing.touch or ASSISTED & set(writing.types):
        return False
    typed = writing.keys + max(writing.chars_composed, 2 * writing.compositions) + writing.chars_moved
    return length >= least and typed < LITTLE * length


def columns(writing: Writing | None) -> dict[str, Any]:
    """Return the counts for a table; empty where none were sent."""
    names = [name for name in Writing.model_fields if name != "types"]
    return {name: getattr(writing, name) if writing and name in writing.model_fields_set else None for name in names}
