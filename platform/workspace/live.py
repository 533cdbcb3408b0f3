"""What the Live page shows beside the stored figures: exclusions by rule, and alarms."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from analysis.plots.charts import percent, whole
from analysis.sections.exclusions import rule_name
from raters.rating import exclusions
from raters.rating.rules import alarms


@dataclass(frozen=True, slots=True)
class Bar:
    """A count and its share of all, as a bar; `note` says more about it."""

    label: str
    count: str
    width: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Excluded:
    """The newest finished batches: how many each rule took, and which rule took nearly all of them suddenly."""

    finished: int
    bars: list[Bar]
    alarms: list[str]


def excluded(study_id: int) -> Excluded:
    """Return how many of the newest finished batches each rule took."""
    by_rule = exclusions.taken_by_rule(study_id)
    taken_at_all = by_rule.pop("")
    finished = len(taken_at_all)
    rows = [(rule_name(rule), sum(taken)) for rule, taken in by_rule.items()]
    rows = [(_("not excluded by any rule"), finished - sum(taken_at_all)), *rows]
    return Excluded(
        finished,
        [_bar(label, number, finished) for label, number in rows],
        [
            _alarm(rule_name(rule), found)
            for rule, taken in by_rule.items()
            if (found := alarms.sudden(taken)) is not None
        ],
    )


def _alarm(rule: str, found: alarms.Sudden) -> str:
    text = _(
        "The rule “{rule}” excluded {taken} of the last {of} finished batches, but only {earlier} of the {before} "
        "before them. Something changed: pause the study, then check the newest version, the clips that were added "
        "last, and where the new raters come from."
    )
    return text.format(
        rule=rule,
        taken=whole(found.taken),
        of=whole(found.of),
        earlier=whole(found.taken_before),
        before=whole(found.before),
    )


def _bar(label: str, number: int, of: int, note: str = "") -> Bar:
    share = number / of if of else 0.0
    return Bar(label, whole(number), f"{100 * share:.2f}%", note or (percent(share) if of else ""))
