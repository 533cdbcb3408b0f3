"""Launch checks of the stimulus audit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studies.audit import measuring, queries, repair_words, words
from studies.audit.findings import AuditFinding
from studies.audit.findings import findings as audit_findings
from studies.definition.models import Study
from studies.hooks import LaunchFinding


def findings(study: Study) -> Iterator[LaunchFinding]:
    """Yield launch findings: blocking ones, one line for each kind of open ones, and accepted ones as notes.

    Unmeasured clips block nothing, so that a launch never depends on a running worker.
    """
    clips = queries.clips(study)
    if not clips:
        return
    if repairs := study.definition.audio.repairs:
        yield LaunchFinding("note", repair_words.of_all(repairs.items()), place="audit")
    measured = sum(clip.is_measured for clip in clips)
    if measured < len(clips):
        yield LaunchFinding("warning", _unmeasured(study, measured, len(clips)), place="audit")
    is_fine, has_accepted = True, False
    warned: defaultdict[str, list[AuditFinding]] = defaultdict(list)
    for found in audit_findings(study, clips):
        if found.accepted is not None:
            has_accepted = True
            text = _("Audit, part of what you compare: {finding}").format(finding=found.text)
            yield LaunchFinding("note", text, place="audit")
            continue
        is_fine = False
        if found.is_blocking:
            text = _("Audit: {finding} {why}").format(finding=found.text, why=found.why)
            # Changes of a launched study's texts don't wait for its clips.
            yield LaunchFinding(found.level if study.is_draft else "warning", text, place="audit")
        else:
            warned[found.kind].append(found)
    for kind, group in warned.items():
        text = _("Audit: {finding}").format(finding=words.of_kind([found.short for found in group]))
        yield LaunchFinding("warning", text, place="audit", anchor=f"finding-{kind}")
    if is_fine and measured == len(clips):
        yield LaunchFinding("note", _no_difference(len(clips), has_accepted=has_accepted), place="audit")


def _no_difference(clips: int, *, has_accepted: bool) -> str:
    if has_accepted:
        text = ngettext(
            "Audit: {number} clip was measured. The differences that you compare on purpose are the only ones found.",
            "Audit: {number} clips were measured. The differences that you compare on purpose are the only ones found.",
            clips,
        )
    else:
        text = ngettext(
            "Audit: {number} clip was measured. No difference between systems was found.",
            "Audit: {number} clips were measured. No difference between systems was found.",
            clips,
        )
    return text.format(number=clips)


def _unmeasured(study: Study, measured: int, total: int) -> str:
    job = measuring.newest(study)
    progress = words.of_progress(measured, total)
    if job is None or job.is_over:
        return _("Audit: {progress} Open the page Audit and measure the clips.").format(progress=progress)
    return _("The audit is still running: {progress}").format(progress=progress)
