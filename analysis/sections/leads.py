"""Summaries above a block of results: the message of its plot and tables, in plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.data.groups import HUMAN
from analysis.plots.charts import Axis
from analysis.sections.baseline import Versus
from analysis.sections.blocks import display_name, name_of
from analysis.sections.breakdowns import Breakdown
from analysis.sections.contrasts import Contrasts
from analysis.sections.parts import enumerated, listed
from analysis.stats.figures import Contrast, PairProbability, SystemStrength
from core.text.numbers import percent, whole

# A pair with its adjusted p: of scores, or of preferences.
Pair = Contrast[str] | PairProbability[str]
# Two systems differ if their p, adjusted for all pairs, is smaller, as in the letters of the tiers (rule D7).
ALPHA = 0.05
# Pairs or systems that a sentence names; more are only counted.
MOST_NAMED = 8


class Estimate(Protocol):
    """A mean with its interval, if it has one."""

    @property
    def mean(self) -> float: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


class Scored(Estimate, Protocol):
    """The mean of a group: a system (kind ""), human speech or an anchor."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...


class RatedByFew(Scored, Protocol):
    """A group, with the largest share of its ratings from one rater if that is over a third."""

    @property
    def rater_share(self) -> float | None: ...
    @property
    def rater_mean(self) -> float | None: ...


def scores(of: Axis, groups: Sequence[Scored], human: Estimate | None, *, is_from_traps: bool) -> list[str]:
    """Return sentences on the best system, and on human speech: `human`, otherwise its group."""
    human = human or next((group for group in groups if group.kind == HUMAN), None)
    systems = [group for group in groups if not group.kind]
    sentences = [_highest(of, systems) if systems else _("No system has ratings yet.")]
    if human is not None:
        sentences.append(_human(of, human, is_from_traps=is_from_traps))
    return sentences


def preferred(of: Axis, groups: Sequence[Scored], over: str) -> list[str]:
    """Return a sentence on the share of answers that prefer the most preferred system, to the baseline `over`."""
    systems = [group for group in groups if group.kind != HUMAN]
    if not systems:
        return [_("No system has ratings yet.")]
    best = max(systems, key=lambda group: group.mean)
    values = {"system": display_name(best.name, best.kind), "n": whole(len(systems)), "score": _with_interval(of, best)}
    human = next((group for group in groups if group.kind == HUMAN), None)
    if not over:
        text = _("{system} is preferred most often of {n} systems, in {score} of its pairs.")
        of_human = _("Human speech is preferred in {score} of its pairs.")
    else:
        values["baseline"] = display_name(over, HUMAN if over == HUMAN else "")
        one = _("{system} is preferred to {baseline} in {score} of the answers.")
        many = _("Of {n} systems, {system} is preferred to {baseline} most often: in {score} of the answers.")
        text, of_human = one if len(systems) == 1 else many, one
    values_of_human = values | {"system": _("Human"), "score": _with_interval(of, human)} if human else {}
    return [text.format(**values), *([of_human.format(**values_of_human)] if human else [])]


def recognised(of: Axis, groups: Sequence[Scored], about: str) -> list[str]:
    """Return a sentence on the system that is told from the baseline most often, by copies or by differences."""
    if not groups:
        return [_("No system has ratings yet.")]
    most = max(groups, key=lambda group: group.mean)
    text = (
        _("{system} is told from the baseline most often: {score} of the answers are right. Of guesses, half are.")
        if about == "copies"
        else _("{system} is called different from the baseline most often: in {score} of the pairs that differ.")
    )
    return [text.format(system=display_name(most.name, most.kind), score=_with_interval(of, most))]


def _highest(of: Axis, systems: Sequence[Scored]) -> str:
    best = [group for group in systems if group.mean == of.sign * max(of.sign * each.mean for each in systems)]
    names, first = listed([display_name(group.name, group.kind) for group in best]), best[0]
    values = {"system": names, "n": whole(len(systems)), "score": _with_interval(of, first)}
    if len(systems) == 1:
        return _("{system} scores {score}.").format(**values)
    if len(best) > 1:
        values["score"] = of.show(first.mean)
        if of.sign < 0:
            return _("{system} share the fewest errors of {n} systems: {score}.").format(**values)
        return _("{system} share the highest score of {n} systems: {score}.").format(**values)
    if of.sign < 0:
        return _("{system} has the fewest errors of {n} systems: {score}.").format(**values)
    return _("{system} scores highest of {n} systems: {score}.").format(**values)


def _human(of: Axis, human: Estimate, *, is_from_traps: bool) -> str:
    score = _with_interval(of, human)
    if is_from_traps:
        return _("Human traps score {score}.").format(score=score)
    return _("Human speech scores {score}.").format(score=score)


def _with_interval(of: Axis, group: Estimate) -> str:
    """Return a score and its interval; a line may break between the two alone."""
    interval = "" if group.low is None else f"[{of.interval(group.low, group.high)}]"
    return " ".join(part.replace(" ", "\u00a0") for part in (of.show(group.mean), interval) if part)


def one_rater(of: Axis, groups: Sequence[RatedByFew]) -> list[str]:
    """Return a sentence for each group with over a third of its ratings from one rater (rule D12)."""
    words = _("{name}: one rater gave {share} of the ratings; with all raters alike the score is {mean}.")
    return [
        words.format(
            name=display_name(group.name, group.kind),
            share=percent(group.rater_share),
            mean=of.show(group.rater_mean, 1),
        )
        for group in groups
        if group.rater_share is not None
    ]


def extremes(of: Axis, groups: Sequence[Scored]) -> list[str]:
    """Return a sentence on the highest and lowest of groups such as voices; empty for fewer than two groups."""
    rows = sorted((group for group in groups if not group.kind), key=lambda group: -group.mean)
    if len(rows) < 2 or rows[0].mean == rows[-1].mean:
        return []
    return [
        _("Here {first} scores highest, {high}, and {last} lowest, {low}.").format(
            first=display_name(rows[0].name, rows[0].kind),
            high=of.show(rows[0].mean),
            last=display_name(rows[-1].name, rows[-1].kind),
            low=of.show(rows[-1].mean),
        )
    ]


def comparisons(section: Contrasts, sign: int) -> list[str]:
    """Return sentences on the number of pairs that differ, and on the system above all others, if any."""
    if len(section.pairs) == 1:
        return [_only_pair(section, sign)]
    names = {tier.name: name_of(tier) for tier in section.tiers}
    has_human = any(tier.kind == HUMAN for tier in section.tiers)
    return _pairs(section.pairs, names, "score" if sign > 0 else "errors", has_human=has_human)


def strengths(systems: Sequence[SystemStrength[str]], pairs: Sequence[PairProbability[str]]) -> list[str]:
    """Return the same sentences for systems compared by preferences, strongest first."""
    names = {system.name: display_name(system.name, system.name) for system in systems}
    return _pairs(pairs, names, "preference", has_human=HUMAN in names)


def _pairs(pairs: Sequence[Pair], names: Mapping[str, str], of: str, *, has_human: bool) -> list[str]:
    """Return the sentences of `comparisons`; `names` are those of the systems, best first."""
    apart = [pair for pair in pairs if pair.p < ALPHA]
    if not apart:
        words = (
            _("None of the {all} pairs of systems and human speech differ beyond chance so far.")
            if has_human
            else _("None of the {all} pairs of systems differ beyond chance so far.")
        )
        return [words.format(all=whole(len(pairs)))]
    words = (
        ngettext(
            "{n} of {all} pairs of systems and human speech differs beyond chance.",
            "{n} of {all} pairs of systems and human speech differ beyond chance.",
            len(apart),
        )
        if has_human
        else ngettext(
            "{n} of {all} pairs of systems differs beyond chance.",
            "{n} of {all} pairs of systems differ beyond chance.",
            len(apart),
        )
    )
    sentences = [words.format(n=whole(len(apart)), all=whole(len(pairs))), *_which(pairs, names, of)]
    top = next(iter(names))
    if len([pair for pair in apart if top in (pair.first, pair.second)]) == len(names) - 1:
        above = {
            "score": _("{system} scores higher than every other."),
            "errors": _("{system} has fewer errors than every other."),
            "preference": _("{system} is preferred to every other."),
        }
        sentences.append(above[of].format(system=names[top]))
    return sentences


def _which(pairs: Sequence[Pair], names: Mapping[str, str], of: str) -> list[str]:
    """Return a sentence that names the pairs that differ, or else those that don't; none if both are many."""
    # From the best system to the worst, so that the better one of a pair comes first.
    places = {name: place for place, name in enumerate(names)}

    def written(pairs: Sequence[Pair]) -> str:
        ordered = [sorted((pair.first, pair.second), key=places.__getitem__) for pair in pairs]
        words = _("{first} and {second}")
        return enumerated([words.format(first=names[first], second=names[second]) for first, second in ordered])

    apart = [pair for pair in pairs if pair.p < ALPHA]
    alike = [pair for pair in pairs if pair.p >= ALPHA]
    if len(apart) <= MOST_NAMED:
        words = {
            "score": _("The first of each pair scores higher: {pairs}."),
            "errors": _("The first of each pair has fewer errors: {pairs}."),
            "preference": _("The first of each pair is preferred: {pairs}."),
        }
        return [words[of].format(pairs=written(apart))]
    if alike and len(alike) <= MOST_NAMED:
        return [_("These don’t differ beyond chance: {pairs}.").format(pairs=written(alike))]
    return [
        _("The table of pairs has them all.") if of == "preference" else _("The table of differences has all pairs.")
    ]


def _only_pair(section: Contrasts, sign: int) -> str:
    high, low = section.tiers[0], section.tiers[-1]
    if section.pairs[0].p < ALPHA:
        if sign < 0:
            return _("{high} has fewer errors than {low}.").format(high=name_of(high), low=name_of(low))
        return _("{high} scores higher than {low}.").format(high=name_of(high), low=name_of(low))
    return _("{high} and {low} don’t differ beyond chance so far.").format(high=name_of(high), low=name_of(low))


def against_human(systems: Sequence[Versus], sign: int) -> list[str]:
    """Return a sentence on the number of systems that score lower than human speech, beyond chance."""
    if not systems:
        return []
    if sign < 0:
        return _more_errors(systems)
    lower = [row for row in systems if row.high is not None and row.high < 0]
    if not lower:
        return [_("No system is told from human speech so far: no interval of a difference lies below 0.")]
    words = ngettext(
        "{n} of {all} systems scores lower than human speech: the interval of its difference lies below 0.",
        "{n} of {all} systems score lower than human speech: the intervals of their differences lie below 0.",
        len(lower),
    )
    return [words.format(n=whole(len(lower)), all=whole(len(systems))), *_named(lower, systems), *_level(systems)]


def _named(rows: Sequence[Versus], systems: Sequence[Versus]) -> list[str]:
    """Return a sentence that names systems; none if they are all of them, or many."""
    if len(rows) == len(systems) or len(rows) > MOST_NAMED:
        return []
    return [_("They are: {systems}.").format(systems=listed([display_name(row.name, "") for row in rows]))]


def verdicts(systems: Sequence[Versus]) -> list[str]:
    """Return a sentence for each verdict of non-inferiority to human speech; none without a margin."""
    words = {
        "non_inferior": _("Not inferior to human speech: {systems}."),
        "inferior": _("Inferior to human speech: {systems}."),
        "undecided": _("Undecided whether inferior to human speech: {systems}."),
    }
    names = {verdict: [row.name for row in systems if row.verdict == verdict] for verdict in words}
    return [text.format(systems=_few(names[verdict])) for verdict, text in words.items() if names[verdict]]


def _few(names: Sequence[str]) -> str:
    if len(names) <= MOST_NAMED:
        return listed(names)
    return ngettext("{n} system", "{n} systems", len(names)).format(n=whole(len(names)))


def _level(systems: Sequence[Versus]) -> list[str]:
    """Return a sentence on the level of each comparison with human speech; none for one system, the only pair."""
    if len(systems) < 2:
        return []
    words = _(
        "Each of the {n} comparisons with human speech is at 5 % by itself. All pairs are adjusted for their number, "
        "so that fewer of them may differ."
    )
    return [words.format(n=whole(len(systems)))]


def _more_errors(systems: Sequence[Versus]) -> list[str]:
    more = [row for row in systems if row.low is not None and row.low > 0]
    if not more:
        return [_("No system is told from human speech so far: no interval of a difference lies above 0.")]
    words = ngettext(
        "{n} of {all} systems has more errors than human speech: the interval of its difference lies above 0.",
        "{n} of {all} systems have more errors than human speech: the intervals of their differences lie above 0.",
        len(more),
    )
    return [words.format(n=whole(len(more)), all=whole(len(systems))), *_level(systems)]


def breakdown(item: Breakdown, by: str) -> list[str]:
    """Return a sentence on the largest share in a breakdown; merged lines are left out, since they contain others."""
    cells = [
        (group.counts[number] / group.of, line.label, group, group.counts[number])
        for group in item.groups.get(by, ())
        if group.of
        for number, line in enumerate(item.lines)
        if not line.of
    ]
    if not cells:
        return []
    share, label, group, count = max(cells, key=lambda cell: cell[0])
    if not count:
        return [_("None of these was named yet.")]
    return [
        _("The largest share is “{label}” for {group}: {share} ({n} of {all}).").format(
            label=label,
            group=display_name(group.name, group.kind),
            share=percent(share),
            n=whole(count),
            all=whole(group.of),
        )
    ]
