"""Launch checks of the stimulus audit."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studies.audit import measuring, queries, repair_words
from studies.audit.findings import findings as audit_findings
from studies.definition.models import Study
from studies.hooks import LaunchFinding


def findings(study: Study) -> Iterator[LaunchFinding]:
    """Yield what the audit found: blocking findings, open ones as warnings, and accepted ones as notes.

    Clips that were not measured yet block nothing, so that a launch never depends on a running worker.
    """
    clips = queries.clips(study)
    if not clips:
        return
    if repairs := study.definition.audio.repairs:
        yield LaunchFinding("note", repair_words.of_all(repairs.items()), place="audit")
    is_fine = True
    for found in audit_findings(study, clips):
        if found.accepted is None:
            is_fine = False
            text = _("Audit: {finding} {why}").format(finding=found.text, why=found.why)
            # Changes of a launched study's texts don't wait for its clips.
            yield LaunchFinding(found.level if study.is_draft else "warning", text, place="audit")
        else:
            yield LaunchFinding(
                "note", _("Audit, part of what you compare: {finding}").format(finding=found.text), place="audit"
            )
    if missing := sum(not clip.is_measured for clip in clips):
        yield LaunchFinding("warning", _unmeasured(study, missing), place="audit")
    elif is_fine:
        text = ngettext(
            "Audit: {number} clip was measured, and no other difference between systems was found.",
            "Audit: {number} clips were measured, and no other difference between systems was found.",
            len(clips),
        )
        yield LaunchFinding("note", text.format(number=len(clips)), place="audit")


def _unmeasured(study: Study, missing: int) -> str:
    job = measuring.newest(study)
    if job is None or job.is_over:
        text = ngettext(
            "Audit: {number} clip isn’t measured yet. Open the page Audit and measure the clips.",
            "Audit: {number} clips aren’t measured yet. Open the page Audit and measure the clips.",
            missing,
        )
        return text.format(number=missing)
    text = ngettext(
        "The audit is still running: {number} clip isn’t measured yet. Wait for it, or differences between systems "
        "may be missed.",
        "The audit is still running: {number} clips aren’t measured yet. Wait for it, or differences between systems "
        "may be missed.",
        missing,
    )
    return text.format(number=missing)
