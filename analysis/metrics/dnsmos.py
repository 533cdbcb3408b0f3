"""DNSMOS: Microsoft's estimate of how a listener would rate speech after noise suppression, on the processor.

The package `speechmos` brings the models. It is optional, and loaded by workers alone.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

# In the order in which people look at them: overall, speech, background, and the older model of ITU-T P.808.
PARTS = {"ovrl": "DNSMOS OVRL", "sig": "DNSMOS SIG", "bak": "DNSMOS BAK", "p808": "DNSMOS P.808"}
LOW, HIGH = 1.0, 5.0
RATE = 16_000
# Below this the package pads by repeating almost nothing; an empty clip it pads for ever.
LEAST_SECONDS = 0.1
LONGEST_SECONDS = 600.0
PACKAGES = ("speechmos", "librosa", "onnxruntime", "requests")


class Unscored(Exception):
    """This clip gets no score; the message says why."""


def is_installed() -> bool:
    """Say whether everything that scoring needs is there, without loading it."""
    return all(find_spec(name) is not None for name in PACKAGES)


def provenance() -> dict[str, Any]:
    """Return what scores depend on besides the clip."""
    versions = {}
    for name in PACKAGES[:3]:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "?"
    return {"model": "DNSMOS (sig_bak_ovr.onnx, model_v8.onnx)", "audio": "as raters hear it, mono, 16 kHz", **versions}


def score(file: IO[bytes]) -> dict[str, float]:
    """Return each part's score of a WAV file, about 1 to 5; raises `Unscored`. The first call takes some seconds more.

    A clip shorter than 9 s is repeated until it is as long; a longer one gets the mean over its windows.
    """
    sound = heard(file)
    from speechmos import dnsmos

    output = dnsmos.run(sound, RATE)
    scores = {part: float(output[f"{part}_mos"]) for part in PARTS}
    if not all(np.isfinite(list(scores.values()))):
        raise Unscored("The model gave no number.")
    return scores


def heard(file: IO[bytes]) -> NDArray[np.float32]:
    """Return a WAV file's sound as the model takes it: (n,) at 16 kHz within ±1; raises `Unscored`."""
    import soundfile

    from studies.imports.ingest.rendition import resampled

    try:
        samples, rate = soundfile.read(file, dtype="float64", always_2d=True)
    except (soundfile.LibsndfileError, RuntimeError) as error:
        raise Unscored("The file can't be read as sound.") from error
    seconds = len(samples) / rate
    if seconds < LEAST_SECONDS:
        raise Unscored(f"The clip is shorter than {LEAST_SECONDS} s.")
    if seconds > LONGEST_SECONDS:
        raise Unscored(f"The clip is longer than {LONGEST_SECONDS:.0f} s.")
    mono = samples.mean(axis=1, keepdims=True)
    if not np.isfinite(mono).all():
        raise Unscored("The clip contains samples that are not numbers.")
    if not mono.any():
        raise Unscored("The clip is silent.")
    return np.clip(resampled(mono, rate, RATE)[:, 0], -1.0, 1.0).astype(np.float32)
