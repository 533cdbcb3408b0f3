"""The launch page's list: what to fix, what to look at and what is fine, each with the page that fixes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from studies import hooks
from studies.clips import queries as clips_queries
from studies.definition.form_fields import label_of
from studies.definition.queries import newest
from studies.hooks import LaunchFinding, Level
from studies.launch import changes, checks, facts, server_checks
from studies.launch.design_page import SettingRow
from studies.launch.effort import Effort, effort
from studies.launch.frame import design_url
from studies.launch.plan import plan_of
from studies.launch.settings_forms import GROUPS, setting_words
from studies.summaries import services as summaries
from studies.summaries.services import SummaryKind

if TYPE_CHECKING:
    from studies.definition.models import Study

DESIGN = "design"
# Pages of a study that a finding may name as its place.
PLACES = {
    "clips": ("clips", gettext_lazy("Open Clips")),
    "questions": ("questions", gettext_lazy("Open Questions")),
    "texts": ("texts", gettext_lazy("Open Texts")),
    "audit": ("audit", gettext_lazy("Open Audit")),
    "languages": ("languages", gettext_lazy("Open Languages")),
    "experts": ("experts", gettext_lazy("Open Experts")),
    "settings": ("members", gettext_lazy("Open Settings")),
}
STATUS = "status"
TITLES = {
    "blocking": gettext_lazy("Fix before launch"),
    "warning": gettext_lazy("Check these"),
    "note": gettext_lazy("Fine"),
}


@dataclass(frozen=True, slots=True)
class LaunchLine:
    """A finding as the page shows it; `url` is empty where no page fixes it.

    A button sets `setting` to `value`, if there is a value. With a `row`, the page itself asks for the setting.
    """

    message: str
    url: str = ""
    label: str = ""
    examples: tuple[str, ...] = ()
    setting: str = ""
    value: int | None = None
    row: SettingRow | None = None
    for_admins: str = ""


@dataclass(frozen=True, slots=True)
class LaunchGroup:
    """The findings of one level under their title."""

    level: Level
    title: str
    lines: list[LaunchLine]

    @property
    def asked(self) -> list[LaunchLine]:
        """Return the findings whose setting the page itself asks for."""
        return [line for line in self.lines if line.row]

    @property
    def others(self) -> list[LaunchLine]:
        """Return the findings without a field."""
        return [line for line in self.lines if not line.row]


@dataclass(frozen=True, slots=True)
class ChangedGroup:
    """The settings of one group that a publication changes, each with its label."""

    title: str
    rows: list[tuple[str, changes.Change]]


def changed(study: Study) -> dict[str, Any]:
    """Return what publishing the draft would change for raters; nothing before the launch."""
    version = newest(study)
    if version is None:
        return {"changed": []}
    groups: dict[str, ChangedGroup] = {}
    for change in changes.changes(study, version):
        title = str(GROUPS.get(change.group) or _(label_of(change.group)))
        label, words = title, dict[str, str]()
        if change.name:
            label, words = setting_words(study.draft["task_type"], change.group, change.name)
        before, after = (words.get(value, value) for value in (change.before, change.after))
        row = label, replace(change, before=before, after=after)
        groups.setdefault(change.group, ChangedGroup(title, [])).rows.append(row)
    return {"changed": list(groups.values())}


@dataclass(frozen=True, slots=True)
class ClipChecks:
    """What reads all clips: the findings before a launch, what the launch asks of raters, clips added since."""

    findings: list[LaunchFinding]
    effort: Effort
    added: int


def clip_checks(study: Study, choice: str = "") -> ClipChecks:
    """Run every check of a study."""
    plan = plan_of(study)
    version = newest(study)
    added = changes.clips_added(study, version) if version else 0
    return ClipChecks(checks.findings(study, plan), effort(plan), added)


SUMMARY = SummaryKind("launch", ClipChecks, clip_checks, clips_queries.all_of)


def context(study: Study, now: datetime, asked: Mapping[str, SettingRow] | None = None) -> dict[str, Any]:
    """Return the groups of findings, how many block the launch, and what the launch asks of raters.

    `asked` are the rows of settings for which the page has fields: {dotted setting: row}.
    """
    shown = summaries.summary(SUMMARY, study, now=now)
    findings = [*(shown.value.findings if shown.value else ()), *server_checks.findings()]
    groups = [
        LaunchGroup(
            level,
            str(TITLES[level]),
            [_line(study, each, (asked or {}).get(each.setting)) for each in findings if each.level == level],
        )
        for level in checks.LEVELS
    ]
    return {
        "groups": [group for group in groups if group.lines],
        "blocking": sum(finding.level == "blocking" for finding in findings),
        "shown": shown,
        "effort": shown.value.effort if shown.value else None,
        "clips_added": shown.value.added if shown.value else 0,
        **changed(study),
    }


def _line(study: Study, finding: LaunchFinding, row: SettingRow | None = None) -> LaunchLine:
    line = _linked(study, finding)
    if row and finding.value is not None:
        facts.propose(row, finding.value)
    return replace(
        line,
        examples=finding.examples,
        setting=finding.setting,
        value=finding.value,
        row=row,
        for_admins=finding.for_admins,
    )


def _linked(study: Study, finding: LaunchFinding) -> LaunchLine:
    if finding.place == STATUS:
        return LaunchLine(finding.message, reverse("status"), _("Open System status"))
    if finding.place == DESIGN or finding.setting:
        return LaunchLine(finding.message, design_url(study, finding.setting), _("Open Design"))
    if finding.place in PLACES:
        name, label = PLACES[finding.place]
        url = reverse(f"studies:{name}", args=[study.slug])
        words = _("See finding") if finding.place == "audit" and finding.anchor else str(label)
        return LaunchLine(finding.message, f"{url}#{finding.anchor}" if finding.anchor else url, words)
    if ":" in finding.place:
        labels = [str(link.label) for link in hooks.study_links if link.url_name == finding.place]
        shown = str(_("Open {page}").format(page=labels[0]) if labels else _("Open this page"))
        return LaunchLine(finding.message, reverse(finding.place, args=[study.slug]), shown)
    return LaunchLine(finding.message)
