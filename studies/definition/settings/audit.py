"""How large a difference between systems must be for the audit of the clips to report it."""

from __future__ import annotations

from pydantic import Field

from core.spec import Spec


class AuditSettings(Spec):
    """Thresholds of the audit: a finding is raised when the whole 95 % interval of a difference lies beyond them."""

    loudness: float = Field(
        1.0,
        gt=0,
        le=20,
        description="Report a difference in loudness above this, in LU. A step of about 1 LU can just be heard; clips "
        "whose loudness is adjusted at import stay below it.",
    )
    edge_silence: float = Field(
        0.15,
        gt=0,
        le=10,
        description="Report more silence before or after the speech above this, in seconds. 0.15 s is about the "
        "length of a syllable; a longer delay can be heard.",
    )
    edge_noise: float = Field(
        0.15,
        gt=0,
        le=10,
        description="Report more audible noise before or after the speech above this, in seconds. 0.15 s is about the "
        "length of a syllable, as for silence; noise of a single clip is measured from 0.25 s on.",
    )
    bandwidth: float = Field(
        1000.0,
        gt=0,
        le=20_000,
        description="Report a difference in bandwidth above this, in Hz. 1,000 Hz is four bands of the measure, so "
        "that its own error is not reported.",
    )
    pauses: float = Field(
        6.0,
        gt=0,
        le=60,
        description="Report a difference of the level in pauses above this, in dB. 6 dB doubles the amplitude of the "
        "background noise.",
    )
    speech_rate: float = Field(
        15.0,
        gt=0,
        le=300,
        description="Report a difference in speech rate above this, in percent, on the texts that systems share. "
        "Voices differ in pace, so smaller differences are not reported.",
    )
