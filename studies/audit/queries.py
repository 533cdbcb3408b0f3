"""Read audit results of a study's clips."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from core.jobs import DONE
from studies.audit.comparing import SystemClip
from studies.audit.leak import Leak
from studies.audit.models import VERSION, AcceptedFinding, ClipAudit, StudyAudit
from studies.clips.models import Clip
from studies.definition.models import Study
from studies.rules.text import graphemes

# Clips that raters judge or hear next to a judged one. Flawed traps and anchors are meant to sound different.
COMPARED = frozenset({Clip.Role.TEST, Clip.Role.TRAP_HUMAN, Clip.Role.REFERENCE})
# Seconds without speech in a clip. Clips measured by an earlier release have no noise.
UNSPOKEN = ("silence_before", "silence_after", "noise_before", "noise_after")


class AuditedClip(NamedTuple):
    """A clip with its source's facts and its measures; `version` is None if it is unmeasured."""

    clip: int
    file: str
    system: str
    role: str
    text: str
    body: str
    sha256: str
    content_sha256: str
    sample_rate: int
    channels: int
    codec: str
    bit_depth: int | None
    clipped: float | None
    rendition: str
    rendition_bytes: int
    duration: float
    version: int | None
    measured: str | None
    measures: Mapping[str, Any] | None
    fingerprint: str | None
    problem: str | None
    prompt_file: str

    @property
    def is_measured(self) -> bool:
        return self.version == VERSION and self.measured == self.rendition

    @property
    def is_compared(self) -> bool:
        return self.role in COMPARED

    @property
    def values(self) -> dict[str, float]:
        """Return all measures that the clip has, with its speech rate in graphemes a second."""
        values = {name: value for name, value in (self.measures or {}).items() if value is not None}
        if values and (count := graphemes(self.body)):
            spoken = values["duration"] - sum(values.get(name, 0.0) for name in UNSPOKEN)
            if spoken > 0:
                values["speech_rate"] = count / spoken
        return values

    @property
    def as_compared(self) -> SystemClip:
        return SystemClip(self.system, self.text, self.values)


COLUMNS = (
    "pk", "file", "system__name", "role", "text__name", "text__body", "sha256", "content_sha256", "sample_rate",
    "channels", "codec", "bit_depth", "clipped", "rendition", "rendition_bytes", "duration", "audit__version",
    "audit__rendition", "audit__measures", "audit__fingerprint", "audit__problem",
    "prompt_file",
)  # fmt: skip


def clips(study: Study) -> list[AuditedClip]:
    """Return a study's clips by file, withdrawn ones left out; one SELECT, about 2 kB a clip."""
    rows = Clip.objects.filter(study=study, withdrawn_at=None).order_by("file")
    return [_audited(row) for row in rows.values_list(*COLUMNS).iterator(chunk_size=2000)]


def clip(pk: int) -> AuditedClip:
    """Return one clip, withdrawn or not."""
    return _audited(Clip.objects.values_list(*COLUMNS).get(pk=pk))


def _audited(row: tuple[Any, ...]) -> AuditedClip:
    return AuditedClip._make((*row[:4], row[4] or "", row[5] or "", *row[6:]))


def leak(study: Study) -> Leak | None:
    """Return the result of the newest acoustic leak test that was finished."""
    row = StudyAudit.objects.filter(study=study, state=DONE).order_by("-pk").first()
    if row is None or row.leak is None:
        return None
    return Leak(**{**row.leak, "carriers": tuple((name, area) for name, area in row.leak["carriers"])})


def accepted(study: Study) -> dict[str, AcceptedFinding]:
    """Return {key: acceptance in force}."""
    rows = AcceptedFinding.objects.filter(study=study, revoked_at=None).select_related("accepted_by")
    return {row.key: row for row in rows}


def problem_of(clip: AuditedClip) -> str:
    """Return the reason why a clip has no measures, as a sentence; empty if it has some."""
    return str(ClipAudit.Problem(clip.problem).label) if clip.problem else ""
