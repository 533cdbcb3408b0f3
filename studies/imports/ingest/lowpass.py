"""Make low-pass anchors: references without their high frequencies, as a point of comparison."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile
from scipy import signal

from studies.imports.ingest.decode import decode
from studies.imports.ingest.measure import Samples
from studies.imports.ingest.problems import InvalidInput

# Start of the stop band above the cut-off, and its attenuation in dB.
STEEPNESS, STOP = 1.15, 80.0
# Room between the cut-off and the highest frequency that a recording can hold, below which there is nothing to cut.
ROOM = 1.1


def write_lowpass(source: Path, target: Path, hertz: int, *, max_seconds: float, keeps_declared: bool = False) -> None:
    """Write the recording at `source`, low-passed, to `target` as 24-bit WAV at its own rate; raises `InvalidInput`.

    If the filter's ringing exceeds full scale, the recording is scaled down.
    """
    samples, rate, _form = decode(source, max_seconds=max_seconds, keeps_declared=keeps_declared)
    if not can_lowpass(rate, hertz):
        raise InvalidInput(
            f"An anchor low-passed at {hertz:,} Hz can't be made of a recording at {rate:,} Hz, which contains nothing "
            "to remove. Send the reference at a higher sample rate, or leave this anchor out."
        )
    sound = lowpassed(samples, rate, hertz)
    sound /= max(1.0, float(np.abs(sound).max()))
    with target.open("wb") as file:
        soundfile.write(file, sound, rate, format="WAV", subtype="PCM_24")


def can_lowpass(rate: int, hertz: int) -> bool:
    """Say whether recordings at this rate contain anything to remove above `hertz`."""
    return rate / 2 >= ROOM * hertz


def lowpassed(samples: Samples, rate: int, hertz: int) -> Samples:
    """Return (frames, channels) with all up to `hertz` as it was and in time, and what lies above removed."""
    return np.asarray(signal.oaconvolve(samples, _filter(rate, hertz)[:, None], mode="same", axes=0), dtype=np.float64)


@lru_cache(maxsize=8)
def _filter(rate: int, hertz: int) -> npt.NDArray[np.float64]:
    """Return a linear-phase filter with an odd number of taps, so that it delays by whole samples."""
    stop = min(STEEPNESS * hertz, rate / 2)
    count, beta = signal.kaiserord(STOP, 2 * (stop - hertz) / rate)
    taps = signal.firwin(int(count) | 1, (hertz + stop) / 2, window=("kaiser", beta), fs=rate)
    return np.asarray(taps, dtype=np.float64)
