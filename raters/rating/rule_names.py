"""Names of the rules by which verdicts exclude ratings, as all pages show them."""

from __future__ import annotations

from django.utils.translation import gettext

from core.text.words import say

LABELS = {
    "batch_incomplete": say("batch not finished or not checked"),
    "traps": say("batch failed its traps"),
    "traps_missing": say("too few of the batch's traps could be played to check it"),
    "golden": say("rater failed a golden question, or met none"),
    "hidden_reference": say("rater failed the rule on the hidden reference"),
    "expert_review": say("experts found the reason inconsistent"),
    "inconsistent_reasons": say("experts found too many of the rater's reasons inconsistent"),
    "by_hand": say("taken out by hand"),
    "deletion_asked": say("rater asked for deletion"),
    "undecided": say("not decided yet"),
}


def rule_name(rule: str) -> str:
    """Return a rule's name in the active language; for an unknown one, its code."""
    return gettext(LABELS[rule]) if rule in LABELS else rule.replace("_", " ")
