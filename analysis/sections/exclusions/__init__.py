"""Ratings that don't count: what each rule excludes, and the rules' names."""

from __future__ import annotations

from django.utils.translation import gettext

from analysis.sections.shared import Record
from core.text.languages import speaks_english
from core.text.words import say


class Exclusion(Record):
    """A rule, and the test ratings and raters it excludes; `alone` counts ratings excluded by no other rule."""

    reason: str
    label: str
    ratings: int
    raters: int
    alone: int


class ExclusionStep(Record):
    """A rule applied after those before it: the ratings it takes out, and the ratings and raters left."""

    reason: str
    label: str
    out: int
    ratings: int
    raters: int


class Exclusions(Record):
    """Test ratings given, those that count, and why the others don't; `pending` reasons await an expert.

    `steps`: the rules one after another, from all ratings given to those that count.
    """

    given: int
    counted: int
    raters_given: int
    raters_counted: int
    reasons: tuple[Exclusion, ...]
    pending: int
    late: int
    surplus: int
    steps: tuple[ExclusionStep, ...] = ()


UNDECIDED = "undecided"
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
    UNDECIDED: say("not decided yet"),
}


def rule_name(rule: str) -> str:
    """Return a rule's name in the active language; for an unknown one, its code."""
    return gettext(LABELS[rule]) if rule in LABELS else rule.replace("_", " ")


def rule_label(rule: str) -> str:
    """Return a rule's code as words in English, and its name in other languages."""
    return rule.replace("_", " ") if speaks_english() else rule_name(rule)
