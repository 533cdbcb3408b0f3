"""The audit's findings in words: what differs, by how much, between which systems, and why listeners could use it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from studies.audit.comparing import Difference, Interval, SourceDifference

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words

    from studies.audit.queries import AuditedClip


@dataclass(frozen=True, slots=True)
class Measure:
    """How a measure is called, shown and compared: `sentence` names {more}, {less} and {size}."""

    label: Words
    unit: str
    # From stored values to shown ones, and their decimals.
    shown: Callable[[float], float]
    decimals: int
    # Empty for measures that are shown and not compared.
    sentence: Words = ""
    why: Words = ""

    def number(self, value: float) -> str:
        return f"{self.shown(value):.{self.decimals}f}"


def same(value: float) -> float:
    return value


def percent(value: float) -> float:
    """Return a difference of logarithms as percent."""
    return 100 * math.expm1(value)


def kilo(value: float) -> float:
    return value / 1000


SYSTEM_TELLS = gettext_lazy("Listeners can recognize the system before they hear its voice.")
MEASURES = {
    "loudness": Measure(
        gettext_lazy("Loudness"),
        "LU",
        same,
        1,
        gettext_lazy("Clips of {more} are louder than those of {less}: {size}."),
        gettext_lazy("Louder clips are often judged better, and loudness alone can identify a system."),
    ),
    "silence_before": Measure(
        gettext_lazy("Silence at the start"),
        "s",
        same,
        2,
        gettext_lazy("Clips of {more} start with more silence than those of {less}: {size}."),
        SYSTEM_TELLS,
    ),
    "silence_after": Measure(
        gettext_lazy("Silence at the end"),
        "s",
        same,
        2,
        gettext_lazy("Clips of {more} end with more silence than those of {less}: {size}."),
        gettext_lazy("Listeners can recognize the system by how its clips end."),
    ),
    "bandwidth": Measure(
        gettext_lazy("Bandwidth"),
        "kHz",
        kilo,
        1,
        gettext_lazy("Clips of {more} reach higher frequencies than those of {less}: {size}."),
        gettext_lazy("A duller or brighter sound identifies a system, however natural its voice is."),
    ),
    "pauses": Measure(
        gettext_lazy("Level in pauses"),
        "dB",
        same,
        1,
        gettext_lazy("Pauses in clips of {more} are louder than in those of {less}: {size}."),
        gettext_lazy("Background noise, or its absence, identifies a system even between the words."),
    ),
    "speech_rate": Measure(
        gettext_lazy("Speech rate"),
        "%",
        percent,
        0,
        gettext_lazy("Clips of {more} are spoken faster than those of {less}: {size}."),
        gettext_lazy("A pace of its own can identify a system; it may also be what you study."),
    ),
}
FACTS = {
    "sample_rate": (
        gettext_lazy("The sources differ in sample rate: {groups}."),
        gettext_lazy("A low rate cuts high frequencies off, and converting it to a higher one doesn’t restore them."),
    ),
    "coding": (
        gettext_lazy("The sources differ in bit depth or codec: {groups}."),
        gettext_lazy("Coarse samples and lossy codecs add noise of their own."),
    ),
    "channels": (
        gettext_lazy("The sources differ in channels: {groups}."),
        gettext_lazy("Stereo recordings that are mixed to one channel can sound hollow; mono ones don’t."),
    ),
}


def of_difference(found: Difference) -> str:
    """Return a difference between systems as a sentence."""
    sentence = str(MEASURES[found.measure].sentence)
    return sentence.format(more=listed(found.more), less=listed(found.less), size=_size(found.measure, found.by))


def of_sources(found: SourceDifference) -> str:
    """Return a difference between sources as a sentence."""
    groups = [
        _("{systems} {values}").format(
            systems=listed(names), values=listed([value_of(found.fact, value) for value in values])
        )
        for values, names in found.groups
    ]
    return str(FACTS[found.fact][0]).format(groups="; ".join(groups))


def fact_of(clip: AuditedClip, fact: str) -> str:
    """Return a fact of a clip's source, the same in every language; empty if it is unknown.

    The coding is the bit depth, or the codec where samples have none: FLAC and WAV files of one depth are alike.
    """
    if fact != "coding":
        return str(getattr(clip, fact))
    if clip.bit_depth is None:
        return clip.codec
    return f"{clip.bit_depth} float" if clip.codec == "float" else str(clip.bit_depth)


def value_of(fact: str, value: str) -> str:
    """Return a fact of a source as people read it."""
    if fact == "sample_rate":
        return f"{int(value) / 1000:g} kHz"
    if fact == "channels":
        return _("stereo") if value == "2" else _("mono")
    number, _space, kind = value.partition(" ")
    if not number.isdigit():
        return value
    return (_("{number} bit float") if kind else _("{number} bit")).format(number=number)


def _size(name: str, by: Interval) -> str:
    measure = MEASURES[name]
    have = {"unit": measure.unit, "texts": by.texts}
    have |= {end: measure.number(getattr(by, end)) for end in ("mean", "low", "high")}
    if by.texts:
        return _("{mean} {unit}, 95 % interval {low} to {high}, paired by {texts} texts").format(**have)
    return _("{mean} {unit}, 95 % interval {low} to {high}, not paired by text").format(**have)


def listed(names: Sequence[str]) -> str:
    """Return names as a list in words: “a”, “a and b”, “a, b and c”."""
    if len(names) < 2:
        return "".join(names)
    return _("{first} and {last}").format(first=", ".join(names[:-1]), last=names[-1])
