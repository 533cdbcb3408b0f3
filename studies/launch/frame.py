"""What a study's pages say of it: its version, the steps to its launch and panels of higher apps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from core import clock
from studies import hooks
from studies.audit import measuring, overview
from studies.audit.findings import with_accepted
from studies.definition.models import Study
from studies.definition.queries import newest
from studies.launch.states import has_changes
from studies.summaries import services as summaries


@dataclass(frozen=True, slots=True)
class StudyStep:
    """One step on the way to the launch."""

    label: str
    url: str
    is_done: bool
    is_running: bool = False
    # Open findings of the audit.
    findings: int = 0


@dataclass(frozen=True, slots=True)
class Panel:
    """A rendered panel of a higher app."""

    title: str
    purpose: str
    body: SafeString
    is_used: bool


def design_url(study: Study, setting: str = "") -> str:
    """Return the address of the page Design, at a dotted setting if one is named."""
    return reverse("studies:design", args=[study.slug]) + (f"#{setting}" if setting else "")


def panels_of(study: Study) -> list[Panel]:
    """Render the panels of higher apps for the study's state, lowest order first."""
    panels = [panel for panel in hooks.study_panels if not (panel.of_launched if study.is_draft else panel.of_draft)]
    bodies = [(panel, panel.render(study)) for panel in sorted(panels, key=lambda panel: panel.order)]
    return [
        Panel(str(panel.title), str(panel.purpose), mark_safe(body), panel.is_used(study))  # noqa: S308
        for panel, body in bodies
        if body
    ]


def steps(study: Study) -> list[StudyStep]:
    """Return the steps to the launch, and which of them are done."""
    has_clips = study.clips.filter(withdrawn_at=None).exists()
    audit = measuring.newest(study)
    is_queued = audit is not None and not audit.is_over
    # A copy has the measures of its clips already, and only its leak test runs again.
    is_measured = has_clips and is_queued and measuring.is_measured(study)
    is_audited = is_measured or measuring.is_done(study)
    return [
        StudyStep(_("Design"), design_url(study), study.designed_at is not None),
        StudyStep(_("Clips"), reverse("studies:clips", args=[study.slug]), has_clips),
        StudyStep(
            _("Audit"),
            reverse("studies:audit", args=[study.slug]),
            is_audited,
            is_running=is_queued and not is_measured,
            findings=_open_findings(study) if is_audited else 0,
        ),
        StudyStep(_("Check & launch"), reverse("studies:launch", args=[study.slug]), study.launched_at is not None),
    ]


def _open_findings(study: Study) -> int:
    """Count the audit's open findings; 0 while those of many clips are being computed."""
    shown = summaries.summary(overview.SUMMARY, study, now=clock.now())
    rows = with_accepted(study, shown.value.found) if shown.value is not None else []
    return sum(row.is_blocking or row.is_open for row in rows)


def frame(study: Study) -> dict[str, Any]:
    """Return the study, its version, and whether its draft differs from it, for a template."""
    version = newest(study)
    return {"study": study, "version": version, "is_changed": version is not None and has_changes(study, version)}
