"""The result of a pair of folders, in whole sentences of the active language."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from analysis.stats.preferences.duel import Rule
from core.text.languages import translate
from quick.trials import ALPHA
from quick.verdicts import REACH, Verdict
from quick.wording import number, p_value, percent

CHOSEN = {
    Rule.ONE_RATER: gettext_noop("{first} was preferred to {second} on {wins} of {texts} texts, {share}."),
    Rule.FEW_RATERS: gettext_noop("{first} was preferred to {second} in {share}, the mean of {texts} texts."),
    Rule.TWO_WAY: gettext_noop("{first} was preferred to {second} in {share} of {answers} answers."),
}
RECOGNISED = {
    Rule.ONE_RATER: gettext_noop("{first} and {second}: X was recognised on {wins} of {texts} texts, {share}."),
    Rule.FEW_RATERS: gettext_noop("{first} and {second}: X was recognised in {share}, the mean of {texts} texts."),
    Rule.TWO_WAY: gettext_noop("{first} and {second}: X was recognised in {share} of {answers} answers."),
}
_POINTS = gettext_noop("{first} was rated {points} points higher than {second}.")
RATED = {
    Rule.ONE_RATER: gettext_noop("{first} was rated higher than {second} on {wins} of {texts} texts, {share}."),
    Rule.FEW_RATERS: _POINTS,
    Rule.TWO_WAY: _POINTS,
}
CLAIMS = {"ab": CHOSEN, "abx": RECOGNISED, "acr": RATED, "mushra": RATED}


def sentences(verdict: Verdict, task: str, pairs_compared: int) -> Iterator[str]:
    """Yield the result of one pair, with its interval and p unless there are only counts."""
    share = verdict.share
    if share.rule is Rule.COUNTS or share.value is None or share.p is None or verdict.p is None:
        yield _counts(verdict, task)
    else:
        yield _claim(verdict, task, share.value)
        if verdict.ties:
            yield ngettext("{number} answer was a tie.", "{number} answers were ties.", verdict.ties).format(
                number=verdict.ties
            )
        yield _interval(verdict, task)
        yield _tests(verdict, pairs_compared)
        if verdict.p >= ALPHA:
            yield _("No clear difference.")
    if share.note:
        yield translate(share.note)


def _counts(verdict: Verdict, task: str) -> str:
    values = {"first": verdict.first, "second": verdict.second, "wins": verdict.wins, "losses": verdict.losses}
    if task == "abx":
        answers = verdict.wins + verdict.losses
        return _("{first} and {second}: X was recognised in {wins} of {answers} answers.").format(
            **values, answers=answers
        )
    if verdict.ties:
        return _("Answers in favour of {first}: {wins}; of {second}: {losses}; equal: {ties}.").format(
            **values, ties=verdict.ties
        )
    return _("Answers in favour of {first}: {wins}; of {second}: {losses}.").format(**values)


def _claim(verdict: Verdict, task: str, value: float) -> str:
    share = verdict.share
    return _(CLAIMS[task][share.rule]).format(
        first=verdict.first, second=verdict.second, wins=round(value * share.texts), texts=share.texts,
        answers=verdict.wins + verdict.losses, share=percent(value), points=_points(value, task),
    )  # fmt: skip


def _interval(verdict: Verdict, task: str) -> str:
    low, high = verdict.share.low or 0.0, verdict.share.high or 0.0
    if task in REACH and verdict.share.rule is not Rule.ONE_RATER:
        return _("95 % interval: {low} to {high}.").format(low=_points(low, task), high=_points(high, task))
    return _("95 % interval: {low} to {high}.").format(low=f"{100 * low:.0f}", high=percent(high))


def _points(value: float, task: str) -> str:
    return number(value, 2 if task == "acr" else 1)


def _tests(verdict: Verdict, pairs_compared: int) -> str:
    share = verdict.share
    if pairs_compared > 1:
        return _("Test adjusted for {number} pairs: {p}.").format(number=pairs_compared, p=p_value(verdict.p or 0.0))
    p = p_value(share.p or 0.0)
    if share.rule is Rule.ONE_RATER:
        return _("Sign test: {p}.").format(p=p)
    if share.p_flips is not None:
        return _("t test: {p}; sign flips: {p_flips}.").format(p=p, p_flips=p_value(share.p_flips))
    return _("Test over raters and texts: {p}.").format(p=p)
