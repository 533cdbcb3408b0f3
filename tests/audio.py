"""Small sounds, files and archives that tests make for themselves."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import soundfile

Samples = np.ndarray
ROLES = ("test", "trap_flawed", "trap_human", "training", "reference", "anchor")


def speech(seconds: float = 1.0, *, rate: int = 16000, channels: int = 1, seed: int = 1, level: float = 0.2) -> Samples:
    """Return something with syllables and pauses, shape (frames, channels), that no two seeds share."""
    rng = np.random.default_rng(seed)
    time = np.arange(round(seconds * rate)) / rate
    pitch = 100 + 120 * rng.random()
    voice = sum(np.sin(2 * np.pi * pitch * k * time + rng.random() * 6) / k for k in range(1, 9))
    syllables = 0.05 + np.clip(np.sin(2 * np.pi * (3 + rng.random()) * time), 0, None)
    sound = voice * syllables + 0.01 * rng.standard_normal(len(time))
    sound = level * sound / np.abs(sound).max()
    return np.repeat(sound[:, None], channels, axis=1)


def encoded(samples: Samples, rate: int = 16000, *, format: str = "WAV", subtype: str | None = None) -> bytes:  # noqa: A002
    """Return `samples` as the bytes of a file; `format` and `subtype` are soundfile's names."""
    out = io.BytesIO()
    soundfile.write(out, samples, rate, format=format, subtype=subtype)
    return out.getvalue()


def wav(seconds: float = 1.0, *, rate: int = 16000, channels: int = 1, seed: int = 1) -> bytes:
    """Return a 16-bit WAV file."""
    return encoded(speech(seconds, rate=rate, channels=channels, seed=seed), rate, subtype="PCM_16")


def flac(seconds: float = 1.0, *, rate: int = 16000, channels: int = 1, seed: int = 1) -> bytes:
    """Return a FLAC file."""
    return encoded(speech(seconds, rate=rate, channels=channels, seed=seed), rate, format="FLAC")


def zipped(files: Mapping[str, bytes], *, compression: int = zipfile.ZIP_STORED) -> bytes:
    """Return a ZIP archive of {name: content}, the same bytes for the same files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            # With a name alone, the archive would say when it was made.
            archive.writestr(zipfile.ZipInfo(name), content, compression)
    return out.getvalue()


def manifest(rows: Iterable[Mapping[str, str]], columns: Sequence[str] = ()) -> bytes:
    """Return a manifest CSV; without `columns`, those that any row has."""
    rows = list(rows)
    columns = columns or list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def clip_set(
    *, systems: Sequence[str] = ("human", "alpha", "beta"), texts: int = 7, flawed: int = 3, human: int = 6
) -> tuple[list[dict[str, str]], dict[str, bytes]]:
    """Return manifest rows and {file: bytes}: every system says every text, and traps beside them."""
    rows: list[dict[str, str]] = []
    files: dict[str, bytes] = {}

    def add(file: str, system: str, role: str, text: str) -> None:
        files[file] = wav(0.5, seed=len(files) + 1)
        rows.append(
            {"file": file, "system": system, "voice": system, "role": role, "text_id": text, "text": f"Text {text}."}
        )

    for system in systems:
        for number in range(1, texts + 1):
            add(f"{system}/t{number}.wav", system, "test", f"t{number}")
    for number in range(1, flawed + 1):
        add(f"trap_flawed/f{number}.wav", "flawed", "trap_flawed", f"f{number}")
    for number in range(1, human + 1):
        add(f"trap_human/h{number}.wav", "human", "trap_human", f"h{number}")
    return rows, files


def write_folder(folder: Path, rows: Iterable[Mapping[str, str]], files: Mapping[str, bytes]) -> Path:
    """Write files and their manifest.csv below `folder`, and return the manifest's path."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    path = folder / "manifest.csv"
    path.write_bytes(manifest(rows))
    return path
