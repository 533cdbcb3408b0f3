"""Launch checks of the margin, the primary contrast and interim analyses, which can't be changed after launch."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from analysis.data.groups import HUMAN
from core import clock
from studies.clips import tables as clips_tables
from studies.hooks import LaunchFinding
from studies.rules import stopping

if TYPE_CHECKING:
    from studies.definition.models import Study


def findings(study: Study) -> Iterator[LaunchFinding]:
    """Yield faults that prevent the launch, and warnings."""
    results = study.definition.results
    if results.margin is not None and not results.margin_reason.strip():
        text = _(
            "The margin has no reason, and reviewers will ask for one. Write why a smaller difference doesn’t matter."
        )
        yield LaunchFinding("warning", text, place="design", setting="results.margin_reason")
    yield from _systems(study, (results.primary,) if results.primary else (), "results.primary")
    if not results.looks:
        return
    if getattr(study.definition.params, "pairs", "baseline") != "baseline":
        text = _(
            "Planned looks compare systems by independent scores, and here each answer is about two of them. Remove "
            "the looks, or compare all systems with one baseline."
        )
        yield LaunchFinding("blocking", text, place="design", setting="results.looks")
    yield from _systems(study, results.contrasts, "results.contrasts")
    yield from _moments(results.looks, clock.now().date())
    if not results.hide_scores:
        text = _(
            "Looks are planned and scores are not hidden: whoever follows them on the study’s page looks more often "
            "than planned. Hide scores until closing, under “Looks and hidden scores”."
        )
        yield LaunchFinding("warning", text, place="design")
    count = {"looks": len(results.looks), "contrasts": len(results.contrasts), "alpha": f"{results.stop_alpha:g}"}
    text = _(
        "{looks} looks at {contrasts} contrasts are planned; all together they err in {alpha} of null studies at most."
    )
    yield LaunchFinding("note", text.format(**count), place="design")


def _systems(study: Study, lines: tuple[str, ...], setting: str) -> Iterator[LaunchFinding]:
    """Each system of a contrast must be rated."""
    about = clips_tables.groups(study.pk).values()
    rated = {clip.system for clip in about if clip.role == "test"}
    rated |= {HUMAN for clip in about if clip.role == "reference"}
    for pair in stopping.contrasts(lines):
        for system in pair:
            if system not in rated:
                text = _("A planned contrast names the system “{system}”, of which there is no test clip.")
                yield LaunchFinding("blocking", text.format(system=system), place="design", setting=setting)


def _moments(lines: tuple[str, ...], today: date) -> Iterator[LaunchFinding]:
    """Each date must be in the future."""
    for line, look in zip(lines, stopping.looks(lines), strict=True):
        if look.day is not None and look.day <= today:
            yield LaunchFinding(
                "blocking", _("The planned look of {day} is not in the future.").format(day=line), place="design"
            )
