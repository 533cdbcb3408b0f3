"""Descriptions of audit findings: the difference, its size, the systems, and how listeners could use it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from studies.audit.comparing import Difference, Interval, SourceDifference

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words

    from studies.audit.leak import Leak
    from studies.audit.outliers import Outlier
    from studies.audit.queries import AuditedClip


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure's label, unit and scale."""

    label: Words
    # Of a difference, and of a value.
    unit: str
    value_unit: Words
    decimals: int
    # A sentence with {more}, {less} and {size}.
    sentence: Words
    why: Words
    # Factor from stored to shown values.
    scale: float = 1.0
    # The narrowest range of a plot, so that inaudible differences are not magnified.
    span: float = 2.0
    # True if differences are those of logarithms, shown as percent.
    is_ratio: bool = False

    def difference(self, value: float) -> str:
        """Return a difference as text, without its unit."""
        return f"{100 * math.expm1(value):.0f}" if self.is_ratio else self.value(value)

    def value(self, value: float) -> str:
        """Return a value as text, without its unit."""
        return f"{value * self.scale:.{self.decimals}f}".replace("-", "−")


SYSTEM_TELLS = gettext_lazy(
    "Listeners can recognize the system before they hear its voice. Make the edges of all clips alike (“Preview "
    "repair”)."
)
SYSTEM_ENDS = gettext_lazy(
    "Listeners can recognize the system by how its clips end. Make the edges of all clips alike (“Preview repair”)."
)
MEASURES = {
    "loudness": Measure(
        gettext_lazy("Loudness"),
        "LU",
        "LUFS",
        1,
        gettext_lazy("Clips of {more} are louder than those of {less}: {size}."),
        gettext_lazy(
            "Louder clips are often judged better, and listeners can recognize a system by its loudness. Bring all "
            "clips to one loudness (“Preview repair”)."
        ),
    ),
    "silence_before": Measure(
        gettext_lazy("Silence at the start"),
        "s",
        "s",
        2,
        gettext_lazy("Clips of {more} start with more silence than those of {less}: {size}."),
        SYSTEM_TELLS,
        span=0.3,
    ),
    "silence_after": Measure(
        gettext_lazy("Silence at the end"),
        "s",
        "s",
        2,
        gettext_lazy("Clips of {more} end with more silence than those of {less}: {size}."),
        SYSTEM_ENDS,
        span=0.3,
    ),
    "noise_before": Measure(
        gettext_lazy("Noise at the start"),
        "s",
        "s",
        2,
        gettext_lazy("Clips of {more} start with more audible noise than those of {less}: {size}."),
        SYSTEM_TELLS,
        span=0.3,
    ),
    "noise_after": Measure(
        gettext_lazy("Noise at the end"),
        "s",
        "s",
        2,
        gettext_lazy("Clips of {more} end with more audible noise than those of {less}: {size}."),
        SYSTEM_ENDS,
        span=0.3,
    ),
    "bandwidth": Measure(
        gettext_lazy("Bandwidth"),
        "kHz",
        "kHz",
        1,
        gettext_lazy("Clips of {more} reach higher frequencies than those of {less}: {size}."),
        gettext_lazy(
            "Listeners can recognize the duller or brighter system, however natural its voice is. Cut all clips at one "
            "frequency (“Preview repair”), or replace the clips."
        ),
        scale=0.001,
        span=2000,
    ),
    "pauses": Measure(
        gettext_lazy("Level in pauses"),
        "dB",
        "dBFS",
        1,
        gettext_lazy("Pauses in clips of {more} are louder than in those of {less}: {size}."),
        gettext_lazy(
            "Listeners can recognize the system by the noise, or the silence, between its words. Replace the clips by "
            "ones with similar noise."
        ),
        span=12,
    ),
    "speech_rate": Measure(
        gettext_lazy("Speech rate"),
        "%",
        gettext_lazy("characters a second"),
        1,
        gettext_lazy("Clips of {more} are spoken faster than those of {less}: {size}."),
        gettext_lazy(
            "Listeners can recognize the system by how fast it speaks. Make the clips again at one pace, unless the "
            "pace is part of what you compare."
        ),
        span=4,
        is_ratio=True,
    ),
}
FACTS = {
    "sample_rate": (
        gettext_lazy("The sources differ in sample rate: {groups}."),
        gettext_lazy(
            "A low sample rate makes speech duller, and converting it to a higher one doesn’t change that. Make the "
            "clips again at one rate, or cut all at one frequency."
        ),
    ),
    "coding": (
        gettext_lazy("The sources differ in bit depth or codec: {groups}."),
        gettext_lazy(
            "Few bits and formats such as MP3 add noise that listeners can recognize. Import all clips in one lossless "
            "format, such as WAV with 16 bits."
        ),
    ),
    "channels": (
        gettext_lazy("The sources differ in channels: {groups}."),
        gettext_lazy(
            "Stereo recordings that are mixed to one channel can sound hollow, and listeners can recognize them. "
            "Record or export all clips in mono."
        ),
    ),
}


# Measures shown together with their level relative to the speech.
LEVELS = {"noise_before": "noise_before_level", "noise_after": "noise_after_level"}
# Measures that appear only in the clip table and the leak test.
OTHERS = {
    "duration": gettext_lazy("Duration"),
    "true_peak": gettext_lazy("True peak"),
    "rolloff": gettext_lazy("99 % roll-off"),
}
# A short finding lists at most this many systems, and counts more.
NAMED_SYSTEMS = 4
# By the names of `strict_leak.StrictLeaks`.
STRICT_WHY = {
    "sizes": gettext_lazy("The size of a file can identify a clip. Replace or withdraw these clips."),
    "rates": gettext_lazy("The size of a file can identify a system. Replace or withdraw these clips."),
    "names": gettext_lazy("Stored names must be random. Replace or withdraw these clips."),
}
PROMPT_WHY = gettext_lazy(
    "The system could copy the recording, so raters would not judge what it makes of a voice. Correct wrong labels; "
    "otherwise delete the clips, and import ones made with another prompt."
)
LEAK_WHY = gettext_lazy(
    "Listeners may use the same signs, and their answers would not be about the voice. Make these measures alike in "
    "all clips, with a repair or with new recordings."
)


def of_leak(leak: Leak) -> str:
    """Return the result of an acoustic leak test as a sentence."""
    carriers = [
        _("{measure} ({area})").format(measure=label_of(name), area=f"{area:.2f}") for name, area in leak.carriers
    ]
    text = _(
        "Human clips can be told from the others without listening to the voice: a program that sees only these "
        "measures sorts them right with area under the curve {area} (0.5 is guessing, 1 is always right), p = {p}, "
        "{clips} clips. The strongest measures, with their own areas: {carriers}."
    )
    have = {"area": f"{leak.area:.2f}", "p": f"{leak.p:.3f}", "clips": leak.clips, "carriers": listed(carriers)}
    return text.format(**have)


def short_leak(leak: Leak) -> str:
    """Return the result of an acoustic leak test in short: the area is a share of pairs."""
    text = _(
        "Measures tell human clips from the others: of a human clip and another one, a program finds the human one in "
        "{percent:.0f} % of cases (guessing: 50 %). Strongest: {carriers}."
    )
    return text.format(percent=100 * leak.area, carriers=listed([label_of(name) for name, _area in leak.carriers]))


def of_kind(sentences: Sequence[str]) -> str:
    """Return the first of the short findings of one kind, and how many more there are."""
    more = len(sentences) - 1
    if not more:
        return sentences[0]
    text = ngettext(
        "{finding} {number} more finding of this kind.", "{finding} {number} more findings of this kind.", more
    )
    return text.format(finding=sentences[0], number=more)


def of_value(name: str, values: Mapping[str, float]) -> str:
    """Format a measure of a clip, noise with its level relative to the speech; a dash without a value."""
    if name not in values:
        return "–"
    text = MEASURES[name].value(values[name])
    level = values.get(LEVELS.get(name, ""))
    return text if level is None else _("{value} ({level} dB)").format(value=text, level=relative(level))


def of_progress(done: int, total: int) -> str:
    """Return the progress of measuring; empty once all clips are measured."""
    text = ngettext(
        "{done} of {total} clip measured; findings can still change.",
        "{done} of {total} clips measured; findings can still change.",
        total,
    )
    return text.format(done=done, total=total)


def of_own_prompt(kind: str, number: int) -> str:
    """Return the sentence for a kind of `prompts.OwnPrompts`, with places for {number} and {files}."""
    if kind == "audio":
        return ngettext(
            "{number} clip is the same recording as its speaker prompt: {files}.",
            "{number} clips are the same recordings as their speaker prompts: {files}.",
            number,
        )
    return ngettext(
        "{number} clip has a speaker prompt that says the clip’s own text: {files}.",
        "{number} clips have speaker prompts that say the clips’ own texts: {files}.",
        number,
    )


def of_strict_leak(kind: str, number: int) -> str:
    """Return the sentence for a kind of strict leak, with places for {number} and {files}."""
    if kind == "sizes":
        return ngettext(
            "{number} clip has more or fewer bytes than its duration explains: {files}.",
            "{number} clips have more or fewer bytes than their durations explain: {files}.",
            number,
        )
    if kind == "rates":
        return ngettext(
            "{number} clip is sent at another sample rate than the others: {files}.",
            "{number} clips are sent at another sample rate than the others: {files}.",
            number,
        )
    return ngettext(
        "{number} clip is stored under a name that isn’t random: {files}.",
        "{number} clips are stored under names that aren’t random: {files}.",
        number,
    )


def label_of(name: str) -> str:
    """Return the label of a measure."""
    return str(MEASURES[name].label if name in MEASURES else OTHERS[name])


def of_difference(found: Difference, level: float | None = None) -> str:
    """Describe a difference between systems; noise has a second one on its level relative to speech."""
    sentence = str(MEASURES[found.measure].sentence)
    text = sentence.format(more=listed(found.more), less=listed(found.less), size=_size(found.measure, found.by))
    if level is None:
        return text
    return _("{finding} Its level is {level} dB relative to the speech.").format(finding=text, level=relative(level))


def relative(level: float) -> str:
    """Return a level relative to another as text: “−20”."""
    return f"{level:+.0f}".replace("-", "−")


def of_sources(found: SourceDifference, named: Callable[[Sequence[str]], str] | None = None) -> str:
    """Return a difference between sources as a sentence; `named` lists the systems, by default all of them."""
    groups = [
        _("{systems} {values}").format(
            systems=(named or listed)(names), values=listed([value_of(found.fact, value) for value in values])
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
    """Format a fact of a source."""
    if fact == "sample_rate":
        return f"{int(value) / 1000:g} kHz"
    if fact == "channels":
        return _("stereo") if value == "2" else _("mono")
    number, _space, kind = value.partition(" ")
    if not number.isdigit():
        return value
    return (_("{number} bit float") if kind else _("{number} bit")).format(number=number)


def short_difference(found: Difference) -> str:
    """Describe a difference between systems by its mean, without its interval."""
    measure = MEASURES[found.measure]
    size = f"{measure.difference(found.by.mean)} {measure.unit}"
    return str(measure.sentence).format(more=few(found.more), less=few(found.less), size=size)


def _size(name: str, by: Interval) -> str:
    measure = MEASURES[name]
    have = {"unit": measure.unit, "texts": by.texts}
    have |= {end: measure.difference(getattr(by, end)) for end in ("mean", "low", "high")}
    if by.texts:
        return _("{mean} {unit}, 95 % interval {low} to {high}, paired by {texts} texts").format(**have)
    return _("{mean} {unit}, 95 % interval {low} to {high}, not paired by text").format(**have)


def listed(names: Sequence[str]) -> str:
    """Return names as a list in words: “a”, “a and b”, “a, b and c”."""
    if len(names) < 2:
        return "".join(names)
    return _("{first} and {last}").format(first=", ".join(names[:-1]), last=names[-1])


def few(names: Sequence[str]) -> str:
    """Return names as a list in words, or how many systems they are."""
    if len(names) <= NAMED_SYSTEMS:
        return listed(names)
    return ngettext("{number} system", "{number} systems", len(names)).format(number=len(names))


def of_outlier(found: Outlier) -> str:
    """Describe the measure in which a clip differs most from its system: “Loudness +6.2 LU”."""
    measure = MEASURES[found.measure]
    sign = "+" if found.by > 0 else ""
    return f"{measure.label} {sign}{measure.difference(found.by).replace('-', '−')} {measure.unit}"
