"""The findings of a study's audit: what blocks a launch, and differences that listeners could use."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studies.audit import queries, words
from studies.audit.comparing import Difference, SourceDifference, SystemClip, differences, source_differences
from studies.audit.likeness import near_pairs
from studies.audit.models import AcceptedFinding, ClipAudit
from studies.audit.prompts import PromptedClip, own_prompts
from studies.audit.queries import AuditedClip
from studies.audit.repairing import REPAIR_OF
from studies.audit.strict_leak import StoredRendition, strict_leaks
from studies.clips.models import Clip
from studies.definition.models import Study
from studies.definition.settings.audit import AuditSettings
from studies.hooks import Level

# The most files or pairs that a finding lists.
NAMED = 5


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """One finding: it blocks the launch, or it is a warning until a researcher accepts it."""

    level: Level
    # Identifies the difference and the systems or clips; another difference has another key.
    key: str
    text: str
    why: str
    # The systems it is about.
    systems: tuple[str, ...] = ()
    # The measure to plot; empty if there is none.
    measure: str = ""
    # The finding in short, for the launch checks; empty if it blocks the launch.
    short: str = ""
    # (clip, file) of each copy of the same audio; deleting all but one fixes the finding.
    copies: tuple[tuple[int, str], ...] = ()
    accepted: AcceptedFinding | None = None

    @property
    def kind(self) -> str:
        """Return the kind: the measure, or another name."""
        return self.key.partition(":")[0]

    @property
    def repair(self) -> str:
        """Return the repair that can fix it; empty if none can."""
        return REPAIR_OF.get(self.measure, "")

    @property
    def is_blocking(self) -> bool:
        return self.level == "blocking"

    @property
    def is_open(self) -> bool:
        return self.level == "warning" and self.accepted is None


def findings(study: Study, clips: Sequence[AuditedClip]) -> list[AuditFinding]:
    """Return the findings on a study's clips, those that block first: about a second for 10,000 clips.

    Compares what was measured so far; `clips` are those of `queries.clips`.
    """
    return with_accepted(study, found(study, clips))


def with_accepted(study: Study, rows: Sequence[Found]) -> list[AuditFinding]:
    """Attach the present acceptances to findings."""
    accepted = queries.accepted(study)
    return [AuditFinding(*row, accepted.get(row.key) if row.level == "warning" else None) for row in rows]


def found(study: Study, clips: Sequence[AuditedClip]) -> list[Found]:
    """Return the findings without acceptances."""
    same = list(_groups_of_same(clips))
    compared = [clip for clip in clips if clip.is_compared and clip.is_measured]
    warnings = [*_differences(compared, study.definition.audit), *_sources(clips), *_near(clips, same), *_leak(study)]
    return [
        *_unusable(clips),
        *map(_same_audio, same),
        *_strict_leaks(study, clips),
        *_own_prompts(clips),
        *(Found("warning", *each) for each in warnings),
    ]


class Found(NamedTuple):
    """A finding before acceptances are attached; fields as in `AuditFinding`."""

    level: Level
    key: str
    text: str
    why: str
    systems: tuple[str, ...] = ()
    measure: str = ""
    short: str = ""
    copies: tuple[tuple[int, str], ...] = ()


class Warned(NamedTuple):
    """A warning; fields as in `Found`."""

    key: str
    text: str
    why: str
    systems: tuple[str, ...]
    measure: str
    short: str


def _key(kind: str, *parts: Iterable[str]) -> str:
    """Return a short key of a finding; the same for the same clips and systems."""
    canonical = "\n".join("\t".join(part) for part in parts)
    return f"{kind}:{hashlib.sha256(canonical.encode()).hexdigest()[:32]}"


def _unusable(clips: Sequence[AuditedClip]) -> Iterator[Found]:
    for problem in ClipAudit.Problem:
        files = [clip.file for clip in clips if clip.is_measured and clip.problem == problem]
        if files:
            text = _unusable_text(problem, len(files)).format(number=len(files), files=_named(files))
            yield Found(
                "blocking", _key(problem, files), text, _("Raters could not judge them. Replace or withdraw the clips.")
            )


def _unusable_text(problem: str, number: int) -> str:
    if problem == ClipAudit.Problem.SILENT:
        return ngettext("{number} clip is silent: {files}.", "{number} clips are silent: {files}.", number)
    return ngettext("{number} clip can’t be read: {files}.", "{number} clips can’t be read: {files}.", number)


def _same_audio(group: Sequence[AuditedClip]) -> Found:
    text = _("The same audio is used for different systems or roles: {files}.")
    words = _("{file} ({system}, {role})")
    named = _named(
        [words.format(file=clip.file, system=clip.system, role=Clip.Role(clip.role).label) for clip in group]
    )
    why = _("One recording can’t stand for two systems. Keep one of them, or replace a file.")
    copies = tuple((clip.clip, clip.file) for clip in group[:NAMED])
    return Found("blocking", _key("same", [clip.file for clip in group]), text.format(files=named), why, copies=copies)


def _groups_of_same(clips: Sequence[AuditedClip]) -> Iterator[list[AuditedClip]]:
    """Find the same recording under two systems or two roles: the same file, or the same samples in another file."""
    seen: set[tuple[int, ...]] = set()
    for column in ("sha256", "content_sha256"):
        groups: defaultdict[str, list[AuditedClip]] = defaultdict(list)
        for clip in clips:
            groups[getattr(clip, column)].append(clip)
        # Clips imported by earlier releases have no hash of their samples.
        groups.pop("", None)
        for group in groups.values():
            key = tuple(clip.clip for clip in group)
            if len({(clip.system, clip.role) for clip in group}) > 1 and key not in seen:
                seen.add(key)
                yield group


def _strict_leaks(study: Study, clips: Sequence[AuditedClip]) -> Iterator[Found]:
    """Find renditions whose size or stored name reveals more than the duration."""
    audio = study.definition.audio
    stored = (
        StoredRendition(clip.file, clip.rendition, clip.rendition_bytes, clip.duration, clip.sample_rate)
        for clip in clips
    )
    leaks = strict_leaks(stored, audio.channels, audio.sample_rate)
    if audio.sample_rate is None and study.is_draft:
        # Before the launch, clips are converted to one rate; another launch check waits for this.
        leaks = leaks._replace(rates=())
    for kind, files in leaks._asdict().items():
        if files:
            text = words.of_strict_leak(kind, len(files)).format(number=len(files), files=_named(files))
            yield Found("blocking", _key(f"strict_{kind}", files), text, str(words.STRICT_WHY[kind]))


def _own_prompts(clips: Sequence[AuditedClip]) -> Iterator[Found]:
    """Find clips whose speaker prompt is their own recording, or says their own text (rule C2)."""
    rows = [
        PromptedClip(clip.file, clip.prompt_file, clip.text, clip.body, (clip.sha256, clip.content_sha256))
        for clip in clips
    ]
    for kind, pairs in own_prompts(rows)._asdict().items():
        if pairs:
            files = [_("{file} (prompt {prompt})").format(file=file, prompt=prompt) for file, prompt in pairs]
            text = words.of_own_prompt(kind, len(pairs)).format(number=len(pairs), files=_named(files))
            key = _key(f"prompt_{kind}", *pairs)
            yield Found("blocking", key, text, str(words.PROMPT_WHY))


def _differences(clips: Sequence[AuditedClip], settings: AuditSettings) -> Iterator[Warned]:
    rows = [comparable(clip) for clip in clips]
    for found in differences(rows, thresholds(settings), same_text={"speech_rate"}):
        text = words.of_difference(found, _level(clips, found))
        key = _key(found.measure, found.more, found.less)
        yield Warned(key, text, _why(found), found.systems, found.measure, words.short_difference(found))


def _level(clips: Sequence[AuditedClip], found: Difference) -> float | None:
    """Return the median level of noise in the systems that have more of it; None for other measures."""
    name = words.LEVELS.get(found.measure)
    levels = [clip.values[name] for clip in clips if clip.system in found.more and name and name in clip.values]
    return median(levels) if levels else None


def thresholds(settings: AuditSettings) -> dict[str, float]:
    """Return the threshold of each measure that is compared, in the unit of `comparable` values."""
    return {
        "loudness": settings.loudness,
        "silence_before": settings.edge_silence,
        "silence_after": settings.edge_silence,
        "noise_before": settings.edge_noise,
        "noise_after": settings.edge_noise,
        "bandwidth": settings.bandwidth,
        "pauses": settings.pauses,
        "speech_rate": math.log1p(settings.speech_rate / 100),
    }


def comparable(clip: AuditedClip) -> SystemClip:
    """Return a clip whose speech rate is a logarithm: differences are then shares."""
    values = clip.values
    if "speech_rate" in values:
        values["speech_rate"] = math.log(values["speech_rate"])
    return SystemClip(clip.system, clip.text, values)


def _why(found: Difference | SourceDifference) -> str:
    if isinstance(found, Difference):
        return str(words.MEASURES[found.measure].why)
    return str(words.FACTS[found.fact][1])


def _sources(clips: Sequence[AuditedClip]) -> Iterator[Warned]:
    facts: dict[str, defaultdict[str, set[str]]] = {name: defaultdict(set) for name in words.FACTS}
    for clip in clips:
        if clip.is_compared:
            for name in facts:
                if value := words.fact_of(clip, name):
                    facts[name][clip.system].add(value)
    for found in source_differences(facts):
        parts = [[*values, *names] for values, names in found.groups]
        systems = tuple(sorted(name for _values, names in found.groups for name in names))
        short = words.of_sources(found, words.few)
        yield Warned(_key(found.fact, *parts), words.of_sources(found), _why(found), systems, "", short)


def _near(clips: Sequence[AuditedClip], same: Sequence[Sequence[AuditedClip]]) -> Iterator[Warned]:
    """Find clips of different systems, roles or texts that sound the same and are not the same file."""
    rows = [clip for clip in clips if clip.is_measured and clip.fingerprint and clip.role != Clip.Role.ANCHOR]
    blocked = {frozenset(clip.clip for clip in group) for group in same}
    seconds = [float((clip.measures or {})["duration"]) for clip in rows]
    pairs = [
        (rows[one], rows[other])
        for one, other in near_pairs([clip.fingerprint or "" for clip in rows], seconds)
        if _label(rows[one]) != _label(rows[other])
        and not any({rows[one].clip, rows[other].clip} <= group for group in blocked)
    ]
    if pairs:
        text = ngettext(
            "{number} pair of clips with different systems, roles or texts sounds the same: {pairs}.",
            "{number} pairs of clips with different systems, roles or texts sound the same: {pairs}.",
            len(pairs),
        )
        files = [_("{one} and {other}").format(one=one.file, other=other.file) for one, other in pairs]
        why = _(
            "A file may have the wrong label, or two systems may have returned one recording. Listen to both: correct "
            "the label or replace a file."
        )
        key = _key("near", *((one.file, other.file) for one, other in pairs))
        systems = tuple(sorted({clip.system for pair in pairs for clip in pair}))
        short = ngettext(
            "{number} pair of clips with different systems, roles or texts sounds the same.",
            "{number} pairs of clips with different systems, roles or texts sound the same.",
            len(pairs),
        )
        full, short = (sentence.format(number=len(pairs), pairs=_named(files)) for sentence in (text, short))
        yield Warned(key, full, why, systems, "", short)


def _leak(study: Study) -> Iterator[Warned]:
    leak = queries.leak(study)
    if leak is not None and leak.is_found:
        names = [name for name, _area in leak.carriers]
        key = _key("leak", sorted(names))
        yield Warned(key, words.of_leak(leak), str(words.LEAK_WHY), (), "", words.short_leak(leak))


def _label(clip: AuditedClip) -> tuple[str, str, str]:
    return clip.system, clip.role, clip.text


def _named(names: Sequence[str]) -> str:
    more = len(names) - NAMED
    listed = ", ".join(names[:NAMED])
    return listed if more <= 0 else _("{names} and {more} more").format(names=listed, more=more)
