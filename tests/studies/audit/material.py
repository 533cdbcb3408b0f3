"""A study whose systems differ in ways that listeners could use, and one whose systems don't."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from scipy import signal

from studies.audit import measuring
from studies.imports import requests
from studies.imports.ingest.measure import Samples
from studies.models import ClipImport, Study
from tests import audio
from tests.studies.imports.helpers import draft

TEXTS = 5


def spoken(
    seconds: float,
    *,
    rate: int,
    seed: int,
    before: float = 0.02,
    edge: float = 0.0,
    noise: float = -75.0,
    lead: float = 0.0,
    end: float = 0.0,
) -> Samples:
    """Return bursts of noise with pauses between them, low-passed at `edge` Hz, shape (frames, 1).

    Noise 20 dB below them lasts `lead` seconds before and `end` seconds after them.
    """
    rng = np.random.default_rng(seed)
    time = np.arange(round(seconds * rate)) / rate
    sound = rng.standard_normal(len(time)) * (np.sin(2 * np.pi * (2 + rng.random()) * time) > 0)
    if edge:
        sound = signal.fftconvolve(sound, signal.firwin(401, edge, fs=rate), mode="same")
    hiss = [0.005 * rng.standard_normal(round(length * rate)) for length in (lead, end)]
    whole = np.concatenate([hiss[0], np.zeros(round(before * rate)), 0.05 * sound, hiss[1]])
    return (whole + 10 ** (noise / 20) * rng.standard_normal(len(whole)))[:, None]


def clip_set(**systems: Mapping[str, Any]) -> tuple[list[dict[str, str]], dict[str, bytes]]:
    """Return manifest rows and files: each system speaks every text, with these arguments of `spoken`."""
    rows, files = [], {}
    for number, (system, given) in enumerate(systems.items()):
        options = {"rate": 16_000, **given}
        channels, subtype = options.pop("channels", 1), options.pop("subtype", "PCM_16")
        for text in range(TEXTS):
            name = f"{system}/t{text}.wav"
            sound = spoken(1.5 + 0.1 * text, seed=10 * number + text, **options)
            files[name] = audio.encoded(np.repeat(sound, channels, axis=1), options["rate"], subtype=subtype)
            rows.append(
                {"file": name, "system": system, "role": "test", "text_id": f"t{text}", "text": f"This is text {text}."}
            )
    return rows, files


DIFFERENT = {"human": {"rate": 44_100, "channels": 2, "before": 0.5}, "alpha": {}, "beta": {"edge": 4000.0}}
ALIKE: dict[str, dict[str, Any]] = {"human": {}, "alpha": {}, "beta": {}}


def study_of(
    folder: Path, now: datetime, rows: list[dict[str, str]], files: dict[str, bytes], *, slug: str = "one"
) -> Study:
    """Return a draft with these clips, imported from a folder."""
    study = Study.objects.filter(slug=slug).first() or Study.objects.create(slug=slug, title="One", draft=draft())
    add(study, folder, now, rows, files)
    return study


def add(study: Study, folder: Path, now: datetime, rows: list[dict[str, str]], files: dict[str, bytes]) -> ClipImport:
    manifest = audio.write_folder(folder, rows, files)
    return requests.import_folder(study=study, manifest_path=manifest, root=folder, now=lambda: now)


def measured(study: Study, now: datetime) -> Study:
    """Measure the study's clips, as a worker would."""
    measuring.measure_now(study=study, now=lambda: now)
    return study
