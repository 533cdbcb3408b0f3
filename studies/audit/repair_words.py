"""Descriptions of repairs: their effect, their risk, and their value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from core.text.numbers import general
from studies.audit import words
from studies.audit.models import AppliedRepair

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words

    from studies.audit.previewing import RepairException

Kind = AppliedRepair.Kind


@dataclass(frozen=True, slots=True)
class RepairWords:
    """How a repair is described."""

    what: Words
    # What it may remove that the study is about.
    risk: Words
    # The label of the value with its unit; and the repair as a short phrase with {value}.
    field: Words
    summary: Words


REPAIRS: dict[str, RepairWords] = {
    Kind.EDGES: RepairWords(
        gettext_lazy(
            "The silence at the start and at the end of every clip is trimmed or padded to one length. Steady noise "
            "before or after the speech is cut. Speech, breaths and soft sounds are kept, with at least 50 ms of what "
            "is beside them. Where a clip has too little silence, its own background noise continues it."
        ),
        gettext_lazy(
            "Breaths and pauses at the edges may be part of what listeners judge. Sounds hidden in noise before or "
            "after the speech are cut with it, and the 50 ms of noise beside the speech fade instead of being removed."
        ),
        gettext_lazy("Silence at both edges (s)"),
        gettext_lazy("silence of {value} s at both edges"),
    ),
    Kind.BAND: RepairWords(
        gettext_lazy(
            "Frequencies above one limit are removed from every clip, by the same low-pass filter, which shifts "
            "nothing in time. The proposed limit is the bandwidth of the dullest system."
        ),
        gettext_lazy(
            "Brightness may be part of what listeners judge: systems that produce high frequencies lose them, and "
            "sounds such as s become duller for all."
        ),
        gettext_lazy("Highest frequency (Hz)"),
        gettext_lazy("frequencies up to {value} Hz"),
    ),
    Kind.LEVEL: RepairWords(
        gettext_lazy(
            "Every clip is brought to one loudness (ITU-R BS.1770-4). The proposed value is the highest that all clips "
            "reach without exceeding the study’s highest peak."
        ),
        gettext_lazy("How loud a system speaks, and how this varies between its clips, may be part of what you study."),
        gettext_lazy("Loudness of all clips (LUFS)"),
        gettext_lazy("loudness of {value} LUFS"),
    ),
}


def summary(kind: str, value: float) -> str:
    """Return a repair as a short phrase: “silence of 0.2 s at both edges”."""
    return str(REPAIRS[kind].summary).format(value=general(value))


def of_all(repairs: Iterable[tuple[str, float]]) -> str:
    """Return the repairs of a study as a sentence."""
    phrases = [summary(kind, value) for kind, value in repairs]
    text = ngettext(
        "{number} repair is applied to all clips: {repairs}.",
        "{number} repairs are applied to all clips: {repairs}.",
        len(phrases),
    )
    return text.format(number=len(phrases), repairs=words.listed(phrases))


def of_exception(found: RepairException) -> str:
    """Return the reason why a repair doesn't bring a clip to the common value."""
    value = words.MEASURES[found.measure].value(found.value) if found.measure else ""
    if found.why == "keeps" and found.measure == "silence_before":
        return _("It keeps {value} s at the start: there is a breath or another soft sound.").format(value=value)
    if found.why == "keeps":
        return _("It keeps {value} s at the end: there is a breath or another soft sound.").format(value=value)
    if found.why == "ends":
        return _("It reaches only {value} kHz anyway.").format(value=value)
    if found.why == "peaks":
        return _("It reaches only {value} LUFS: its peaks would be too high.").format(value=value)
    return _("It is too short or too quiet for its loudness to be measured.")
