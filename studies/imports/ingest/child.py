"""The process that decodes untrusted files: one request a line on standard input, one answer a line on standard output.

It is started with an empty environment, in a folder of its own, and limits itself before it reads anything. What the
parent can't trust it to do (stop in time, stay alive), the parent does. It knows neither Django nor a secret.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import sys
import traceback
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from studies.imports.ingest import edges
from studies.imports.ingest.coding import coding_of
from studies.imports.ingest.decode import decode
from studies.imports.ingest.facts import Facts, Target
from studies.imports.ingest.highpass import highpassed
from studies.imports.ingest.lowpass import write_lowpass
from studies.imports.ingest.measure import Samples, clipped_share, decibels, loudness, peak, silence
from studies.imports.ingest.problems import InvalidInput, UncertainEnd
from studies.imports.ingest.rendition import render


def process(source: Path, target: Path, audio: Target, edges_of: Path | None = None) -> Facts:
    """Check, decode and measure the file at `source`, and write its rendition to `target`; raises `InvalidInput`.

    An anchor's edges are trimmed like those of its reference, the file `edges_of`, so that both stay in time.
    """
    warnings: list[str] = []
    most, keeps_declared = audio.max_seconds, audio.keeps_declared
    read = partial(decode, max_seconds=most, keeps_declared=keeps_declared)
    samples, rate, form = read(source, warnings=warnings)
    digest = _sha256(source)
    level = loudness(samples, rate)
    before, after = silence(samples, rate)
    seed = int(digest[:16], 16)
    # What is measured is the source; what raters hear, and the edges of it, have no offset.
    clean = highpassed(samples, rate)
    cut = edges.UNCHANGED
    if audio.edges is not None:
        guide = clean
        if edges_of is not None:
            other, its_rate, _form = read(edges_of)
            guide = highpassed(other, rate) if (its_rate, len(other)) == (rate, len(samples)) else clean
        cut = edges.plan(guide, rate, audio.edges)
    sound = edges.applied(clean, rate, cut, seed)
    content, gain, delivered = render(sound, rate, audio, seed=seed)
    target.write_bytes(content)
    codec, bit_depth = coding_of(source, form)
    return Facts(
        format=form.name,
        sha256=digest,
        duration=len(sound) / rate,
        sample_rate=rate,
        channels=samples.shape[1],
        loudness=level,
        true_peak=decibels(peak(samples)),
        silence_before=before,
        silence_after=after,
        gain=gain,
        delivered=delivered,
        rendition_bytes=len(content),
        codec=codec,
        bit_depth=bit_depth,
        trimmed_before=cut.before.net / rate,
        trimmed_after=cut.after.net / rate,
        clipped=clipped_share(samples),
        content_sha256=content_sha256(samples, rate),
        warnings=tuple(warnings),
    )


def content_sha256(samples: Samples, rate: int) -> str:
    """Return a hash of what is heard: the same for the same samples in WAV, FLAC or another lossless file."""
    head = f"{rate} {samples.shape[1]} ".encode()
    return hashlib.sha256(head + np.ascontiguousarray(samples, dtype="<f8").tobytes()).hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _limit(which: int, most: int) -> None:
    """Lower a limit as far as this system lets us; macOS refuses some."""
    hard = resource.getrlimit(which)[1]
    try:
        resource.setrlimit(which, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    except (ValueError, OSError):
        return


def _limit_cpu(seconds: float) -> None:
    """Allow that much processor time from now on; the system ends the process beyond it."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _limit(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + seconds) + 1)


def _answer(line: str, audio: Target, cpu_seconds: float) -> dict[str, Any]:
    request = json.loads(line)
    _limit_cpu(cpu_seconds)
    source, target = Path(request["source"]), Path(request["target"])
    try:
        if "lowpass" in request:
            hertz, keeps_declared = request["lowpass"], audio.keeps_declared
            write_lowpass(source, target, hertz, max_seconds=audio.max_seconds, keeps_declared=keeps_declared)
            return {"written": True}
        edges_of = Path(request["edges_of"]) if "edges_of" in request else None
        return {"facts": process(source, target, audio, edges_of).as_dict()}
    except InvalidInput as error:
        return {"refused": str(error), "is_uncertain": isinstance(error, UncertainEnd)}
    except MemoryError:
        return {"refused": "The clip needs more memory than one clip may have. Shorten it, or lower its sample rate."}
    except (OSError, ValueError, ArithmeticError, RuntimeError, IndexError):
        # For the operator: this goes to the log of the importer.
        traceback.print_exc()
        return {"refused": "The file is damaged and can't be decoded. Export it again, as WAV or FLAC if you can."}


def main() -> None:
    """Read the limits from the first line, then answer one request after another until the input ends."""
    # Output of libraries must not be taken for an answer.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    first = json.loads(sys.stdin.readline())
    audio = Target(**first["audio"])
    _limit(resource.RLIMIT_AS, first["memory"])
    _limit(resource.RLIMIT_FSIZE, first["output"])
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, 64)
    print(json.dumps({"ready": True}), file=out, flush=True)
    for line in sys.stdin:
        print(json.dumps(_answer(line, audio, first["cpu"])), file=out, flush=True)


if __name__ == "__main__":
    main()
