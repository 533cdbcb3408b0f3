"""The launch page's list: what to fix, what to look at and what is fine, each with the page that fixes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from studies import hooks
from studies.launch import checks, server_checks
from studies.launch.effort import effort
from studies.pages.frame import page

if TYPE_CHECKING:
    from studies.definition.models import Study
    from studies.hooks import LaunchFinding, Level

# Pages of a study that a finding may name as its place.
PLACES = {
    "clips": ("clips", gettext_lazy("Open Clips")),
    "audit": ("audit", gettext_lazy("Open Audit")),
    "design": ("change", gettext_lazy("Open Design")),
    "languages": ("languages", gettext_lazy("Open Languages")),
    "experts": ("experts", gettext_lazy("Open Experts")),
    "settings": ("members", gettext_lazy("Open Settings")),
}
STATUS = "status"
TITLES = {
    "blocking": gettext_lazy("Fix before launch"),
    "warning": gettext_lazy("Worth a look"),
    "note": gettext_lazy("Fine"),
}


@dataclass(frozen=True, slots=True)
class LaunchLine:
    """A finding as the page shows it; `url` is empty where no page fixes it."""

    message: str
    url: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class LaunchGroup:
    """The findings of one level under their title."""

    level: Level
    title: str
    lines: list[LaunchLine]


def context(study: Study) -> dict[str, Any]:
    """Return the groups of findings, how many block the launch, and what the launch asks of raters."""
    plan = checks.plan_of(study)
    findings = [*checks.findings(study, plan), *server_checks.findings()]
    groups = [
        LaunchGroup(level, str(TITLES[level]), [_line(study, each) for each in findings if each.level == level])
        for level in checks.LEVELS
    ]
    return {
        "groups": [group for group in groups if group.lines],
        "blocking": sum(finding.level == "blocking" for finding in findings),
        "effort": effort(plan),
    }


def _line(study: Study, finding: LaunchFinding) -> LaunchLine:
    if finding.place == STATUS:
        return LaunchLine(finding.message, reverse("status"), _("Open System status"))
    if finding.place in PLACES:
        name, label = PLACES[finding.place]
        return LaunchLine(finding.message, page(name, study.pk), str(label))
    if ":" in finding.place:
        labels = [str(link.label) for link in hooks.study_links if link.url_name == finding.place]
        shown = str(_("Open {page}").format(page=labels[0]) if labels else _("Open this page"))
        return LaunchLine(finding.message, reverse(finding.place, args=[study.slug]), shown)
    return LaunchLine(finding.message)
