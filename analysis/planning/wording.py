"""The answers of a power plan in words: parts that the page shows and the shell prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from analysis.planning.power import CARELESS
from core.text.numbers import decimals, percent, whole

if TYPE_CHECKING:
    from analysis.planning.inputs import PowerInputs
    from analysis.planning.result import Costs, PowerResults, Takes, Verdict
    from studies.definition.definition import Definition


@dataclass(frozen=True, slots=True)
class Part:
    """An answer under its own heading: paragraphs, a list, a table (headers, rows)."""

    key: str
    title: str
    paragraphs: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def parts(inputs: PowerInputs, results: PowerResults, definition: Definition) -> Iterator[Part]:
    """Yield all answers, the one for one pair first."""
    yield _one_pair(inputs, results, definition)
    if results.pairs > 1:
        yield _all_pairs(inputs, results, is_pair=definition.kind.contests)
    if results.by_dimension:
        yield _dimensions(inputs, results, is_pair=definition.kind.contests)
    if results.verdict is not None:
        yield _verdict(inputs, results.verdict, definition.kind.score.name)
    yield _clips(results, is_pair=definition.kind.contests)


def all_at_needed(results: PowerResults) -> float | None:
    """Return the power for all pairs with the raters that one pair needs; None where no number is enough for it."""
    return next((point.formula_all for point in results.points if point.raters == results.needed), None)


def _one_pair(inputs: PowerInputs, results: PowerResults, definition: Definition) -> Part:
    needed, takes, is_pair = results.needed, results.takes, definition.kind.contests
    if needed is None or takes is None:
        clips, best = whole(inputs.clips), percent(results.best)
        why = (
            _(
                "By the formula, the power with {clips} clip pairs stays at {best}, however many raters there are: "
                "pairs differ too much. Use more texts."
            )
            if is_pair
            else _(
                "By the formula, the power with {clips} clips of each system stays at {best}, however many raters "
                "there are: clips differ too much. Use more texts."
            )
        ).format(clips=clips, best=best)
        help_text = _helps([(row.clips, row.raters) for row in results.by_clips], is_pair=is_pair)
        return Part("answer", _("No number of raters is enough"), (why, help_text))
    title = (
        _("{n} raters with usable answers, for one pair named in advance")
        if results.pairs > 1
        else _("{n} raters with usable answers")
    ).format(n=whole(needed))
    return Part(
        "answer",
        title,
        (_asked(inputs, results, definition), *_too_many(takes)),
        (*_effort(takes, is_pair=is_pair), *_careless(inputs, results)),
    )


def _asked(inputs: PowerInputs, results: PowerResults, definition: Definition) -> str:
    scale = definition.kind.score
    low, high = (f"{value:.3g}" for value in results.expected)
    text = (
        _(
            "To tell a preference of {high} {unit} from none ({low} {unit}) in {wanted} of studies, with {clips} clip "
            "pairs, of which a rater judges {each}. This holds for one pair of systems that you name before the launch."
        )
        if definition.kind.contests
        else _(
            "To tell a system of {name} {low} from one of {high} in {wanted} of studies, when there are {clips} clips "
            "of each system and a rater rates {each} of them."
        )
    )
    each, wanted = whole(inputs.per_rater), percent(inputs.power)
    return text.format(
        low=low, high=high, unit=scale.unit, name=scale.name, wanted=wanted, clips=whole(inputs.clips), each=each
    )


def _effort(takes: Takes, *, is_pair: bool) -> Iterator[str]:
    yield _(
        "{raters} people who rate, as some batches will not count, and {invited} to invite, as some never get that far."
    ).format(raters=whole(takes.raters), invited=whole(takes.invited))
    yield _("{ratings} usable ratings; {answers} answers to pay for, traps and lost batches included.").format(
        ratings=whole(takes.ratings), answers=whole(takes.answers)
    )
    each = (
        _("{now} ratings of each pair; the study wants {wanted} now.")
        if is_pair
        else _("{now} ratings of each clip; the study wants {wanted} now.")
    )
    yield each.format(now=decimals(takes.ratings_a_clip, 0), wanted=whole(takes.ratings_wanted))
    if takes.costs is not None:
        yield _costs(takes.costs)


def _costs(costs: Costs) -> str:
    minutes = _("About {minutes} minutes a session.").format(minutes=whole(costs.minutes))
    if costs.pay is None:
        return f"{minutes} {_('Set the pay on Design to see what this costs.')}"
    text = (
        _("Pay for all sessions: {pay} {currency}, without the platform’s fee.")
        if costs.with_fee is None
        else _("Pay for all sessions: {pay} {currency}; {total} {currency} with the platform’s fee.")
    )
    pay = text.format(pay=decimals(costs.pay, 2), total=decimals(costs.with_fee, 2), currency=costs.currency)
    return f"{minutes} {pay}"


def _careless(inputs: PowerInputs, results: PowerResults) -> Iterator[str]:
    if results.careless is not None:
        yield _(
            "If {share} of these raters answered at random and no check excluded them, {given} of studies would find "
            "the difference instead of {wanted}."
        ).format(share=percent(CARELESS), given=percent(results.careless), wanted=percent(inputs.power))


def _too_many(takes: Takes) -> Iterator[str]:
    if takes.tests_each > takes.capacity:
        yield _(
            "One rater would have {tests} trials, and a session holds {capacity}: raise the batches of a session, or "
            "ask fewer clips of each ({sessions} sessions’ worth)."
        ).format(tests=whole(takes.tests_each), capacity=whole(takes.capacity), sessions=whole(takes.sessions_each))


def _all_pairs(inputs: PowerInputs, results: PowerResults, *, is_pair: bool) -> Part:
    pairs, wanted = whole(results.pairs), percent(inputs.power)
    needed, takes, share = results.needed_all, results.takes_all, all_at_needed(results)
    why = _(
        "The answer above is for one pair that you name before the launch. The study’s page compares all {pairs} pairs "
        "and adjusts every interval and p for all of them, so the same difference is found less often."
    ).format(pairs=pairs)
    at_needed = (
        []
        if share is None
        else [
            _(
                "{n} raters find the difference in {wanted} of studies as one pair, and in {given} after the "
                "adjustment (by the formula)."
            ).format(n=whole(results.needed), wanted=wanted, given=percent(share))
        ]
    )
    if needed is not None and takes is not None:
        title = _("{n} raters to compare all {pairs} pairs").format(n=whole(needed), pairs=pairs)
        effort = _(
            "For {wanted} after the adjustment: {n} raters, {ratings} usable ratings, {invited} people to invite."
        ).format(wanted=wanted, n=whole(needed), ratings=whole(takes.ratings), invited=whole(takes.invited))
        return Part("all", title, (why,), (*at_needed, effort))
    title = _("No number of raters is enough to compare all {pairs} pairs").format(pairs=pairs)
    stays = (
        _(
            "By the formula, the power with {clips} clip pairs stays at {best} after the adjustment. Use more texts, "
            "or name the pairs that matter before the launch."
        )
        if is_pair
        else _(
            "By the formula, the power with {clips} clips of each system stays at {best} after the adjustment. Use "
            "more texts, or name the pairs that matter before the launch."
        )
    ).format(clips=whole(inputs.clips), best=percent(results.best_all))
    help_text = _helps([(row.clips, row.raters_all) for row in results.by_clips], is_pair=is_pair)
    return Part("all", title, (why,), (*at_needed, stays, help_text))


def _dimensions(inputs: PowerInputs, results: PowerResults, *, is_pair: bool) -> Part:
    values = {"n": whole(inputs.dimensions), "wanted": percent(inputs.power)}
    how = _(
        "The same difference within one of {n} dimensions, with its share of the clips, in {wanted} of studies. "
        "Results adjust nothing for the number of dimensions. If you will claim a difference in each of them, use the "
        "last column: all pairs of systems in all dimensions, each at .05 / {n}."
    ).format(**values)
    clips = _("Clip pairs in a dimension") if is_pair else _("Clips of each system in a dimension")
    headers = (clips, _("Raters needed for one pair in one dimension"), _("Raters needed for all pairs and dimensions"))
    rows = tuple((whole(row.clips), _raters(row.raters), _raters(row.raters_all)) for row in results.by_dimension)
    return Part("dimensions", _("Within each dimension"), (how,), headers=headers, rows=rows)


def _verdict(inputs: PowerInputs, verdict: Verdict, name: str) -> Part:
    margin, least = f"{verdict.margin:g}", whole(verdict.at_ceiling)
    title = _("Not inferior to human speech")
    floor = _(
        "If human speech always passes, nothing shows how raters and texts differ: then even a system that always "
        "passes needs at least {n} raters and {n} texts for this margin of {margin}, and a system that sometimes fails "
        "more."
    ).format(margin=margin, n=least)
    if verdict.human is None:
        unknown = _(
            "This task’s simulated listeners never give 90 % of the scale. Enter the expected score of human speech to "
            "see how many raters and texts the verdict needs."
        )
        return Part("margin", title, (unknown, floor))
    how = _(
        "If human speech has {name} {human} and a system is truly as good, {wanted} of studies reach the verdict “not "
        "inferior” at the margin of {margin} with the raters in this table, by the formula. Like the verdicts on "
        "Results, this is not adjusted for the number of systems."
    ).format(name=name, human=f"{verdict.human:.3g}", margin=margin, wanted=percent(inputs.power))
    table = tuple((whole(row.clips), _raters(row.raters)) for row in verdict.by_clips)
    headers = (_("Clips of each system"), _("Raters needed"))
    return Part("margin", title, (how, floor), headers=headers, rows=table)


def _clips(results: PowerResults, *, is_pair: bool) -> Part:
    clips = _("Clip pairs for each pair of systems") if is_pair else _("Clips of each system")
    # Plans of earlier releases have no raters for all pairs.
    if results.pairs > 1 and any(row.raters_all for row in results.by_clips):
        of_both = (clips, _("Raters needed for one pair"), _("Raters needed for all pairs"))
        rows = tuple((whole(row.clips), _raters(row.raters), _raters(row.raters_all)) for row in results.by_clips)
        return Part("clips", _("More clips, fewer raters"), headers=of_both, rows=rows)
    headers = (clips, _("Raters needed for one pair") if results.pairs > 1 else _("Raters needed"))
    table = tuple((whole(row.clips), _raters(row.raters)) for row in results.by_clips)
    return Part("clips", _("More clips, fewer raters"), headers=headers, rows=table)


def _raters(number: int | None) -> str:
    return _("no number is enough") if number is None else whole(number)


def _helps(rows: Sequence[tuple[int, int | None]], *, is_pair: bool) -> str:
    """Return the fewest clips of the table with which some number of raters is enough."""
    enough = next(((clips, raters) for clips, raters in rows if raters is not None), None)
    if enough is None:
        return _("Even {clips} are not enough: plan for a larger difference.").format(clips=whole(rows[-1][0]))
    text = (
        _("With {clips} clip pairs, {raters} raters are enough.")
        if is_pair
        else _("With {clips} clips of each, {raters} raters are enough.")
    )
    return text.format(clips=whole(enough[0]), raters=whole(enough[1]))
