"""The result of a pair in whole sentences, in every language of the pages."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.stats.preferences.duel import ONE_LISTENER, THESE_LISTENERS, Rule, Share
from core.text import languages
from quick.sentences import CLAIMS, sentences
from quick.verdicts import Verdict

NOTES = {Rule.ONE_RATER: ONE_LISTENER, Rule.FEW_RATERS: THESE_LISTENERS, Rule.TWO_WAY: ""}


def verdict(rule: Rule, value: float, p: float, *, ties: int = 0, **share: Any) -> Verdict:
    facts = Share(rule, 8, value, share.pop("low", 0.41), share.pop("high", 0.93), p, share.pop("p_flips", None),
                  NOTES.get(rule, "Too few texts."))  # fmt: skip
    return Verdict("indigo", "crimson", 6, 2, ties, 0.5, facts, p, ())


def test_a_preference_has_its_share_interval_test_and_scope() -> None:
    assert list(sentences(verdict(Rule.ONE_RATER, 0.75, 0.289, ties=2), "ab", 1)) == [
        "indigo was preferred to crimson on 6 of 8 texts, 75 %.",
        "2 answers were ties.",
        "95 % interval: 41 to 93 %.",
        "Sign test: p = .289.",
        "No clear difference.",
        "One listener: this holds for texts like these, not for other listeners.",
    ]


def test_scores_of_a_few_listeners_are_points_with_both_tests() -> None:
    few = verdict(Rule.FEW_RATERS, 1.25, 0.02, low=-0.1, high=2.6, p_flips=0.03)
    assert list(sentences(few, "acr", 1)) == [
        "indigo was rated 1.25 points higher than crimson.",
        "95 % interval: −0.10 to 2.60.",
        "t test: p = .020; sign flips: p = .030.",
        "For these listeners only: it holds for texts like these.",
    ]


def test_several_pairs_have_the_adjusted_p() -> None:
    assert "Test adjusted for 3 pairs: p = .012." in list(sentences(verdict(Rule.TWO_WAY, 0.75, 0.012), "ab", 3))


def test_fewer_than_five_texts_have_counts_and_no_test() -> None:
    assert list(sentences(verdict(Rule.COUNTS, 0.75, 0.01, ties=1), "ab", 1)) == [
        "Answers in favour of indigo: 6; of crimson: 2; equal: 1.",
        "Too few texts.",
    ]


@pytest.mark.parametrize("task", CLAIMS)
@pytest.mark.parametrize("rule", Rule)
def test_every_result_is_translated_with_its_figures(task: str, rule: Rule) -> None:
    found = verdict(rule, 0.75, 0.289, ties=2, p_flips=0.3 if rule is Rule.FEW_RATERS else None)
    with languages.speaking("zh-hans"):
        lines = list(sentences(found, task, 1))
    note = ["Too few texts."] if rule is Rule.COUNTS else []
    assert not any(line.isascii() for line in lines if line not in note), lines
    assert "indigo" in lines[0]
    assert "crimson" in lines[0]
    assert ("p = .289" in "".join(lines)) == (rule is not Rule.COUNTS)
