"""Types that the importer and the decoding process share."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from studies.imports.ingest import rates

SHORTEST = 0.1
MIN_RATE, MAX_RATE, MAX_CHANNELS = 8_000, 192_000, 2


@dataclass(frozen=True)
class Target:
    """How renditions are made and how long a clip may be; a study's audio settings without the study."""

    # Hz; None takes the recording's own, or the next one that renditions may have.
    sample_rate: int | None = 48_000
    channels: int = 1
    # LUFS; None keeps the original loudness.
    loudness: float | None = -23.0
    # dBTP
    peak: float = -1.0
    max_seconds: float = 60.0
    # Seconds of silence at both edges; None keeps the original edges.
    edges: float | None = None
    # Hz above which everything is removed; None keeps all.
    band: int | None = None
    # Of a file that goes on with something unknown, read the part that its header declares.
    keeps_declared: bool = False

    def rate(self, own: int) -> int:
        """Return the rate of the rendition of a recording at the rate `own`."""
        return self.sample_rate or rates.enough(own)


@dataclass(frozen=True)
class Facts:
    """What was measured on one clip, and on the rendition made of it."""

    format: str
    sha256: str
    # seconds, of the rendition before it is filled up to a whole 20 ms
    duration: float
    # Hz, of the original
    sample_rate: int
    channels: int
    # LUFS; None when the clip is too short to be measured
    loudness: float | None
    # dBTP
    true_peak: float
    # seconds
    silence_before: float
    silence_after: float
    # dB, applied to the rendition
    gain: float
    # LUFS, of the rendition
    delivered: float | None
    rendition_bytes: int
    # of the original: PCM, float, FLAC, MP3 …; None where samples have no bit depth
    codec: str
    bit_depth: int | None
    # seconds that the rendition lacks of the original at the start and at the end; negative where some were added
    trimmed_before: float
    trimmed_after: float
    # share of samples at full scale in runs
    clipped: float
    # SHA-256 of the rate and the decoded samples
    content_sha256: str
    # sentences for the researcher
    warnings: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
