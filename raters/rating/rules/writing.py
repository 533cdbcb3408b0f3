"""Counts of typing reported by the page, and flags derived from them.

They contain no text, keys or times. They decide nothing and don't affect pay: experts see them after deciding. Input by
composition, as in Chinese, counts as typing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import ConfigDict, Field, StringConstraints, ValidationError

from core.spec import Spec
from studies.rules.text import graphemes, is_cjk

PASTED, FEW_KEYS, DRAFTED = "pasted", "few_keys", "drafted"
# Increase whenever a rule or number here, in `polarity` or in `likeness` changes; stored with the flags.
VERSION = 3

# Proposals, not calibrated by any published study: test them with your own raters. Minimum characters of an inserted
# block; shorter ones are moved or corrected words.
BLOCK, BLOCK_CJK = 20, 8
# Minimum block after an absence: about a sentence.
SENTENCE, SENTENCE_CJK = 40, 16
# Minimum share of the text inserted as a block; maximum share typed.
HALF, LITTLE = 0.5, 0.3

# The page caps larger numbers, so that a stuck key can't invalidate an answer.
MOST = 1_000_000
Count = Annotated[int, Field(ge=0, le=MOST)]
Kind = Annotated[str, StringConstraints(pattern=r"^[A-Za-z]{1,40}$")]
# Input that needs few keys: suggestions and dictation.
ASSISTED = {"insertReplacementText", "insertFromDictation", "insertFromComposition"}


class Writing(Spec):
    """Events in a trial's form: counts, and whole seconds."""

    model_config = ConfigDict(strict=True)

    # By `InputEvent.inputType`: insertText, deleteContentBackward, …
    types: dict[Kind, Count] = Field({}, max_length=40)
    keys: Count = 0
    compositions: Count = 0
    chars_composed: Count = 0
    pastes: Count = 0
    chars_pasted: Count = 0
    drops: Count = 0
    chars_dropped: Count = 0
    # Pasted text that was cut or copied in this form.
    chars_moved: Count = 0
    insertions: Count = 0
    deletions: Count = 0
    largest_insert: Count = 0
    first_key_s: Count | None = None
    # Page hidden, or another window in front.
    away_s: Count = 0
    blurs: Count = 0
    # Longest block inserted first after an absence of five seconds; compositions count as typing.
    after_away: Count = 0
    touch: bool = False


def of(evidence: object) -> Writing | None:
    """Return the typing counts of an answer; None if missing or malformed."""
    inputs = evidence.get("inputs") if isinstance(evidence, Mapping) else None
    if not isinstance(inputs, Mapping):
        return None
    try:
        return Writing.model_validate(dict(inputs))
    except ValidationError:
        return None


def flags(reason: str, writing: Writing | None) -> set[str]:
    """Return the flags of a text: pasted as a block, typed with too few keys, or inserted right after an absence."""
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
    """True if too little was typed for the remaining text.

    Not applied on touch screens, or to replaced or dictated words: these need few keys.
    """
    if "keys" not in writing.model_fields_set or writing.touch or ASSISTED & set(writing.types):
        return False
    typed = writing.keys + max(writing.chars_composed, 2 * writing.compositions) + writing.chars_moved
    return length >= least and typed < LITTLE * length


def columns(writing: Writing | None) -> dict[str, Any]:
    """Return the counts as columns; None for those not sent."""
    names = [name for name in Writing.model_fields if name != "types"]
    return {name: getattr(writing, name) if writing and name in writing.model_fields_set else None for name in names}
