"""Launch checks of the spot check, which block a launch if the study requires it."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studies.clips.models import Clip
from studies.definition.models import Study
from studies.hooks import LaunchFinding, Level
from studies.spot_checks import overview


def findings(study: Study) -> Iterator[LaunchFinding]:
    """Check that all items are decided, failed clips are withdrawn, and no system fails too often."""
    settings = study.definition.spot_check
    if settings.mode == "off" or not study.is_draft:
        return
    if settings.mode == "offered" and not overview.has_decisions(study.pk):
        return
    level: Level = "blocking" if settings.mode == "required" else "warning"
    stands = overview.progress(study)
    is_well = True
    if stands.open:
        is_well = False
        text = ngettext(
            "The spot check isn’t finished: {number} of {all} items still waits for experts.",
            "The spot check isn’t finished: {number} of {all} items still wait for experts.",
            stands.open,
        )
        yield LaunchFinding(level, text.format(number=stands.open, all=stands.open + stands.done), place="experts")
    failed = sum(item.is_in for item in overview.failing(study.pk))
    if failed:
        is_well = False
        text = ngettext(
            "{number} item failed the spot check and is still in the study: withdraw or replace its clip.",
            "{number} items failed the spot check and are still in the study: withdraw or replace their clips.",
            failed,
        )
        yield LaunchFinding(level, text.format(number=failed), place="experts")
    for rate in _over(study, settings.failure_limit):
        is_well = False
        text = _(
            "{system}: {percent:.0f} % of the clips checked failed the spot check ({failed} of {checked}), "
            "and the limit is {limit:.0f} %."
        )
        have = {"system": rate.system, "failed": rate.failed, "checked": rate.checked, "percent": rate.percent}
        yield LaunchFinding(level, text.format(**have, limit=100 * (settings.failure_limit or 0)), place="experts")
    if is_well:
        text = ngettext(
            "The spot check is done: {done} item decided; {failed} failed and were removed.",
            "The spot check is done: {done} items decided; {failed} failed and were removed.",
            stands.done,
        )
        yield LaunchFinding("note", text.format(done=stands.done, failed=stands.failed), place="experts")


def _over(study: Study, limit: float | None) -> Iterator[overview.Rate]:
    """Yield the systems that fail too often and still have clips to rate."""
    if limit is None:
        return
    clips = Clip.objects.filter(study=study, role=Clip.Role.TEST, withdrawn_at=None)
    there = set(clips.values_list("system__name", flat=True))
    for rate in overview.rates(study.pk, "success"):
        if rate.system in there and rate.share is not None and rate.share > limit:
            yield rate
