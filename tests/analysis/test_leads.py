"""The sentences above blocks of results."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace
from typing import Any

import pytest

from analysis.plots.charts import Axis
from analysis.sections import leads
from analysis.sections.baseline import Versus
from analysis.sections.breakdowns import Breakdown, GroupCounts, Line
from analysis.sections.contrasts import Contrasts, Tier
from analysis.stats.figures import Contrast, PairProbability, SystemStrength

SHARE = Axis(0, 1)


def group(name: str, mean: float, *interval: float, kind: str = "") -> Any:
    low, high = interval or (None, None)
    return SimpleNamespace(name=name, kind=kind, mean=mean, low=low, high=high)


def contrasts(means: dict[str, float], p: dict[tuple[str, str], float]) -> Contrasts:
    pairs = [Contrast(first, second, 0.1, 0.1, 9, 0.0, 0.2, 0.0, 0.3, value) for (first, second), value in p.items()]
    tiers = [
        Tier(name=name, kind="human" if name == "human" else "", mean=mean, letters="a", ranks=())
        for name, mean in means.items()
    ]
    return Contrasts(pairs=tuple(pairs), tiers=tuple(tiers), left_out=(), ranks_from="")


def test_the_best_system_comes_first_and_neither_human_speech_nor_an_anchor_is_one() -> None:
    rows = [group("human", 0.88, 0.8, 0.93, kind="human"), group("alder", 0.64, 0.52, 0.77), group("birch", 0.5)]
    rows.append(group("low", 0.9, kind="anchor"))
    said = leads.scores(SHARE, rows, rows[0], is_from_traps=False)
    assert said == [
        "alder scores highest of 2 systems: 0.64 [0.52\u00a0–\u2060\u00a00.77].",
        "Human speech scores 0.88 [0.80\u00a0–\u2060\u00a00.93].",
    ]


def test_a_study_without_ratings_of_systems_says_so_and_names_human_traps_as_such() -> None:
    said = leads.scores(SHARE, [group("human", 0.9, kind="human")], group("human", 0.9), is_from_traps=True)
    assert said == ["No system has ratings yet.", "Human traps score 0.90."]


def test_human_speech_is_named_where_no_baseline_was_computed() -> None:
    said = leads.scores(SHARE, [group("human", 0.9, kind="human")], None, is_from_traps=False)
    assert said[-1] == "Human speech scores 0.90."


def test_one_system_is_not_called_the_highest_and_a_tie_names_all() -> None:
    assert leads.scores(SHARE, [group("alder", 0.6)], None, is_from_traps=False) == ["alder scores 0.60."]
    tied = leads.scores(SHARE, [group("alder", 0.6, 0.5, 0.7), group("birch", 0.6)], None, is_from_traps=False)
    assert tied == ["alder, birch share the highest score of 2 systems: 0.60."]


def test_the_ends_of_voices_are_named_where_they_differ() -> None:
    rows = [group("low", 0.2), group("high", 0.7), group("mid", 0.5), group("human", 0.9, kind="human")]
    assert leads.extremes(SHARE, rows) == ["Here high scores highest, 0.70, and low lowest, 0.20."]
    assert leads.extremes(SHARE, rows[:1]) == []
    assert leads.extremes(SHARE, [group("a", 0.5), group("b", 0.5)]) == []


def test_comparisons_name_the_pairs_that_differ_and_a_system_above_all_others() -> None:
    means = {"human": 0.9, "alder": 0.6, "birch": 0.5}
    pairs = {("human", "alder"): 0.001, ("birch", "human"): 0.01, ("alder", "birch"): 0.4}
    assert leads.comparisons(contrasts(means, pairs), 1) == [
        "2 of 3 pairs of systems and human speech differ beyond chance.",
        "The first of each pair scores higher: Human and alder; Human and birch.",
        "Human scores higher than every other.",
    ]
    assert "The first of each pair has fewer errors" in leads.comparisons(contrasts(means, pairs), -1)[1]
    pairs[("human", "alder")] = 0.05
    assert leads.comparisons(contrasts(means, pairs), 1) == [
        "1 of 3 pairs of systems and human speech differs beyond chance.",
        "The first of each pair scores higher: Human and birch.",
    ]
    assert leads.comparisons(contrasts(means, dict.fromkeys(pairs, 0.5)), 1) == [
        "None of the 3 pairs of systems and human speech differ beyond chance so far."
    ]


def test_strengths_name_the_pairs_that_differ_and_a_system_preferred_to_all_others() -> None:
    systems = [SystemStrength(name, 0.0, None, None, 9, 9, 9, "a") for name in ("human", "alder", "birch")]
    p = {("alder", "human"): 0.001, ("human", "birch"): 0.01, ("alder", "birch"): 0.4}
    pairs = [PairProbability(*names, 0.5, 0.4, 0.6, 0.3, 0.7, value) for names, value in p.items()]
    assert leads.strengths(systems, pairs) == [
        "2 of 3 pairs of systems and human speech differ beyond chance.",
        "The first of each pair is preferred: Human and alder; Human and birch.",
        "Human is preferred to every other.",
    ]


def test_of_many_pairs_that_differ_the_few_others_are_named_or_else_the_table() -> None:
    means = {name: place / 10 for place, name in enumerate("edcba")}
    pairs = dict.fromkeys(combinations(means, 2), 0.001)
    pairs["b", "a"] = 0.3
    assert "These don’t differ beyond chance: b and a." in leads.comparisons(contrasts(means, pairs), 1)
    means = {name: place / 10 for place, name in enumerate("hgfedcba")}
    halves = {pair: 0.001 if place % 2 else 0.3 for place, pair in enumerate(combinations(means, 2))}
    assert leads.comparisons(contrasts(means, halves), 1)[1:] == ["The table of differences has all pairs."]


@pytest.mark.parametrize(
    ("p", "said"),
    [
        (0.01, "alder scores higher than birch."),
        (0.2, "alder and birch don’t differ beyond chance so far."),
    ],
)
def test_a_single_pair_is_named(p: float, said: str) -> None:
    assert leads.comparisons(contrasts({"alder": 0.6, "birch": 0.5}, {("birch", "alder"): p}), 1) == [said]


def test_systems_below_human_speech_are_counted_by_their_intervals_and_named() -> None:
    rows = [
        Versus(name="alder", difference=-0.2, low=-0.4, high=-0.1, verdict=""),
        Versus(name="birch", difference=-0.1, low=-0.3, high=0.1, verdict=""),
        Versus(name="cedar", difference=-0.3, low=None, high=None, verdict=""),
    ]
    assert leads.against_human(rows, 1)[0].startswith("1 of 3 systems scores lower than human speech")
    assert leads.against_human(rows, 1)[1] == "They are: alder."
    assert len(leads.against_human(rows[:1], 1)) == 1
    assert leads.against_human(rows[1:], 1)[0].startswith("No system is told from human speech so far")
    assert leads.against_human([], 1) == []


@pytest.mark.parametrize(("sign", "low", "high"), [(1, -0.4, -0.1), (-1, 0.1, 0.4)])
def test_comparisons_with_human_speech_say_that_they_are_not_adjusted_as_all_pairs_are(
    sign: int, low: float, high: float
) -> None:
    rows = [
        Versus(name=name, difference=(low + high) / 2, low=low, high=high, verdict="") for name in ("alder", "birch")
    ]
    level = (
        "Each of the 2 comparisons with human speech is at 5 % by itself. All pairs are adjusted for their number, so "
        "that fewer of them may differ."
    )
    assert leads.against_human(rows, sign)[-1] == level
    assert level not in leads.against_human(rows[:1], sign)


def test_verdicts_on_inferiority_name_their_systems() -> None:
    verdicts = {"alder": "non_inferior", "birch": "undecided", "cedar": "non_inferior", "elm": ""}
    rows = [Versus(name=name, difference=0, low=-1, high=1, verdict=verdict) for name, verdict in verdicts.items()]
    assert leads.verdicts(rows) == [
        "Not inferior to human speech: alder, cedar.",
        "Undecided whether inferior to human speech: birch.",
    ]
    assert leads.verdicts(
        [row.model_copy(update={"name": str(at), "verdict": "inferior"}) for at in range(9) for row in rows[:1]]
    ) == ["Inferior to human speech: 9 systems."]


def test_the_largest_share_of_a_breakdown_is_named_with_its_counts() -> None:
    lines = (Line(code="a", label="pauses", of=()), Line(code="b", label="all", of=("a",)))
    few, many = (
        GroupCounts(name=name, kind="", of=10, counts=(count, 10)) for name, count in (("alder", 2), ("birch", 7))
    )
    item = Breakdown(title="Markers", part="", per="", lines=lines, groups={"system": (few, many)})
    assert leads.breakdown(item, "system") == ["The largest share is “pauses” for birch: 70 % (7 of 10)."]
    assert leads.breakdown(item, "domain") == []
    none = GroupCounts(name="alder", kind="", of=10, counts=(0, 0))
    unnamed = item.model_copy(update={"groups": {"system": (none,)}})
    assert leads.breakdown(unnamed, "system") == ["None of these was named yet."]
